#include "stdlib/number_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

using NamedValues = std::vector<std::pair<std::string, Value>>;

void checkColumn(const Value& column, const std::string& name, size_t rows, size_t argument, std::string_view what) {
    const bool isColumn = column.isTypedVector() && (isNumeric(column.type()) || isDecimal(column.type()));
    if (!isColumn)
        throw UserError(static_cast<int>(argument), fmt::format("The columns of {} must be numeric, but {} is {}.",
                                                                what, name, typeString(column)));
    if (static_cast<size_t>(column.size()) != rows)
        throw UserError(static_cast<int>(argument),
                        fmt::format("The columns of {} differ in length: {} and {}.", what, rows, column.size()));
}

// Reads a column that was checked.
std::vector<double> readColumn(const Value& column, const std::string& name, size_t argument, std::string_view what,
                               NullCells nulls) {
    const Ref<Vector> reals = cast(column.vector(), Type::Double);
    std::vector<double> cells(reals->data<double>(), reals->data<double>() + reals->size());
    if (nulls == NullCells::Kept) return cells;
    for (double& cell : cells) {
        if (!isNull(cell)) continue;
        if (nulls == NullCells::Refused)
            throw UserError(static_cast<int>(argument),
                            fmt::format("{} must be without NULL, but {} holds one.", what, name),
                            "Fill it, for example with nullFill, or leave the row out.");
        cell = 0;
    }
    return cells;
}

// Reads all columns, several at once.
NumberColumns readColumns(const NamedValues& given, size_t argument, std::string_view what, NullCells nulls) {
    NumberColumns all;
    if (given.empty()) return all;
    all.rows = given[0].second.isTypedVector() ? static_cast<size_t>(given[0].second.size()) : 0;
    for (const auto& [name, column] : given) {
        checkColumn(column, name, all.rows, argument, what);
        all.names.push_back(name);
    }
    all.columns.resize(given.size());
    parallelFor(static_cast<int64_t>(given.size()), [&](int64_t i) {
        const auto& [name, column] = given[static_cast<size_t>(i)];
        all.columns[static_cast<size_t>(i)] = readColumn(column, name, argument, what, nulls);
    });
    return all;
}

// Returns the columns themselves, as DOUBLE.
std::vector<Ref<Vector>> readVectors(const NamedValues& given, size_t argument, std::string_view what) {
    std::vector<Ref<Vector>> vectors;
    const size_t rows =
        !given.empty() && given[0].second.isTypedVector() ? static_cast<size_t>(given[0].second.size()) : 0;
    for (const auto& [name, column] : given) {
        checkColumn(column, name, rows, argument, what);
        vectors.push_back(cast(column.vector(), Type::Double));
    }
    return vectors;
}

NamedValues givenColumns(Arguments arguments, size_t i, std::string_view name) {
    NamedValues columns;
    const Value& given = arguments[i];
    const auto add = [&](Value column) {
        columns.emplace_back(fmt::format("col{}", columns.size()), std::move(column));
    };
    if (given.isTable()) {
        const Ref<MemoryTable> table = tableToRead(given);
        if (!table) throw UserError(static_cast<int>(i), fmt::format("{} must be in memory.", name), "Select from it.");
        for (int c = 0; c < table->columnCount(); ++c)
            columns.emplace_back(table->columns()[static_cast<size_t>(c)].name, table->column(c));
    } else if (given.isTuple()) {
        for (const Value& column : given.tuple().elements) add(column);
    } else if (given.isMatrix()) {
        for (int64_t c = 0; c < given.matrix().columns; ++c) add(Value::of(given.matrix().column(c)));
    } else if (given.isTypedVector()) {
        add(given);
    } else {
        refuseArgument(i, name, "a table, a matrix, a vector, or a tuple of vectors", given);
    }
    if (columns.empty()) refuseArgument(i, name, "one column or more", given);
    return columns;
}

NamedValues givenByName(const Value& given, size_t argument, const std::vector<std::string>& names) {
    const Ref<MemoryTable> table = tableToRead(given);
    if (!table) refuseArgument(argument, "ds", "a table in memory", given);
    NamedValues columns;
    for (const std::string& name : names) {
        const int column = table->findColumn(name);
        if (column < 0) throw UserError(static_cast<int>(argument), fmt::format("The table has no column {}.", name));
        columns.emplace_back(name, table->column(column));
    }
    return columns;
}

}  // namespace

