#include "runtime/text/text_report.h"

#include <algorithm>

namespace pelorus::text {

static void note(std::vector<TextReport::BadColumn>& columns, size_t column, std::string_view text, int64_t line,
                 int64_t count) {
    if (columns.size() <= column) columns.resize(column + 1);
    TextReport::BadColumn& fields = columns[column];
    // Lines of a block are not parsed in the order of the file: first columns, then lines.
    if (fields.count == 0 || line < fields.first) {
        fields.first = line;
        fields.text = text.substr(0, 60);
    }
    fields.count += count;
}

// Adds the faults of a later part of the file.
static void addColumns(std::vector<TextReport::BadColumn>& columns, const std::vector<TextReport::BadColumn>& later) {
    if (columns.size() < later.size()) columns.resize(later.size());
    for (size_t c = 0; c < later.size(); ++c) {
        if (columns[c].count == 0) columns[c].text = later[c].text;
        columns[c].add(later[c]);
    }
}

void TextReport::noteBad(size_t column, std::string_view text, int64_t line, int64_t count) {
    note(bad, column, text, line, count);
}

void TextReport::noteRounded(size_t column, std::string_view text, int64_t line, int64_t count) {
    note(rounded, column, text, line, count);
}

void TextReport::shiftLines(int64_t by) {
    for (BadColumn& column : bad) column.first += by;
    for (BadColumn& column : rounded) column.first += by;
    for (OddBytes* found : {&notUtf8, &zeroBytes}) {
        if (found->line > 0) found->line += by;
    }
    for (Line* line : {&shortLines, &longLines, &blankLines, &blankLinesAtEnd}) line->first += by;
    if (openQuote > 0) openQuote += by;
}

void TextReport::add(const TextReport& later) {
    addColumns(bad, later.bad);
    addColumns(rounded, later.rounded);
    if (notUtf8.line == 0) notUtf8 = later.notUtf8;
    if (zeroBytes.line == 0) zeroBytes = later.zeroBytes;
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
