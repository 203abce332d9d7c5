// Parser of fields that hold the elements of a row of an array vector.
#include "runtime/text/array_fields.h"

#include <algorithm>

#include "runtime/text/column_sink.h"

namespace pelorus::text {

void quoteArrays(char* lines, size_t size, const TextOptions& options) {
    if (options.arrayMarker.empty()) return;
    const auto ends = [&](size_t at) {
        return at >= size || lines[at] == options.delimiter || lines[at] == '\n' || lines[at] == '\r';
    };
    for (size_t at = 0; at < size; ++at) {
        if (lines[at] != options.arrayMarker[0] || (at > 0 && !ends(at - 1))) continue;
        size_t close = at + 1;
        while (close < size && lines[close] != options.arrayMarker[1] && lines[close] != '\n') ++close;
        if (close >= size || lines[close] != options.arrayMarker[1] || !ends(close + 1)) continue;
        lines[at] = lines[close] = '"';
        at = close;
    }
}

Ref<ArrayVector> arraysFrom(const Vector& fields, size_t number, const TextColumn& column, const TextOptions& options,
                            int64_t firstLine, TextReport& report) {
    int64_t count = 0;
    for (int64_t row = 0; row < fields.size(); ++row) {
        const std::string_view field = fields.string(row);
        count += 1 + std::count(field.begin(), field.end(), options.arrayDelimiter);
    }
    TextColumn element = column;
    element.type = elementTypeOf(column.type);
    ColumnSink sink(element, count);
    std::vector<int32_t> ends;
    ends.reserve(static_cast<size_t>(fields.size()));
    int64_t at = 0;
    for (int64_t row = 0; row < fields.size(); ++row) {
        std::string_view rest = fields.string(row);
        for (bool more = true; more; ++at) {
            const size_t end = std::min(rest.find(options.arrayDelimiter), rest.size());
            const std::string_view one = rest.substr(0, end);
            if (!sink.put(at, one)) report.noteBad(number, one, firstLine + row);
            more = end < rest.size();
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        ends.push_back(static_cast<int32_t>(at));
    }
    return makeRef<ArrayVector>(sink.finish(at), std::move(ends));
}

}  // namespace pelorus::text
