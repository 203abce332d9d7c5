#include "server/line_query/uploaded_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_set>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/arrow/arrow_reader.h"
#include "runtime/memory/budget.h"
#include "runtime/parquet/memory_file.h"
#include "runtime/parquet/parquet_table.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/text/delimited_text.h"

namespace pelorus {

namespace {

constexpr const char* kBody = "the body of the request";
constexpr size_t kPieceBytes = size_t{1} << 20;

const ColumnSchema& columnOf(const TableSchema& columns, const std::string& name) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; });
    if (found == columns.end()) {
        std::string names;
        for (const ColumnSchema& column : columns) names += (names.empty() ? "" : ", ") + column.name;
        throw UserError(fmt::format("The table has no column {}.", name), fmt::format("Its columns are {}.", names));
    }
    return *found;
}

// Checks the names of a body before its rows are read.
void requireNames(const std::vector<std::string>& names, const TableSchema& columns) {
    std::unordered_set<std::string_view> taken;
    for (const std::string& name : names) {
        columnOf(columns, name);
        if (!taken.insert(name).second) throw UserError(fmt::format("The body has two columns {}.", name));
    }
}

std::vector<std::string> namesOf(const TableSchema& columns) {
    std::vector<std::string> names;
    for (const ColumnSchema& column : columns) names.push_back(column.name);
    return names;
}

std::vector<int> allOf(const TableSchema& columns) {
    std::vector<int> places(columns.size());
    std::iota(places.begin(), places.end(), 0);
    return places;
}

// ---- Arrow.

// A body that has arrived, charged for what it becomes.
class BodyInput final : public arrow::ArrowInput {
public:
    BodyInput(std::string_view body, DecodeBudget& budget) : body_(body), budget_(budget) {}

    size_t readSome(char* target, size_t most) override {
        const size_t count = std::min(most, body_.size());
        if (count > 0) std::memcpy(target, body_.data(), count);
        body_.remove_prefix(count);
        return count;
    }
    void reserve(int64_t bytes) override { budget_.charge(bytes); }
    bool isAtEnd() const { return body_.empty(); }

private:
    std::string_view body_;
    DecodeBudget& budget_;
};

Ref<MemoryTable> arrowRows(const std::string& body, const TableSchema& columns, DecodeBudget& budget) {
    BodyInput input(body, budget);
    arrow::ArrowReader reader(input);
    requireNames(namesOf(reader.columns()), columns);
    Ref<MemoryTable> rows = reader.readAll(allOf(reader.columns()));
    if (!input.isAtEnd()) arrow::refuseArrow("bytes follow its end");
    return rows;
}

// ---- Parquet.

Ref<MemoryTable> parquetRows(const Context& context, std::string body, const TableSchema& columns,
                             DecodeBudget& budget) {
    try {
        const Ref<ParquetTable> table = ParquetTable::open(std::make_shared<MemoryFile>(kBody, std::move(body)));
        requireNames(namesOf(table->columns()), columns);
        for (const ColumnSchema& column : table->columns())
            budget.charge(table->rowCount(), widthOf(elementTypeOf(column.type)));
        return table->load(allOf(table->columns()), 0, table->rowGroupCount(), context);
    } catch (const memory::OutOfMemory&) {
        throw;
    } catch (const SystemError& damage) {
        throw UserError(damage.what());  // the file is the sender's: to send it again does not help
    }
}

// ---- Text.

text::TextSchema textSchema(const std::vector<std::string>& names, const TableSchema& columns) {
    text::TextSchema schema;
    for (const std::string& name : names) {
        const ColumnSchema& column = columnOf(columns, name);
        text::TextColumn& read = schema.emplace_back();
        read.name = name;
        read.type = column.type;
        read.scale = column.scale;
        read.field = static_cast<int>(schema.size()) - 1;
    }
    return schema;
}

[[noreturn]] void refuseField(const char* what, const text::TextReport::BadColumn& bad,
                              const text::TextColumn& column) {
    throw UserError(fmt::format("Line {}: \"{}\" {} of the column {} of type {}; {} fields are so.", bad.first,
                                bad.text, what, column.name, typeString(column.type, column.scale), bad.count));
}

