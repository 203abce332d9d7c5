// Lines to columns.
#include <algorithm>
#include <memory>

#include "common/thread_pool.h"
#include "runtime/text/column_sink.h"
#include "runtime/text/delimited_text.h"
#include "runtime/text/field_scanner.h"

namespace pelorus::text {

static int64_t countLines(std::string_view bytes) {
    return std::count(bytes.begin(), bytes.end(), '\n');
}

static void noteBad(TextReport& report, const TextColumn& column, std::string_view field, int64_t line) {
    if (report.badFields++ == 0) report.firstBad = {line, column.name, std::string(field.substr(0, 60))};
}

static void noteLength(int64_t& count, int64_t& first, int64_t line) {
    if (count++ == 0) first = line;
}

Ref<MemoryTable> parseLines(std::string_view lines, const TextSchema& schema, const TextOptions& options,
                            int64_t firstLine, TextReport& report) {
    const int64_t capacity = countLines(lines) + 1;
    std::vector<std::unique_ptr<ColumnSink>> sinks;
    int fieldCount = 0;
    for (const TextColumn& column : schema) {
        sinks.push_back(std::make_unique<ColumnSink>(column, capacity));
        fieldCount = std::max(fieldCount, column.field + 1);
    }
    // Which column takes a field; -1 for one that is left out.
    std::vector<int> columnOf(static_cast<size_t>(fieldCount), -1);
    for (size_t c = 0; c < schema.size(); ++c) columnOf[static_cast<size_t>(schema[c].field)] = static_cast<int>(c);
    // With a selection of columns nobody knows how many fields a line should have.
    const bool selects = std::any_of(schema.begin(), schema.end(), [](const TextColumn& c) { return c.chosen; });

    FieldScanner scanner(lines, options.delimiter);
    int64_t row = 0;
    int64_t line = firstLine;
    while (!scanner.atEnd()) {
        if (fieldCount > 1 && scanner.atBlankLine()) {
            scanner.skipBlankLine();
            ++line;
            continue;
        }
        int field = 0;
        bool last = false;
        for (; !last && field < fieldCount; ++field) {
            const Field next = scanner.next();
            last = next.lastOfLine;
            const int column = columnOf[static_cast<size_t>(field)];
            if (column < 0) continue;
            const auto at = static_cast<size_t>(column);
            if (!sinks[at]->put(row, next.text)) noteBad(report, schema[at], next.text, line);
        }
        if (field < fieldCount) {
            noteLength(report.shortLines, report.firstShort, line);
            for (; field < fieldCount; ++field) {
                const int column = columnOf[static_cast<size_t>(field)];
                if (column >= 0) sinks[static_cast<size_t>(column)]->putNull(row);
            }
        }
        if (!last && !selects) noteLength(report.longLines, report.firstLong, line);
        while (!last) last = scanner.next().lastOfLine;
        if (scanner.unterminated() && report.openQuote == 0) report.openQuote = line;
        ++row;
        line += 1 + scanner.takeInnerLines();
    }
    report.rows += row;
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (size_t c = 0; c < schema.size(); ++c) {
        names.push_back(schema[c].name);
        columns.push_back(Value::of(sinks[c]->finish(row)));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

Ref<MemoryTable> parseLinesParallel(std::string_view lines, const TextSchema& schema, const TextOptions& options,
                                    int64_t firstLine, TextReport& report) {
    constexpr size_t kPieceBytes = 4 << 20;
    const std::vector<size_t> ends = cutAtLines(lines, options, kPieceBytes, true);
    if (ends.size() <= 1) return parseLines(lines, schema, options, firstLine, report);
    struct Piece {
        std::string_view lines;
        int64_t lineCount = 0;
        TextReport report;
        Ref<MemoryTable> rows;
    };
    std::vector<Piece> pieces(ends.size());
    for (size_t i = 0; i < ends.size(); ++i) {
        const size_t begin = i == 0 ? 0 : ends[i - 1];
        pieces[i].lines = lines.substr(begin, ends[i] - begin);
    }
    const auto count = static_cast<int64_t>(pieces.size());
    parallelFor(count, [&](int64_t i) {
        Piece& piece = pieces[static_cast<size_t>(i)];
        piece.lineCount = countLines(piece.lines);
        piece.rows = parseLines(piece.lines, schema, options, 0, piece.report);
    });
    int64_t total = 0;
    int64_t line = firstLine;
    std::vector<int64_t> begins;
    for (Piece& piece : pieces) {
        for (int64_t* at : {&piece.report.firstBad.line, &piece.report.firstShort, &piece.report.firstLong})
            *at += line;
        report.add(piece.report);
        line += piece.lineCount;
        begins.push_back(total);
        total += piece.rows->rowCount();
    }
    std::vector<std::string> names;
    std::vector<Value> columns(schema.size());
    for (const TextColumn& column : schema) names.push_back(column.name);
    parallelFor(static_cast<int64_t>(schema.size()), [&](int64_t c) {
        const auto at = static_cast<size_t>(c);
        Ref<Vector> all = Vector::make(schema[at].type, 0, total);
        all->setScale(schema[at].scale);
        for (const Piece& piece : pieces) {
            const Vector& part = piece.rows->column(static_cast<int>(c)).vector();
            all->append(part, 0, part.size());
        }
        columns[at] = Value::of(std::move(all));
    });
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

void TextReport::add(const TextReport& later) {
    if (badFields == 0) firstBad = later.firstBad;
    if (shortLines == 0) firstShort = later.firstShort;
    if (longLines == 0) firstLong = later.firstLong;
    if (openQuote == 0) openQuote = later.openQuote;
    rows += later.rows;
    badFields += later.badFields;
    shortLines += later.shortLines;
    longLines += later.longLines;
}

std::string TextReport::message(std::string_view file) const {
    std::string text;
    const auto say = [&](const std::string& part) { text += (text.empty() ? std::string(file) + ": " : "; ") + part; };
    if (badFields > 0) {
        say(std::to_string(badFields) + " field(s) could not be read and are NULL, the first is \"" + firstBad.text +
            "\" in line " + std::to_string(firstBad.line) + ", column " + firstBad.column);
    }
    if (shortLines > 0) {
        say(std::to_string(shortLines) + " line(s) have too few fields, the first is line " +
            std::to_string(firstShort) + "; what is missing is NULL");
    }
    if (longLines > 0) {
        say(std::to_string(longLines) + " line(s) have too many fields, the first is line " +
            std::to_string(firstLong) + "; the surplus is ignored");
    }
    if (openQuote > 0) {
        say("the quote that opens in line " + std::to_string(openQuote) +
            " is never closed; the rest of the file is one field");
    }
    return text.empty() ? text : text + ".";
}

}  // namespace pelorus::text
