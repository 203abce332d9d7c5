#include "runtime/parquet/parquet_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

std::string pathIn(const Value& file, int argument) {
    if (!file.isString() || file.string().empty())
        throw UserError(argument, "fileName must be the name of a Parquet file, but it is " + typeString(file) + ".");
    return std::string(file.string());
}

int64_t wholeNumber(const Value& v, int argument, const char* name) {
    if (!v.isNumber() || v.isNull() || v.asLong() < 0)
        throw UserError(argument, fmt::format("{} must be a number that is not negative.", name));
    return v.asLong();
}

}  // namespace

ParquetSelection::ParquetSelection(const Context& context, const Arguments& arguments)
    : table_(ParquetTable::open(context, pathIn(arguments.file, arguments.fileAt))) {
    chooseColumns(arguments.columns, arguments.schemaAt + 1);
    takeSchema(arguments.schema, arguments.schemaAt);
    chooseRowGroups(arguments.startRowGroup, arguments.rowGroupNum, arguments.schemaAt + 2);
    table_->requireReadable(columns_);
}

void ParquetSelection::chooseColumns(const Value& columns, int argument) {
    const int all = table_->columnCount();
    if (columns.isVoid()) {
        columns_.resize(static_cast<size_t>(all));
        std::iota(columns_.begin(), columns_.end(), 0);
        return;
    }
    for (int64_t i = 0; i < columns.size(); ++i) {
        const Value one = columns.at(i);
        int64_t position = -1;
        if (one.isString()) {
            position = table_->findColumn(one.string());
            if (position < 0) throw UserError(argument, fmt::format("There is no column {}.", one.string()));
        } else if (one.isNumber() && !one.isNull()) {
            position = one.asLong();
        }
        if (position < 0 || position >= all) {
            throw UserError(argument,
                            fmt::format("columnsToLoad must have positions from 0 to {}, or names.", all - 1));
        }
        columns_.push_back(static_cast<int>(position));
    }
    if (columns_.empty()) throw UserError(argument, "columnsToLoad names no column.");
}

void ParquetSelection::takeSchema(const Value& given, int argument) {
    for (const int c : columns_) schema_.push_back(table_->columns()[static_cast<size_t>(c)]);
    if (given.isVoid()) return;
    const Ref<MemoryTable> rows = tableToRead(given);
    const Value* names = rows ? rows->column("name") : nullptr;
    const Value* types = rows ? rows->column("type") : nullptr;
    if (names == nullptr || types == nullptr)
        throw UserError(argument,
                        "schema must be a table with the columns name and type, as extractParquetSchema gives.");
    const bool isOfFile = rows->rowCount() == table_->columnCount();
    if (!isOfFile && rows->rowCount() != static_cast<int64_t>(columns_.size())) {
        throw UserError(argument, fmt::format("schema has {} rows, but {} columns are read, and the file has {}.",
                                              rows->rowCount(), columns_.size(), table_->columnCount()));
    }
    for (size_t c = 0; c < columns_.size(); ++c) {
        const int64_t row = isOfFile ? columns_[c] : static_cast<int64_t>(c);
        const std::string name(names->at(row).string()), type(types->at(row).string());
        TypeSpec spec;
        if (!typeSpecByName(type, spec))
            throw UserError(argument, fmt::format("The type {} of the column {} is none.", type, name));
        schema_[c] = {name, spec.type, spec.scale, ""};
    }
}

void ParquetSelection::chooseRowGroups(const Value& start, const Value& count, int argument) {
    const int64_t all = table_->rowGroupCount();
    const int64_t first = start.isVoid() || start.isNull() ? 0 : wholeNumber(start, argument, "startRowGroup");
    if (first > 0 && first >= all) {
        throw UserError(argument,
                        fmt::format("startRowGroup is {}, but there are {} row groups, counted from 0.", first, all));
    }
    const int64_t rest = all - first;
    const int64_t wanted = count.isVoid() || count.isNull() ? rest : wholeNumber(count, argument + 1, "rowGroupNum");
    first_ = static_cast<int>(first);
    count_ = static_cast<int>(std::min(rest, wanted));
}

Ref<MemoryTable> ParquetSelection::load(int begin, int count, const Context& context) const {
    const Ref<MemoryTable> read = table_->load(columns_, first_ + begin, count, context);
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (size_t c = 0; c < schema_.size(); ++c) {
        const ColumnSchema& wanted = schema_[c];
        const ColumnSchema& found = read->columns()[c];
        const bool isSame = found.type == wanted.type && (!isDecimal(wanted.type) || found.scale == wanted.scale);
        const Value& column = read->column(static_cast<int>(c));
        names.push_back(wanted.name);
        columns.push_back(isSame                   ? column
                          : isDecimal(wanted.type) ? cast(column, wanted.type, wanted.scale)
                                                   : cast(column, wanted.type));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

}  // namespace pelorus
