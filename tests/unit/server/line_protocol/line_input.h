// Checks that any bytes, read as lines at once and in pieces, lead to the same rows and the same error. The fuzzer
// (tests/fuzz/line_fuzzer.cpp) and its seeded form call it.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "runtime/value/print.h"
#include "server/line_protocol/line_batch.h"
#include "server/line_protocol/line_lexer.h"

namespace pelorus::testing {

// A database with one table, "known", and any other as a line wants it.
class MadeUpTables final : public LineCatalog {
public:
    LineTable find(const std::string& table) override {
        if (table == "forbidden") throw UserError("<NoPrivilege>No right to insert into forbidden.");
        LineTable known;
        if (table != "known") return known;
        known.exists = true;
        known.schema = {{.name = "host", .type = Type::Symbol},  {.name = "at", .type = Type::NanoTimestamp},
                        {.name = "c", .type = Type::Char},       {.name = "s", .type = Type::Short},
                        {.name = "i", .type = Type::Int},        {.name = "l", .type = Type::Long},
                        {.name = "f", .type = Type::Float},      {.name = "d", .type = Type::Double},
                        {.name = "b", .type = Type::Bool},       {.name = "text", .type = Type::String},
                        {.name = "ms", .type = Type::Timestamp}, {.name = "ns", .type = Type::NanoTimestamp},
                        {.name = "sym", .type = Type::Symbol},   {.name = "a", .type = arrayTypeOf(Type::Double)},
                        {.name = "day", .type = Type::Date}};
        known.timeColumn = "at";
        known.sortColumns = {"host", "at"};
        return known;
    }
    void requireToAddColumns(const std::string&) override {
        if (!mayAddColumns) throw UserError("<NoPrivilege>No right to add columns.");
    }
    bool mayAddColumns = true;
};

// Returns the schema that a table has once the columns of the batch were added.
inline TableSchema schemaOf(const LineBatch::TableRows& rows) {
    TableSchema schema = rows.known().schema;
    if (!rows.known().exists) schema.push_back({.name = "timestamp", .type = Type::NanoTimestamp});
    for (const ColumnSchema& column : rows.newColumns()) schema.push_back(column);
    return schema;
}

struct ReadLines {
    std::string rows;  // of all tables
    std::string error;
    int64_t line = 0;
    int64_t count = 0;
};

// Reads the bytes in pieces of `pieceBytes`, as a connection brings them.
inline ReadLines readLines(std::string_view bytes, size_t pieceBytes) {
    MadeUpTables tables;
    TagSets tags;
    LineBatch batch(tags, tables);
    ReadLines read;
    try {
        size_t used = 0;
        for (size_t have = std::min(pieceBytes, bytes.size()); have < bytes.size();
             have += std::min(pieceBytes, bytes.size() - have))
            used += batch.add(bytes.substr(used, have - used), false);
        batch.add(bytes.substr(used), true);
    } catch (const UserError& error) {
        read.error = error.what();
        read.line = batch.errorLine();
    }
    read.count = batch.rowCount();
    int64_t sum = 0;
    for (const auto& rows : batch.tables()) {
        sum += rows->rowCount();
        if (rows->rowCount() == 0) continue;
        const std::vector<std::string> order =
            rows->known().exists ? rows->known().sortColumns : std::vector<std::string>{"timestamp"};
        const Ref<MemoryTable> built = rows->build(schemaOf(*rows), order);
        if (built->rowCount() != rows->rowCount()) throw std::runtime_error("rows were lost");
        read.rows += rows->name() + '\n';
        for (int c = 0; c < built->columnCount(); ++c) {
            read.rows += built->columns()[static_cast<size_t>(c)].name + ':';
            // The server's time is another one each time that lines are read.
            const bool isNow = built->columns()[static_cast<size_t>(c)].name == rows->known().timeColumn;
            for (int64_t i = 0; i < built->rowCount() && !isNow; ++i) {
                const Value cell = built->column(c).at(i);
                read.rows += (cell.isScalar() ? toString(cell) : std::to_string(cell.size())) + ';';
            }
            read.rows += '\n';
        }
    }
    if (sum != read.count) throw std::runtime_error("the rows of the tables are not those of the lines");
    return read;
}

// Throws when pieces change what the bytes mean.
inline void checkLineInput(std::string_view bytes) {
    const ReadLines whole = readLines(bytes, bytes.size() + 1);
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{64}}) {
        if (bytes.size() / piece > 600) continue;
        const ReadLines cut = readLines(bytes, piece);
        // Rows without a time are ordered by when they were read.
        const bool isEqual = cut.count == whole.count && cut.line == whole.line &&
                             cut.error.empty() == whole.error.empty() && cut.rows.size() == whole.rows.size();
        if (!isEqual)
            throw std::runtime_error("in pieces of " + std::to_string(piece) + ": '" + cut.error + "' with " +
                                     std::to_string(cut.count) + " rows, whole: '" + whole.error + "' with " +
                                     std::to_string(whole.count));
    }
}

}  // namespace pelorus::testing