std::vector<double> NumberColumns::row(size_t i) const {
    std::vector<double> cells;
    cells.reserve(columns.size());
    for (const auto& column : columns) cells.push_back(column[i]);
    return cells;
}

Value NumberColumns::asMatrix() const {
    Ref<Vector> cells = Vector::make(Type::Double, static_cast<int64_t>(rows * columns.size()));
    double* out = cells->mutableData<double>();
    for (const auto& column : columns) out = std::copy(column.begin(), column.end(), out);
    return Value::of(
        makeRef<Matrix>(std::move(cells), static_cast<int64_t>(rows), static_cast<int64_t>(columns.size())));
}

NumberColumns columnsArgument(Arguments arguments, size_t i, std::string_view name, NullCells nulls) {
    return readColumns(givenColumns(arguments, i, name), i, name, nulls);
}

std::vector<Ref<Vector>> columnVectors(Arguments arguments, size_t i, std::string_view name) {
    return readVectors(givenColumns(arguments, i, name), i, name);
}

NumberColumns factorsArgument(Arguments arguments, size_t i, std::string_view name, size_t rows, NullCells nulls) {
    NumberColumns all = columnsArgument(arguments, i, name, nulls);
    if (all.rows == rows) return all;
    if (!arguments[i].isMatrix() || all.width() != rows)
        throw UserError(static_cast<int>(i), fmt::format("{} has {} rows for {} observations.", name, all.rows, rows));
    NumberColumns turned;
    turned.rows = rows;
    for (size_t r = 0; r < all.rows; ++r) {
        turned.columns.push_back(all.row(r));
        turned.names.push_back(fmt::format("col{}", r));
    }
    return turned;
}

std::vector<double> columnArgument(Arguments arguments, size_t i, std::string_view name, NullCells nulls) {
    if (!arguments[i].isTypedVector()) refuseArgument(i, name, "a vector of numbers", arguments[i]);
    return std::move(columnsArgument(arguments, i, name, nulls).columns[0]);
}

NumberColumns namedColumns(const Value& given, size_t argument, const std::vector<std::string>& names,
                           NullCells nulls) {
    return readColumns(givenByName(given, argument, names), argument, "the table", nulls);
}

std::vector<Ref<Vector>> namedVectors(const Value& given, size_t argument, const std::vector<std::string>& names) {
    return readVectors(givenByName(given, argument, names), argument, "the table");
}

Value gatheredTable(Context& context, Arguments arguments, size_t i) {
    const Value& given = arguments[i];
    if (given.isTable()) {
        if (!tableToRead(given))
            throw UserError(static_cast<int>(i), "A partitioned table is read as data sources.",
                            "Give sqlDS(<select * from t>).");
        return given;
    }
    const bool isSources = given.type() == Type::DataSource ||
                           (given.isTuple() && given.size() > 0 && given.at(0).type() == Type::DataSource);
    if (!isSources) refuseArgument(i, "ds", "a table or data sources as sqlDS gives them", given);
    const BuiltinFunction& rows = FunctionRegistry::instance().get("copy");
    const Value parts =
        callNamed(context, "mr", {given, Value::of(Ref<Function>(const_cast<BuiltinFunction*>(&rows)))});
    Value all = parts;
    if (parts.isTuple() || (parts.isVector() && !parts.isTable()))
        all = callNamed(context, "unionAll", {parts, Value::ofBool(false)});
    if (!tableToRead(all)) refuseArgument(i, "ds", "data sources of tables", given);
    return all;
}

Value matrixOf(const std::vector<double>& cells, size_t rows, size_t columns) {
    return Value::of(
        makeRef<Matrix>(Vector::of(Type::Double, cells), static_cast<int64_t>(rows), static_cast<int64_t>(columns)));
}

NumberMatrix matrixArgument(Arguments arguments, size_t i, std::string_view name, bool vectorIsRow) {
    const NumberColumns all = columnsArgument(arguments, i, name, NullCells::Refused);
    NumberMatrix matrix{{}, all.rows, all.width()};
    for (const auto& column : all.columns) matrix.cells.insert(matrix.cells.end(), column.begin(), column.end());
    if (vectorIsRow && arguments[i].isTypedVector()) std::swap(matrix.rows, matrix.columns);
    return matrix;
}

}  // namespace pelorus
