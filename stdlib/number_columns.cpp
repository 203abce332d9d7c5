#include "stdlib/number_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

void addColumn(NumberColumns& all, const Value& column, std::string name, size_t argument, std::string_view what,
               NullCells nulls) {
    const bool isColumn = column.isTypedVector() && (isNumeric(column.type()) || isDecimal(column.type()));
    if (!isColumn)
        throw UserError(static_cast<int>(argument), fmt::format("The columns of {} must be numeric, but {} is {}.",
                                                                what, name, typeString(column)));
    const auto rows = static_cast<size_t>(column.size());
    if (!all.columns.empty() && rows != all.rows)
        throw UserError(static_cast<int>(argument),
                        fmt::format("The columns of {} differ in length: {} and {}.", what, all.rows, rows));
    all.rows = rows;
    const Ref<Vector> reals = cast(column.vector(), Type::Double);
    std::vector<double>& cells = all.columns.emplace_back(reals->data<double>(), reals->data<double>() + reals->size());
    if (nulls != NullCells::Kept) {
        for (double& cell : cells) {
            if (!isNull(cell)) continue;
            if (nulls == NullCells::Refused)
                throw UserError(static_cast<int>(argument),
                                fmt::format("{} must be without NULL, but {} holds one.", what, name),
                                "Fill it, for example with nullFill, or leave the row out.");
            cell = 0;
        }
    }
    all.names.push_back(std::move(name));
    checkCancelled();
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
    NumberColumns all;
    const Value& given = arguments[i];
    const auto numbered = [&] { return fmt::format("col{}", all.columns.size()); };
    if (given.isTable()) {
        const Ref<MemoryTable> table = tableToRead(given);
        if (!table) throw UserError(static_cast<int>(i), fmt::format("{} must be in memory.", name), "Select from it.");
        for (int c = 0; c < table->columnCount(); ++c)
            addColumn(all, table->column(c), table->columns()[static_cast<size_t>(c)].name, i, name, nulls);
    } else if (given.isTuple()) {
        for (const Value& column : given.tuple().elements) addColumn(all, column, numbered(), i, name, nulls);
    } else if (given.isMatrix()) {
        for (int64_t c = 0; c < given.matrix().columns; ++c)
            addColumn(all, Value::of(given.matrix().column(c)), numbered(), i, name, nulls);
    } else if (given.isTypedVector()) {
        addColumn(all, given, numbered(), i, name, nulls);
    } else {
        refuseArgument(i, name, "a table, a matrix, a vector, or a tuple of vectors", given);
    }
    if (all.columns.empty()) refuseArgument(i, name, "one column or more", given);
    return all;
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
    const Ref<MemoryTable> table = tableToRead(given);
    if (!table) refuseArgument(argument, "ds", "a table in memory", given);
    NumberColumns all;
    for (const std::string& name : names) {
        const int column = table->findColumn(name);
        if (column < 0) throw UserError(static_cast<int>(argument), fmt::format("The table has no column {}.", name));
        addColumn(all, table->column(column), name, argument, "the table", nulls);
    }
    return all;
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