// Throws UserError for the first thing that a reader would have had to guess.
void requireClean(const text::TextReport& report, const text::TextSchema& schema) {
    if (report.openQuote > 0)
        throw UserError(fmt::format("Line {}: a quoted field begins and never ends.", report.openQuote));
    for (const auto* lines : {&report.shortLines, &report.longLines}) {
        if (lines->count > 0)
            throw UserError(fmt::format("Line {} has {} fields than the header; {} lines are so.", lines->first,
                                        lines == &report.shortLines ? "fewer" : "more", lines->count));
    }
    for (size_t c = 0; c < schema.size(); ++c) {
        if (c < report.bad.size() && report.bad[c].count > 0) refuseField("is no value", report.bad[c], schema[c]);
        const bool mayRound = isFloating(elementTypeOf(schema[c].type));
        if (!mayRound && c < report.rounded.size() && report.rounded[c].count > 0)
            refuseField("would lose digits as a value", report.rounded[c], schema[c]);
    }
}

Ref<MemoryTable> textRows(const std::string& body, const TableSchema& columns, DecodeBudget& budget) {
    text::TextOptions options;
    options.header = text::Header::Yes;
    options.delimiter = text::detectDelimiter(body, options);
    const text::TextHead head = text::readHead(body, options);
    if (head.headings.empty()) throw UserError("The body is empty: its first line must name the columns.");
    requireNames(head.headings, columns);
    const text::TextSchema schema = textSchema(head.headings, columns);
    const std::string_view lines = std::string_view(body).substr(head.rowsBegin);
    const std::vector<size_t> ends = text::cutAtLines(lines, options, kPieceBytes, true);
    std::vector<Ref<MemoryTable>> pieces(ends.size());
    std::vector<text::TextReport> reports(ends.size());
    budget.charge(std::count(lines.begin(), lines.end(), '\n'), static_cast<int64_t>(columns.size()) * 8);
    parallelFor(static_cast<int64_t>(ends.size()), [&](int64_t i) {
        checkCancelled();
        const auto at = static_cast<size_t>(i);
        const size_t begin = at == 0 ? 0 : ends[at - 1];
        pieces[at] = text::parseLines(lines.substr(begin, ends[at] - begin), schema, options, 1, reports[at]);
    });
    text::TextReport report;
    Ref<MemoryTable> rows = text::parseLines("", schema, options, 1, report);
    for (size_t i = 0; i < pieces.size(); ++i) {
        reports[i].shiftLines(head.firstLine - 1 + report.lines);
        report.add(reports[i]);
        for (int c = 0; c < rows->columnCount(); ++c)
            appendElements(rows->mutableColumns()[static_cast<size_t>(c)], pieces[i]->column(c));
        pieces[i] = Ref<MemoryTable>();
    }
    requireClean(report, schema);
    return rows;
}

// ---- All of them.

Ref<MemoryTable> withColumns(const MemoryTable& rows, const TableSchema& columns) {
    const int64_t count = rows.rowCount();
    std::vector<std::string> names;
    std::vector<Value> values;
    for (const ColumnSchema& column : columns) {
        const Value* found = rows.column(column.name);
        names.push_back(column.name);
        values.push_back(found ? *found : filledColumn(column.type, column.scale, count));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(values));
}

}  // namespace

Ref<MemoryTable> uploadedRows(const Context& context, TableBody form, std::string body, const TableSchema& columns) {
    DecodeBudget budget(Peer::Client);
    budget.received(static_cast<int64_t>(body.size()));
    try {
        switch (form) {
            case TableBody::ArrowStream:
                return withColumns(*arrowRows(body, columns, budget), columns);
            case TableBody::Parquet:
                return withColumns(*parquetRows(context, std::move(body), columns, budget), columns);
            case TableBody::Csv:
                break;
        }
        return withColumns(*textRows(body, columns, budget), columns);
    } catch (const arrow::DamagedArrow& damage) {
        throw UserError(damage.what());
    }
}

}  // namespace pelorus
