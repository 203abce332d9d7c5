// Parser from lines to columns.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "common/thread/cancellation.h"
#include "runtime/text/array_fields.h"
#include "runtime/text/column_sink.h"
#include "runtime/text/delimited_text.h"
#include "runtime/text/field_ends.h"
#include "runtime/text/field_scanner.h"

namespace pelorus::text {

namespace {

// Parser from the lines of one text block to columns. Regular lines, which nearly all are, are parsed column by column
// in blocks that fit the processor's cache; lines with quotes, with too few or too many fields, and blank ones one at a
// time.
class LineParser {
public:
    LineParser(std::string_view text, const TextSchema& schema, const TextOptions& options, int64_t firstLine,
               TextReport& report)
        : text_(text),
          schema_(schema),
          options_(options),
          delimiter_(options.delimiter),
          line_(firstLine),
          report_(report) {
        const int64_t capacity = countLineFeeds(text) + 1;
        for (const TextColumn& column : schema) {
            TextColumn field = column;
            if (isArrayType(column.type)) field.type = Type::String;  // split into elements at the end
            sinks_.push_back(std::make_unique<ColumnSink>(field, capacity));
            fieldCount_ = std::max(fieldCount_, column.field + 1);
        }
        columnOf_.assign(static_cast<size_t>(fieldCount_), -1);
        for (size_t c = 0; c < schema.size(); ++c)
            columnOf_[static_cast<size_t>(schema[c].field)] = static_cast<int>(c);
        // With a selection of columns the number of fields of a line is unknown.
        selects_ = std::any_of(schema.begin(), schema.end(), [](const TextColumn& c) { return c.chosen; });
        carriageReturns_ = std::memchr(text.data(), '\r', text.size()) != nullptr;
    }

    Ref<MemoryTable> parse() {
        const int64_t firstLine = line_;
        while (at_ < text_.size()) {
            // The readers of short fields read the eight bytes before a field's end.
            if (at_ < sizeof(uint64_t) || !parseBlock()) parseLine();
        }
        report_.rows += row_;
        report_.lines += line_ - firstLine;
        std::vector<std::string> names;
        std::vector<Value> columns;
        for (size_t c = 0; c < schema_.size(); ++c) {
            names.push_back(schema_[c].name);
            Ref<Vector> fields = sinks_[c]->finish(row_);
            columns.push_back(isArrayType(schema_[c].type)
                                  ? Value::of(arraysFrom(*fields, c, schema_[c], options_, firstLine, report_))
                                  : Value::of(std::move(fields)));
        }
        return makeRef<MemoryTable>(std::move(names), std::move(columns));
    }

private:
    // Parses whole lines without quotes; returns false when the next line has quotes.
    bool parseBlock() {
        checkCancelled();
        block_ = text_.data() + at_;
        findFieldEnds(text_.substr(at_), delimiter_, found_);
        const auto isRegular = [&](int line) {
            const uint32_t* lines = found_.lines.data() + line;
            const auto fields = static_cast<int>(lines[1] - lines[0]);
            return selects_ ? fields >= fieldCount_ : fields == fieldCount_;
        };
        for (int begin = 0; begin < found_.lineCount;) {
            int end = begin;
            while (end < found_.lineCount && isRegular(end)) ++end;
            if (end > begin) {
                parseRegular(begin, end);
            } else {
                parseLine();
                ++end;
            }
            begin = end;
        }
        return found_.lineCount > 0;
    }

    void parseRegular(int begin, int end) {
        for (size_t c = 0; c < schema_.size(); ++c) {
            const auto [bad, rounded] =
                sinks_[c]->putColumn(row_, {block_, found_, begin, end - begin, schema_[c].field, carriageReturns_});
            if (bad.count > 0) report_.noteBad(c, bad.text, line_ + bad.line - begin, bad.count);
            if (rounded.count > 0) report_.noteRounded(c, rounded.text, line_ + rounded.line - begin, rounded.count);
        }
        endBlankLines();
        row_ += end - begin;
        line_ += end - begin;
        at_ = static_cast<size_t>(block_ - text_.data()) + found_.ends[found_.lines[static_cast<size_t>(end)]] + 1;
    }

    void parseLine() {
        FieldScanner scanner(text_.substr(at_), delimiter_);
        if (fieldCount_ > 1 && scanner.atBlankLine()) {
            scanner.skipBlankLine();
            report_.blankLinesAtEnd.note(line_++);
        } else {
            endBlankLines();
            parseFields(scanner);
        }
        at_ += scanner.position();
    }

    // Ends a run of blank lines before a line with fields.
    void endBlankLines() {
        if (report_.blankLinesAtEnd.count == 0) return;
        report_.blankLines.add(std::exchange(report_.blankLinesAtEnd, {}));
    }

    void parseFields(FieldScanner& scanner) {
        int field = 0;
        bool last = false;
        for (; !last && field < fieldCount_; ++field) {
            const Field next = scanner.next();
            last = next.lastOfLine;
            const int column = columnOf_[static_cast<size_t>(field)];
            if (column < 0) continue;
            const auto at = static_cast<size_t>(column);
            if (!sinks_[at]->put(row_, next.text))
                report_.noteBad(at, next.text, line_);
            else if (sinks_[at]->takeRounded())
                report_.noteRounded(at, next.text, line_);
        }
        if (field < fieldCount_) {
            report_.shortLines.note(line_);
            for (; field < fieldCount_; ++field) {
                const int column = columnOf_[static_cast<size_t>(field)];
                if (column >= 0) sinks_[static_cast<size_t>(column)]->putNull(row_);
            }
        }
        if (!last && !selects_) report_.longLines.note(line_);
        while (!last) last = scanner.next().lastOfLine;
        if (scanner.unterminated() && report_.openQuote == 0) report_.openQuote = line_;
        ++row_;
        line_ += 1 + scanner.takeInnerLines();
    }

    const std::string_view text_;
    const TextSchema& schema_;
    const TextOptions& options_;
    const char delimiter_;
    size_t at_ = 0;
    int64_t row_ = 0;
    int64_t line_;
    TextReport& report_;
    std::vector<std::unique_ptr<ColumnSink>> sinks_;
    int fieldCount_ = 0;
    std::vector<int> columnOf_;  // the column that takes a field; -1 for one that is left out
    bool selects_ = false;
    bool carriageReturns_ = false;
    const char* block_ = nullptr;
    FieldEnds found_;  // field ends of the block
};

}  // namespace

Ref<MemoryTable> parseLines(std::string_view lines, const TextSchema& schema, const TextOptions& options,
                            int64_t firstLine, TextReport& report) {
    return LineParser(lines, schema, options, firstLine, report).parse();
}

}  // namespace pelorus::text
