#include "runtime/text/text_report.h"

#include <algorithm>

namespace pelorus::text {

void TextReport::noteBad(size_t column, std::string_view text, int64_t line, int64_t count) {
    if (bad.size() <= column) bad.resize(column + 1);
    BadColumn& fields = bad[column];
    // Lines of a block are not parsed in the order of the file: first columns, then lines.
    if (fields.count == 0 || line < fields.first) {
        fields.first = line;
        fields.text = text.substr(0, 60);
    }
    fields.count += count;
}

void TextReport::shiftLines(int64_t by) {
    for (BadColumn& column : bad) column.first += by;
    for (Line* line : {&shortLines, &longLines, &blankLines, &blankLinesAtEnd}) line->first += by;
    if (openQuote > 0) openQuote += by;
}

void TextReport::add(const TextReport& later) {
    if (bad.size() < later.bad.size()) bad.resize(later.bad.size());
    for (size_t c = 0; c < later.bad.size(); ++c) {
        if (bad[c].count == 0) bad[c].text = later.bad[c].text;
        bad[c].add(later.bad[c]);
    }
    shortLines.add(later.shortLines);
    longLines.add(later.longLines);
    if (later.rows > 0) {
        blankLines.add(blankLinesAtEnd);
        blankLinesAtEnd = {};
        blankLines.add(later.blankLines);
    }
    blankLinesAtEnd.add(later.blankLinesAtEnd);
    if (openQuote == 0) openQuote = later.openQuote;
    rows += later.rows;
    lines += later.lines;
}

int64_t TextReport::badFields() const {
    int64_t count = 0;
    for (const BadColumn& column : bad) count += column.count;
    return count;
}

}  // namespace pelorus::text
