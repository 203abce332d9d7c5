// rowSum and related functions: over the rows of a matrix, of a table, or of several vectors.
#include <algorithm>
#include <vector>

#include "common/thread/cancellation.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/elementwise/alignment.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moments.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// The columns a row runs across: of one matrix, table or tuple, or the arguments themselves.
std::vector<Value> columnsAcross(Arguments a) {
    std::vector<Value> columns;
    for (const Value& v : a) {
        if (isOmitted(v)) continue;
        if (v.isMatrix()) {
            for (int64_t c = 0; c < v.matrix().columns; ++c) columns.push_back(Value::of(v.matrix().column(c)));
        } else if (v.isTable()) {
            const Ref<MemoryTable> table = tableToRead(v);
            if (!table) throw UserError("A partitioned table can't be walked by row.", "Select from it first.");
            for (int c = 0; c < table->columnCount(); ++c) {
                if (isNumeric(table->column(c).type())) columns.push_back(table->column(c));
            }
        } else if (v.isTuple()) {
            for (const Value& element : v.tuple().elements) columns.push_back(element);
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

// The result for no rows: an empty vector of the type that the aggregate has for a row of this element type.
Value resultOfNoRows(Context& context, const BuiltinFunction& f, Type elements) {
    auto isPlain = [](Type t) { return storageOf(t) != Storage::Boxed && storageOf(t) != Storage::None; };
    if (!isPlain(elements)) return listOf({});
    std::vector<Value> call = {Value::of(Vector::filled(elements, 1, Value()))};
    const Type type = f.call(context, call).type();
    return isPlain(type) ? Value::of(Vector::make(type, 0)) : listOf({});
}

// Calls the named aggregate on each row. Rows are collected column by column: O(1) per element.
Value byRows(Context& context, std::string_view function, const std::vector<Value>& columns) {
    int64_t rows = rowCountOf(columns);
    for (const Value& column : columns) {
        if (column.isArrayVector()) throw UserError(0, "An array vector cannot be one of several columns.");
    }
    const BuiltinFunction& f = FunctionRegistry::instance().get(function);
    if (MakeState make = f.makeState()) {
        // Row i is group i of the aggregate: each column adds one element to every group.
        Type type = Type::Void;
        uint8_t scale = kSourceScale;
        for (const Value& column : columns) {
            type = commonType(type, column.type());
            if (!isDecimal(column.type())) continue;
            const uint8_t here = column.isScalar() ? column.extra() : static_cast<uint8_t>(column.vector().scale());
            scale = scale == kSourceScale ? here : std::max(scale, here);
        }
        if (type == Type::Any) type = columns[0].type();
        int64_t count = rows < 0 ? 1 : rows;
        std::unique_ptr<GroupedState> state = make({&type, 1});
        if (count == 0) {
            state->resize(1);
            const Value none = cast(Value::of(Vector::make(type, 0)), type, scale);
            state->add({&none, 1}, nullptr, 0);
            return Value::of(state->results().vector().slice(0, 0));
        }
        state->resize(count);
        std::vector<int32_t> groups(static_cast<size_t>(count));
        for (size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int32_t>(i);
        for (const Value& column : columns) {
            checkCancelled();
            const Value typed = column.type() == type && !isDecimal(type) ? column : cast(column, type, scale);
            state->add({&typed, 1}, groups.data(), count);
        }
        Value results = state->results();
        return rows < 0 ? results.at(0) : results;
    }
    if (rows == 0) return resultOfNoRows(context, f, columns[0].type());
    std::vector<Value> results;
    for (int64_t r = 0; r < (rows < 0 ? 1 : rows); ++r) {
        checkCancelled();
        std::vector<Value> elements;
        for (const Value& column : columns) elements.push_back(column.isScalar() ? column : column.at(r));
        std::vector<Value> call = {listOf(std::move(elements))};
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
        const Type type = rows.elementType();
        std::unique_ptr<GroupedState> state = make({&type, 1});
        state->resize(rows.size());
        const Value values = Value::of(rows.values());
        state->add({&values, 1}, rows.rowOfValues()->data<int32_t>(), values.size());
        return state->results();
    }
    if (rows.size() == 0) return resultOfNoRows(context, f, rows.elementType());
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
    TypeRule gives = is(Type::Double);
};
constexpr RowFunction kAggregates[] = {
    {"rowSum(X, X1...)", "sum", "The sum of each row.", "rowSum(1 2, 3 4) -> [4,6]", sumOf(kAll)},
    {"rowAvg(X, X1...)", "avg", "The mean of each row.", "rowAvg(1 2, 3 4) -> [2,3]"},
    {"rowMin(X, X1...)", "min", "The smallest element of each row.", "rowMin(1 5, 3 4) -> [1,4]", same(kAll)},
    {"rowMax(X, X1...)", "max", "The largest element of each row.", "rowMax(1 5, 3 4) -> [3,5]", same(kAll)},
    {"rowCount(X, X1...)", "count", "How many elements of each row are not NULL.", "rowCount(1 NULL, 3 4) -> [2,1]",
     is(Type::Int)},
    {"rowStd(X, X1...)", "std", "The standard deviation of each row.", "rowStd(1 2, 3 2) -> [1.414214,0]"},
    {"rowStdp(X, X1...)", "stdp", "The population's deviation of each row.", "rowStdp(1 2, 3 2) -> [1,0]"},
    {"rowVar(X, X1...)", "var", "The variance of each row.", "rowVar(1 2, 3 2) -> [2,0]"},
    {"rowVarp(X, X1...)", "varp", "The population's variance of each row.", "rowVarp(1 2, 3 2) -> [1,0]"},
    {"rowProd(X, X1...)", "prod", "The product of each row.", "rowProd(1 2, 3 4) -> [3,8]", productOf(kAll)},
    {"rowSum2(X, X1...)", "sum2", "The sum of squares of each row.", "rowSum2(1 2, 3 4) -> [10,20]"},
    {"rowSize(X, X1...)", "size", "How many elements each row has.", "rowSize(1 2, 3 4) -> [2,2]", is(Type::Int)},
    {"rowFirstNot(X, X1...)", "firstNot", "The first element of each row that is not NULL.",
     "rowFirstNot(NULL 2, 3 4) -> [3,2]", same(kAll)},
    {"rowLastNot(X, X1...)", "lastNot", "The last element of each row that is not NULL.",
     "rowLastNot(1 2, NULL 4) -> [1,4]", same(kAll)},
    {"rowImin(X, X1...)", "imin", "Which element of each row is the smallest, from 0.", "rowImin(1 5, 3 4) -> [0,1]",
     is(Type::Int)},
    {"rowImax(X, X1...)", "imax", "Which element of each row is the largest, from 0.", "rowImax(1 5, 3 4) -> [1,0]",
     is(Type::Int)},
    {"rowSkew(X, X1...)", "skew", "The skewness of each row.", "rowSkew(1 2, 2 5, 9 7) -> [0.665469,-0.239063]"},
    {"rowKurtosis(X, X1...)", "kurtosis", "The kurtosis of each row.",
     "rowKurtosis(1 2, 2 5, 9 7, 1 1) -> [2.290721,1.395604]"},
    {"rowImaxLast(X, X1...)", "imaxLast", "Which element of each row is the last of the largest, from 0.",
     "rowImaxLast(1 5, 1 4) -> [1,0]", is(Type::Int)},
    {"rowIminLast(X, X1...)", "iminLast", "Which element of each row is the last of the smallest, from 0.",
     "rowIminLast(1 5, 1 4) -> [1,1]", is(Type::Int)},
    {"rowMed(X, X1...)", "med", "The median of each row.", "rowMed(1 5, 3 4, 2 9) -> [2,5]"},
};

template <size_t kIndex>
Value rowKernel(Context& context, Arguments a) {
    if (a.size() == 1) {
        if (Ref<ArrayVector> rows = rowsOf(a[0])) return byRowsOfArray(context, kAggregates[kIndex].aggregate, *rows);
    }
    std::vector<Value> columns = columnsAcross(a);
    if (columns.empty()) throw UserError("There are no columns to walk by row.");
    return byRows(context, kAggregates[kIndex].aggregate, columns);
}

template <size_t... kIndex>
void addAggregates(FunctionRegistry& registry, std::index_sequence<kIndex...>) {
    (registry.add(kAggregates[kIndex].name, rowKernel<kIndex>,
                  {.summary = kAggregates[kIndex].summary,
                   .parameters = "X: a matrix, a table (its numeric columns), a tuple of vectors, or a vector\n"
                                 "X1: more columns, as long",
                   .nulls = "As the aggregate takes them.",
                   .errors = "The vectors differ in length.",
                   .example = kAggregates[kIndex].example},
                  {.gives = kAggregates[kIndex].gives, .kind = FunctionKind::RowWise}),
     ...);
}

// Folds the elements of each row by an operator.
template <Operator kOperator>
Value foldKernel(Context&, Arguments a) {
    std::vector<Value> columns = columnsAcross(a);
    if (columns.empty()) throw UserError("There are no columns to walk by row.");
    Value result = cast(columns[0], Type::Bool);
    for (size_t i = 1; i < columns.size(); ++i) result = applyBinary(kOperator, result, cast(columns[i], Type::Bool));
    return result;
}

// Returns whether a vector has one element per column of a matrix.
bool isOnePerColumn(const Value& v, const Value& other) {
    return v.isTypedVector() && other.isMatrix() && v.size() == other.matrix().columns;
}

// Returns element r of one of the columns that columnsAcross returned; a scalar repeats.
double numberAt(const Value& column, int64_t r) {
    return column.isScalar() ? column.asDouble() : column.vector().asDouble(r);
}

// Combines array vectors row by row; a vector on the other side pairs with each row, position by position.
template <class State>
Value arrayPairs(Arguments a, const Ref<ArrayVector>& left, const Ref<ArrayVector>& right) {
    const ArrayVector& shape = left ? *left : *right;
    if (left && right && !left->sameRows(*right)) {
        throw UserError(1, "The rows of X and Y differ in length.");
    }
    auto number = [&](size_t side, const Ref<ArrayVector>& rows, int64_t r, int64_t i) {
        if (rows) return rows->values()->asDouble(rows->begin(r) + i);
        const Value& v = a[side];
        if (v.isScalar()) return v.asDouble();
        if (!v.isTypedVector()) refuseArgument(side, side == 0 ? "X" : "Y", "an array vector or a vector", v);
        return v.size() == shape.rowSize(r) ? v.vector().asDouble(i) : null<double>;
    };
    Ref<Vector> out = Vector::make(Type::Double, shape.size());
    for (int64_t r = 0; r < shape.size(); ++r) {
        State state;
        for (int64_t i = 0; i < shape.rowSize(r); ++i) {
            const double p = number(0, left, r, i), q = number(1, right, r, i);
            if (!isNull(p) && !isNull(q)) state.add(p, q);
        }
        out->mutableData<double>()[r] = state.result();
    }
    return Value::of(out);
}

// Pairs two matrices, tables or tuples row by row; rows that only one of two indexed matrices has are NULL.
template <class State>
Value rowPairs(Context&, Arguments a) {
    Ref<ArrayVector> leftRows = rowsOf(a[0]), rightRows = rowsOf(a[1]);
    if (leftRows || rightRows) return arrayPairs<State>(a, leftRows, rightRows);
    Value left = a[0], right = a[1];
    bool series = left.isMatrix() && left.matrix().index == Matrix::Index::Series && right.isMatrix() &&
                  right.matrix().index == Matrix::Index::Series;
    if (!series) alignIndexed(left, right);
    bool flatLeft = isOnePerColumn(left, right), flatRight = isOnePerColumn(right, left);
    std::vector<Value> x, y;
    if (flatLeft) {
        for (int64_t c = 0; c < left.size(); ++c) x.push_back(left.at(c));
    } else {
        x = columnsAcross({&left, 1});
    }
    if (flatRight) {
        for (int64_t c = 0; c < right.size(); ++c) y.push_back(right.at(c));
    } else {
        y = columnsAcross({&right, 1});
    }
    // A vector of weights for several vectors in a tuple or table also has one element per column.
    bool weights =
        right.isTypedVector() && x.size() > 1 && y.size() == 1 && right.size() == static_cast<int64_t>(x.size());
    if (weights) {
        y.clear();
        for (int64_t c = 0; c < right.size(); ++c) y.push_back(right.at(c));
    }
    if (y.size() != x.size())
        throw UserError(1, fmt::format("X and Y differ in columns: {} and {}.", x.size(), y.size()));
    int64_t rows = std::max(rowCountOf(x), rowCountOf(y));
    if (rowCountOf(x) >= 0 && rowCountOf(y) >= 0 && rowCountOf(x) != rowCountOf(y)) {
        throw UserError(
            1, fmt::format("The vectors don't have the same length: {} and {}.", rowCountOf(x), rowCountOf(y)));
    }
    Ref<Vector> out = Vector::make(Type::Double, rows < 0 ? 1 : rows);  // scalars alone are one row
    for (int64_t r = 0; r < out->size(); ++r) {
        State state;
        for (size_t c = 0; c < x.size(); ++c) {
            double p = numberAt(x[c], r), q = numberAt(y[c], r);
            if (!isNull(p) && !isNull(q)) state.add(p, q);
        }
        out->mutableData<double>()[r] = state.result();
    }
    return Value::of(out);
}

// The built-in over each row, in the form of X: the rows of X become the columns of one call.
Value alongRows(Context& context, std::string_view function, Arguments a) {
    const BuiltinFunction& f = FunctionRegistry::instance().get(function);
    const Value& x = a[0];
    std::vector<Value> call(a.begin(), a.end());
    if (isRowwise(x)) {
        for (const Value& other : a) {
            if (isRowwise(other) && other.size() != x.size()) {
                throw UserError(fmt::format("The arguments differ in rows: {} and {}.", x.size(), other.size()));
            }
        }
        std::vector<Value> rows;
        for (int64_t r = 0; r < x.size(); ++r) {
            for (size_t i = 0; i < call.size(); ++i) call[i] = isRowwise(a[i]) ? a[i].at(r) : a[i];
            rows.push_back(f.call(context, call));
        }
        return rowsFrom(std::move(rows), x.isTuple());
    }
    bool columnwise = x.isMatrix() || x.isTable() || x.isTuple();
    if (!columnwise) {
        if (!x.isVector()) refuseArgument(0, "X", "a matrix, a table or a tuple", x);
        return f.call(context, call);
    }
    std::vector<Value> columns = columnsOf(x);
    auto transposed = [](const std::vector<Value>& lines) {
        Value matrix = assemble(lines);
        if (!matrix.isMatrix()) return matrix;
        std::vector<Value> across;
        for (int64_t r = 0; r < matrix.matrix().rows; ++r) {
            std::vector<int64_t> positions;
            for (int64_t c = 0; c < matrix.matrix().columns; ++c) positions.push_back(c * matrix.matrix().rows + r);
            across.push_back(Value::of(matrix.matrix().cells->gather(positions.data(), matrix.matrix().columns)));
        }
        return Value::of(makeRef<Tuple>(std::move(across)));
    };
    Value rows = transposed(columns);
    if (!rows.isTuple()) throw UserError(0, "The columns of X must be vectors of one length and kind.");
    Value turned = assemble(rows.tuple().elements);
    for (size_t i = 0; i < call.size(); ++i) {
        bool alike = i == 0 || (call[i].isMatrix() && x.isMatrix()) || (call[i].isTuple() && x.isTuple());
        if (alike) call[i] = i == 0 ? turned : assemble(transposed(columnsOf(call[i])).tuple().elements);
    }
    Value result = f.call(context, call);
    if (!result.isMatrix()) return result;
    return columnsLike(transposed(columnsOf(result)).tuple().elements, x);
}

struct AlongRows {
    const char* syntax;
    const char* function;
    const char* summary;
    const char* example;
};
constexpr AlongRows kAlongRows[] = {
    {"rowCumsum(X)", "cumsum", "The running sum along each row.", "flatten(rowCumsum(matrix(1 2, 3 4))) -> [1,2,4,6]"},
    {"rowCumprod(X)", "cumprod", "The running product along each row.",
     "flatten(rowCumprod(matrix(1 2, 3 4))) -> [1,2,3,8]"},
    {"rowCummax(X)", "cummax", "The largest element so far along each row.",
     "flatten(rowCummax(matrix(1 5, 3 4))) -> [1,5,3,5]"},
    {"rowCummin(X)", "cummin", "The smallest element so far along each row.",
     "flatten(rowCummin(matrix(1 5, 3 4))) -> [1,5,1,4]"},
    {"rowCumwsum(X, Y)", "cumwsum", "The running sum of X * Y along each row.",
     "flatten(rowCumwsum(matrix(1 2, 3 4), matrix(1 1, 2 2))) -> [1,2,7,10]"},
    {"rowPrev(X)", "prev", "The previous element along each row.", "flatten(rowPrev(matrix(1 2, 3 4))) -> [,,1,2]"},
    {"rowNext(X)", "next", "The next element along each row.", "flatten(rowNext(matrix(1 2, 3 4))) -> [3,4,,]"},
    {"rowMove(X, steps)", "move", "Each row moved by `steps` columns.",
     "flatten(rowMove(matrix(1 2, 3 4), 1)) -> [,,1,2]"},
    {"rowRank(X, [ascending=true], [groupNum], [ignoreNA=true], [tiesMethod='min'], [percent=false], [precision])",
     "rank", "The rank of each element in its row, from 0.", "flatten(rowRank(matrix(1 5, 3 4))) -> [0,1,1,0]"},
    {"rowDenseRank(X, [ascending=true], [ignoreNA=true], [percent=false])", "denseRank",
     "The rank of each element in its row without gaps, from 0.",
     "flatten(rowDenseRank(matrix(1 5, 3 4))) -> [0,1,1,0]"},
};

template <size_t kIndex>
Value alongRowsKernel(Context& context, Arguments a) {
    return alongRows(context, kAlongRows[kIndex].function, a);
}

constexpr std::string_view kAlongLines =
    "X: a matrix, a table or a tuple of vectors; the result has its form\n"
    "ascending: true ranks from the smallest on, false from the largest\n"
    "groupNum: into how many groups of about equal size the elements are divided, as an integer; no groups when "
    "omitted\n"
    "ignoreNA: true gives NULL no rank; false ranks it as the smallest\n"
    "tiesMethod: the rank of equal elements: their min, max or average, or by their position: first\n"
    "percent: true gives the rank as a part of the number of elements, as DOUBLE\n"
    "precision: to how many decimals elements are compared, from 1 to 15; exactly when omitted";

template <size_t... kIndex>
void addAlongRows(FunctionRegistry& registry, std::index_sequence<kIndex...>) {
    (registry.add(kAlongRows[kIndex].syntax, alongRowsKernel<kIndex>,
                  {.summary = kAlongRows[kIndex].summary,
                   .parameters = parameterLines(kAlongRows[kIndex].syntax, kAlongLines),
                   .nulls = "As the function of columns takes them.",
                   .errors = "The vectors differ in length.",
                   .example = kAlongRows[kIndex].example}),
     ...);
}

Value rowXorKernel(Context&, Arguments a) {
    std::vector<Value> columns = columnsAcross(a);
    if (columns.empty()) throw UserError("There are no columns to walk by row.");
    Value result = cast(columns[0], Type::Bool);
    for (size_t i = 1; i < columns.size(); ++i)
        result = applyBinary(Operator::Ne, result, cast(columns[i], Type::Bool));
    return result;
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "rowAnd.X: a vector, matrix, table or tuple of vectors of BOOL or numbers\n"
    "rowAnd.X1: more columns, as long\n"
    "rowOr.X: a vector, matrix, table or tuple of vectors of BOOL or numbers\n"
    "rowOr.X1: more columns, as long\n"
    "rowXor.X: a vector, matrix, table or tuple of vectors of BOOL or numbers\n"
    "rowXor.X1: more columns, as long";

void registerRowFunctions(FunctionRegistry& registry) {
    addAggregates(registry, std::make_index_sequence<std::size(kAggregates)>());
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   TypeRule gives = is(Type::Double)) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = "Skipped.",
                      .errors = "The vectors differ in length.",
                      .example = example},
                     {.gives = gives, .kind = FunctionKind::RowWise});
    };
    add("rowAnd(X, X1...)", foldKernel<Operator::And>, "Whether all elements of each row are true.",
        "rowAnd(true true, true false) -> [true,false]", is(Type::Bool));
    add("rowOr(X, X1...)", foldKernel<Operator::OrIgnoringNull>, "Whether an element of each row is true.",
        "rowOr(true false, false false) -> [true,false]", is(Type::Bool));
    add("rowXor(X, X1...)", rowXorKernel, "Whether an odd number of elements of each row is true.",
        "rowXor(true false, true true) -> [false,true]", is(Type::Bool));
    add("rowCorr(X, Y)", rowPairs<Correlation>, "The correlation of each row of X with that of Y.",
        "rowCorr(matrix(1 1, 2 2, 3 3), matrix(2 3, 4 2, 6 1)) -> [1,-1]");
    add("rowCovar(X, Y)", rowPairs<Covariance>, "The sample's covariance of each row of X with that of Y.",
        "rowCovar(matrix(1 1, 3 3), matrix(2 3, 4 1)) -> [2,-2]");
    add("rowCovarp(X, Y)", rowPairs<PopulationCovariance>,
        "The population's covariance of each row of X with that of Y.",
        "rowCovarp(matrix(1 1, 3 3), matrix(2 3, 4 1)) -> [1,-1]");
    add("rowBeta(Y, X)", rowPairs<Beta>, "The slope of each row of Y on that of X.",
        "rowBeta(matrix(2 3, 6 1), matrix(1 1, 3 3)) -> [2,-1]");
    add("rowDot(X, Y)", rowPairs<WeightedSum>, "The inner product of each row of X with that of Y.",
        "rowDot(matrix(1 2, 3 4), matrix(1 1, 2 0)) -> [7,2]");
    add("rowEuclidean(X, Y)", rowPairs<EuclideanDistance>, "The distance of each row of X from that of Y.",
        "rowEuclidean(matrix(0 1, 3 1), matrix(4 1, 0 1)) -> [5,0]");
    add("rowTanimoto(X, Y)", rowPairs<TanimotoDistance>, "The Tanimoto distance of each row of X from that of Y.",
        "rowTanimoto(matrix(1 1, 1 0), matrix(1 0, 1 1)) -> [0,1]");
    add("rowWsum(X, Y)", rowPairs<WeightedSum>, "The sum of X * Y in each row; Y may be one weight per column.",
        "rowWsum(matrix(1 2, 3 4), 2 1) -> [5,8]");
    add("rowWavg(X, Y)", rowPairs<WeightedMean>,
        "The mean of each row of X weighted by Y; Y may be one weight per column.",
        "rowWavg(matrix(1 2, 3 4), 1 1) -> [2,3]");
    addAlongRows(registry, std::make_index_sequence<std::size(kAlongRows)>());
}

}  // namespace pelorus
