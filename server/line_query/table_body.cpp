#include "server/line_query/table_body.h"

#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "common/string/trim.h"
#include "common/thread/cancellation.h"
#include "runtime/arrow/arrow_writer.h"
#include "runtime/parquet/memory_file.h"
#include "runtime/parquet/parquet_writer.h"
#include "runtime/table/table.h"
#include "runtime/text/delimited_text.h"

namespace pelorus {

namespace {

constexpr std::string_view kArrowStream = "application/vnd.apache.arrow.stream";
constexpr std::string_view kCsv = "text/csv";
constexpr std::string_view kParquet = "application/vnd.apache.parquet";

}  // namespace

std::optional<TableBody> formOf(std::string_view mediaType) {
    mediaType = mediaType.substr(0, mediaType.find(';'));
    std::string name(trim(mediaType, " \t"));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name == kArrowStream) return TableBody::ArrowStream;
    if (name == kCsv) return TableBody::Csv;
    if (name == kParquet) return TableBody::Parquet;
    return std::nullopt;
}

std::optional<TableBody> acceptedBody(std::string_view accept) {
    while (!accept.empty()) {
        const size_t comma = std::min(accept.find(','), accept.size());
        std::string_view one = accept.substr(0, comma);
        if (const std::optional<TableBody> form = formOf(one)) return form;
        one = trim(one.substr(0, one.find(';')), " \t");
        if (one == "application/json" || one == "*/*" || one == "application/*") return std::nullopt;
        accept.remove_prefix(std::min(comma + 1, accept.size()));
    }
    return std::nullopt;
}

std::string_view mediaTypeOf(TableBody form) {
    switch (form) {
        case TableBody::ArrowStream:
            return kArrowStream;
        case TableBody::Parquet:
            return kParquet;
        case TableBody::Csv:
            break;
    }
    return "text/csv; charset=utf-8; header=present";
}

std::string tableBody(TableBody form, const Value& result, int64_t begin, int64_t end) {
    const Ref<MemoryTable> table = tableToRead(result);
    if (!table) throw UserError("The query returns no table in memory.", "Select rows: select * from t.");
    const int64_t last = std::min(end, table->rowCount());
    const Ref<MemoryTable> rows = table->slice(std::min(begin, last), std::max<int64_t>(0, last - begin));
    std::string body;
    if (form == TableBody::ArrowStream) {
        arrow::ArrowWriter writer(rows->columns(), {}, [&](GatheredBytes&& bytes) {
            for (const std::string_view piece : bytes.pieces()) body += piece;
        });
        writer.write(*rows);
        writer.finish();
        return body;
    }
    if (form == TableBody::Parquet) {
        const auto file = std::make_shared<MemoryFile>("the answer");
        ParquetWriter writer(file, rows->columns(), {});
        writer.append(rows);
        writer.finish();
        return file->takeBytes();
    }
    constexpr int64_t kRows = 65536;
    text::writeHeader(rows->columns(), ',', body);
    for (int64_t row = 0; row < rows->rowCount(); row += kRows) {
        checkCancelled();
        text::writeLines(*rows->slice(row, std::min(kRows, rows->rowCount() - row)), ',', body);
    }
    return body;
}

}  // namespace pelorus
