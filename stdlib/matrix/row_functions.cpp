// rowSum and its relations: over the rows of a matrix, of a table, or of several vectors. FAM-06.
#include <algorithm>
#include <vector>

#include "runtime/array_vector.h"
#include "runtime/dictionary.h"
#include "runtime/kernel/aggregate.h"
#include "runtime/kernel/assemble.h"
#include "runtime/kernel/elementwise.h"
#include "runtime/kernel/row_index.h"
#include "runtime/table.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moments.h"

namespace pelorus {

namespace {

// The columns a row runs across: of one matrix, table or tuple, or the arguments themselves.
std::vector<Value> columnsOf(Arguments a) {
    std::vector<Value> columns;
    for (const Value& v : a) {
        if (isOmitted(v)) continue;
        if (v.isMatrix()) {
            for (int64_t c = 0; c < v.matrix().columns; ++c) columns.push_back(Value::of(v.matrix().column(c)));
        } else if (v.isTable()) {
            auto* table = dynamic_cast<MemoryTable*>(&v.table());
            if (!table) throw UserError("A partitioned table can't be walked by row.", "Select from it first.");
            for (int c = 0; c < table->columnCount(); ++c) {
                if (isNumeric(table->column(c).type())) columns.push_back(table->column(c));
            }
        } else if (v.isTuple()) {
            for (const Value& item : v.tuple().items) columns.push_back(item);
        } else {
            columns.push_back(v);
        }
    }
    return columns;
}

int64_t rowCountOf(const std::vector<Value>& columns) {
    int64_t rows = -1;
    for (const Value& column : columns) {
        if (column.isScalar()) continue;
        if (rows >= 0 && column.size() != rows) {
            throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", rows, column.size()));
        }
        rows = column.size();
    }
    return rows;
}

// Calls the named aggregate on each row. Rows are collected column by column, so that a row costs no more than its
// items.
Value byRows(Context& context, std::string_view function, const std::vector<Value>& columns) {
    int64_t rows = rowCountOf(columns);
    const BuiltinFunction& f = FunctionRegistry::instance().get(function);
    if (MakeState make = f.makeState()) {
        // Row i is group i of the aggregate: each column adds one item to every group.
        Type type = columns[0].type();
        for (const Value& column : columns) {
            if (isFloating(column.type())) type = Type::Double;
        }
        if (!isFloating(type) && isNumeric(type)) {
            for (const Value& column : columns) type = std::max(type, column.type());
        }
        int64_t count = std::max<int64_t>(rows, 1);
        std::unique_ptr<GroupedState> state = make({&type, 1});
        state->resize(count);
        std::vector<int32_t> groups(static_cast<size_t>(count));
        for (size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int32_t>(i);
        for (const Value& column : columns) {
            Value typed = column.type() == type || isLiteral(type) ? column : cast(column, type);
            state->add({&typed, 1}, groups.data(), count);
        }
        Value results = state->results();
        return rows < 0 ? results.at(0) : results;
    }
    std::vector<Value> results;
    for (int64_t r = 0; r < std::max<int64_t>(rows, 1); ++r) {
        std::vector<Value> items;
        for (const Value& column : columns) items.push_back(column.isScalar() ? column : column.at(r));
        std::vector<Value> call = {listOf(std::move(items))};
        results.push_back(f.call(context, call));
    }
    return rows < 0 ? results[0] : listOf(std::move(results));
}

// The rows of an array vector or columnar tuple; nullptr for other values.
Ref<ArrayVector> rowsOf(const Value& v) {
    if (v.isArrayVector()) return Ref<ArrayVector>(&v.arrayVector());
    if (!isRowwise(v) || v.size() == 0 || !canBeInArrayVector(v.at(0).type())) return Ref<ArrayVector>();
    const Value rows = cast(v, arrayTypeOf(v.at(0).type()));
    return Ref<ArrayVector>(&rows.arrayVector());
}

// Row i is group i of the aggregate.
Value byRowsOfArray(Context& context, std::string_view function, const ArrayVector& rows) {
    const BuiltinFunction& f = FunctionRegistry::instance().get(function);
    if (MakeState make = f.makeState()) {
        const Type type = rows.itemType();
        std::unique_ptr<GroupedState> state = make({&type, 1});
        state->resize(rows.size());
        const Value values = Value::of(rows.values());
        state->add({&values, 1}, rows.rowOfValues()->items<int32_t>(), values.size());
        return state->results();
    }
    std::vector<Value> results;
    for (int64_t r = 0; r < rows.size(); ++r) {
        std::vector<Value> call = {Value::of(rows.row(r))};
        results.push_back(f.call(context, call));
    }
    return listOf(std::move(results));
}

struct RowFunction {
    const char* name;
    const char* aggregate;
    const char* summary;
    const char* example;
};
constexpr RowFunction kAggregates[] = {
    {"rowSum(X, X1...)", "sum", "The sum of each row.", "rowSum(1 2, 3 4) -> [4,6]"},
    {"rowAvg(X, X1...)", "avg", "The mean of each row.", "rowAvg(1 2, 3 4) -> [2,3]"},
    {"rowMin(X, X1...)", "min", "The smallest item of each row.", "rowMin(1 5, 3 4) -> [1,4]"},
    {"rowMax(X, X1...)", "max", "The largest item of each row.", "rowMax(1 5, 3 4) -> [3,5]"},
    {"rowCount(X, X1...)", "count", "How many items of each row are not NULL.", "rowCount(1 NULL, 3 4) -> [2,1]"},
    {"rowStd(X, X1...)", "std", "The standard deviation of each row.", "rowStd(1 2, 3 2) -> [1.414214,0]"},
    {"rowStdp(X, X1...)", "stdp", "The population's deviation of each row.", "rowStdp(1 2, 3 2) -> [1,0]"},
    {"rowVar(X, X1...)", "var", "The variance of each row.", "rowVar(1 2, 3 2) -> [2,0]"},
    {"rowVarp(X, X1...)", "varp", "The population's variance of each row.", "rowVarp(1 2, 3 2) -> [1,0]"},
    {"rowProd(X, X1...)", "prod", "The product of each row.", "rowProd(1 2, 3 4) -> [3,8]"},
    {"rowSum2(X, X1...)", "sum2", "The sum of squares of each row.", "rowSum2(1 2, 3 4) -> [10,20]"},
    {"rowSize(X, X1...)", "size", "How many items each row has.", "rowSize(1 2, 3 4) -> [2,2]"},
    {"rowFirstNot(X, X1...)", "firstNot", "The first item of each row that is not NULL.",
     "rowFirstNot(NULL 2, 3 4) -> [3,2]"},
    {"rowLastNot(X, X1...)", "lastNot", "The last item of each row that is not NULL.",
     "rowLastNot(1 2, NULL 4) -> [1,4]"},
    {"rowImin(X, X1...)", "imin", "Which item of each row is the smallest, from 0.", "rowImin(1 5, 3 4) -> [0,1]"},
    {"rowImax(X, X1...)", "imax", "Which item of each row is the largest, from 0.", "rowImax(1 5, 3 4) -> [1,0]"},
    {"rowSkew(X, X1...)", "skew", "The skewness of each row.", ""},
    {"rowKurtosis(X, X1...)", "kurtosis", "The kurtosis of each row.", ""},
    {"rowMed(X, X1...)", "med", "The median of each row.", "rowMed(1 5, 3 4, 2 9) -> [2,5]"},
};

template <size_t kIndex>
Value rowKernel(Context& context, Arguments a) {
    if (a.size() == 1) {
        if (Ref<ArrayVector> rows = rowsOf(a[0])) return byRowsOfArray(context, kAggregates[kIndex].aggregate, *rows);
    }
    std::vector<Value> columns = columnsOf(a);
    if (columns.empty()) throw UserError("There are no columns to walk by row.");
    return byRows(context, kAggregates[kIndex].aggregate, columns);
}

template <size_t... kIndex>
void addAggregates(FunctionRegistry& registry, std::index_sequence<kIndex...>) {
    (registry.add(kAggregates[kIndex].name, rowKernel<kIndex>,
                  {.summary = kAggregates[kIndex].summary,
                   .parameters = "X: a matrix, a table (its numeric columns), a tuple of vectors, or several vectors.",
                   .nulls = "As the aggregate takes them.",
                   .errors = "The vectors differ in length.",
                   .example = kAggregates[kIndex].example},
                  kElementwise),
     ...);
}

// Items of a row folded by an operator.
template <Operator kOperator>
Value foldKernel(Context&, Arguments a) {
    std::vector<Value> columns = columnsOf(a);
    if (columns.empty()) throw UserError("There are no columns to walk by row.");
    Value result = cast(columns[0], Type::Bool);
    for (size_t i = 1; i < columns.size(); ++i) result = applyBinary(kOperator, result, cast(columns[i], Type::Bool));
    return result;
}

// Row by row of array vectors; the other side may have one item per row, or weights for the positions of a row.
template <class State>
Value arrayPairs(Arguments a, const Ref<ArrayVector>& left, const Ref<ArrayVector>& right, bool weights) {
    const ArrayVector& shape = left ? *left : *right;
    if (left && right && !left->sameRows(*right)) {
        throw UserError(1, "The rows of X and Y differ in length.");
    }
    const bool positions = weights && a[1].isTypedVector() && a[1].size() != shape.size();
    auto number = [&](size_t side, const Ref<ArrayVector>& rows, int64_t r, int64_t i) {
        if (rows) return rows->values()->asDouble(rows->begin(r) + i);
        const Value& v = a[side];
        if (v.isScalar()) return v.asDouble();
        if (!v.isTypedVector()) refuseArgument(side, side == 0 ? "X" : "Y", "an array vector or a vector", v);
        const int64_t p = positions ? i : r;
        return p < v.size() ? v.vector().asDouble(p) : null<double>;
    };
    Ref<Vector> out = Vector::make(Type::Double, shape.size());
    for (int64_t r = 0; r < shape.size(); ++r) {
        State state;
        for (int64_t i = 0; i < shape.rowSize(r); ++i) {
            const double p = number(0, left, r, i), q = number(1, right, r, i);
            if (!isNull(p) && !isNull(q)) state.add(p, q);
        }
        out->mutableItems<double>()[r] = state.result();
    }
    return Value::of(out);
}

// Two matrices, tables or tuples row by row.
template <class State>
Value rowPairs(Arguments a, bool weights) {
    Ref<ArrayVector> left = rowsOf(a[0]), right = rowsOf(a[1]);
    if (left || right) return arrayPairs<State>(a, left, right, weights);
    std::vector<Value> x = columnsOf(a.first(1)), y = columnsOf(a.subspan(1, 1));
    bool oneWeightPerColumn = weights && a[1].isTypedVector() && a[1].size() == static_cast<int64_t>(x.size()) &&
                              (x.size() > 1 || a[0].isMatrix());
    int64_t rows = std::max(rowCountOf(x), oneWeightPerColumn ? int64_t{-1} : rowCountOf(y));
    if (!oneWeightPerColumn && y.size() != x.size()) {
        throw UserError(1, fmt::format("X and Y differ in columns: {} and {}.", x.size(), y.size()));
    }
    Ref<Vector> out = Vector::make(Type::Double, std::max<int64_t>(rows, 1));
    for (int64_t r = 0; r < out->size(); ++r) {
        State state;
        for (size_t c = 0; c < x.size(); ++c) {
            auto number = [&](const Value& v) { return v.isScalar() ? v.asDouble() : v.vector().asDouble(r); };
            double p = number(x[c]),
                   q = oneWeightPerColumn ? a[1].vector().asDouble(static_cast<int64_t>(c)) : number(y[c]);
            if (!isNull(p) && !isNull(q)) state.add(p, q);
        }
        out->mutableItems<double>()[r] = state.result();
    }
    return Value::of(out);
}

}  // namespace

void registerRowFunctions(FunctionRegistry& registry) {
    addAggregates(registry, std::make_index_sequence<std::size(kAggregates)>());
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        registry.add(
            syntax, kernel,
            {.summary = summary, .nulls = "Skipped.", .errors = "The vectors differ in length.", .example = example},
            kElementwise);
    };
    add("rowAnd(X, X1...)", foldKernel<Operator::And>, "Whether all items of each row are true.",
        "rowAnd(true true, true false) -> [true,false]");
    add("rowOr(X, X1...)", foldKernel<Operator::Or>, "Whether an item of each row is true.",
        "rowOr(true false, false false) -> [true,false]");
    add(
        "rowCorr(X, Y)", [](Context&, Arguments a) { return rowPairs<Correlation>(a, false); },
        "The correlation of each row of X with that of Y.",
        "rowCorr(matrix(1 1, 2 2, 3 3), matrix(2 3, 4 2, 6 1)) -> [1,-1]");
    add(
        "rowCovar(X, Y)", [](Context&, Arguments a) { return rowPairs<Covariance>(a, false); },
        "The covariance of each row of X with that of Y.", "");
    add(
        "rowBeta(Y, X)", [](Context&, Arguments a) { return rowPairs<Beta>(a, false); },
        "The slope of each row of Y on that of X.", "");
    add(
        "rowWsum(X, Y)", [](Context&, Arguments a) { return rowPairs<WeightedSum>(a, true); },
        "The sum of X * Y in each row; Y may be one weight per column.", "rowWsum(matrix(1 2, 3 4), 2 1) -> [5,8]");
    add(
        "rowWavg(X, Y)", [](Context&, Arguments a) { return rowPairs<WeightedMean>(a, true); },
        "The mean of each row of X weighted by Y; Y may be one weight per column.",
        "rowWavg(matrix(1 2, 3 4), 1 1) -> [2,3]");
}

}  // namespace pelorus
