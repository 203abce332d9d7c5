// Construction and decomposition of matrices.
#include <algorithm>

#include "common/thread/cancellation.h"
#include "common/thread/stack_room.h"
#include "common/thread/thread_pool.h"
#include "runtime/function/function.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moments.h"

namespace pelorus {

namespace {

// Concatenates columns of one length in their common type.
Value glued(const std::vector<Ref<Vector>>& columns, std::vector<std::string> labels) {
    Type type = Type::Void;
    for (const auto& column : columns) {
        bool string = (isLiteral(type) && isNumeric(column->type())) || (isNumeric(type) && isLiteral(column->type()));
        type = string ? Type::String : commonType(type, column->type());
        if (column->size() != columns[0]->size()) {
            throw UserError(
                fmt::format("The columns of a matrix must be equally long, but they have {} and {} elements.",
                            columns[0]->size(), column->size()));
        }
    }
    if (columns.empty() || type == Type::Any || type == Type::Void)
        throw UserError("These values do not make a matrix.");
    int64_t rows = columns[0]->size();
    Ref<Vector> cells = Vector::make(type, 0, rows * static_cast<int64_t>(columns.size()));
    for (const auto& column : columns) cells->append(*cast(*column, type), 0, rows);
    auto result = makeRef<Matrix>(cells, rows, static_cast<int64_t>(columns.size()));
    bool labelled = std::any_of(labels.begin(), labels.end(), [](const std::string& s) { return !s.empty(); });
    if (labelled) result->columnLabels = Value::of(Vector::ofStrings(labels));
    return Value::of(result);
}

void addColumns(const Value& v, std::vector<Ref<Vector>>& columns, std::vector<std::string>& labels) {
    requireStackRoom();
    if (v.isMatrix()) {
        for (int64_t c = 0; c < v.matrix().columns; ++c) {
            columns.push_back(v.matrix().column(c));
            labels.push_back(v.matrix().columnLabels.isVoid() ? "" : toString(v.matrix().columnLabels.at(c)));
        }
    } else if (v.isTable()) {
        const Ref<MemoryTable> table = tableToRead(v);
        if (!table) throw UserError("A partitioned table can't become a matrix.", "Select from it first.");
        for (int c = 0; c < table->columnCount(); ++c) {
            columns.push_back(Ref<Vector>(&table->column(c).vector()));
            labels.emplace_back();
        }
    } else if (v.isTuple()) {
        for (const Value& element : v.tuple().elements) addColumns(element, columns, labels);
    } else if (v.isArrayVector()) {
        const ArrayVector& rows = v.arrayVector();
        const int64_t width = rows.size() ? rows.rowSize(0) : 0;
        for (int64_t r = 0; r < rows.size(); ++r) {
            if (rows.rowSize(r) != width)
                throw UserError("The rows of an array vector that becomes a matrix must be equally long.");
        }
        for (int64_t c = 0; c < width; ++c) {
            columns.push_back(rows.column(c));
            labels.emplace_back();
        }
    } else {
        Value holder = v;
        columns.push_back(vectorArgument({&holder, 1}, 0, "X"));
        labels.emplace_back();
    }
}

bool isSchemaForm(Arguments a) {
    Type type;
    if (a.size() < 3 || !a[1].isNumber() || !a[2].isNumber()) return false;
    return (a[0].isFunction() && typeByName(a[0].function().name(), type)) ||
           (a[0].isScalar() && a[0].type() == Type::Int) ||
           (a.size() > 3 && a[0].isString() && typeByName(a[0].string(), type));
}

// matrix(dataType, rows, columns, [capacity], [default]) or matrix(X1, X2, …)
Value matrixKernel(Context&, Arguments a) {
    if (isSchemaForm(a)) {
        const TypeSpec spec = typeOfValue(a[0], 0, "dataType");
        const Type type = spec.type;
        int64_t rows = integerArgument(a, 1, "rows"), columns = integerArgument(a, 2, "columns");
        if (rows < 0 || columns < 0 || rows * columns > INT32_MAX)
            refuseArgument(1, "rows", "a size that a matrix can have", a[1]);
        const bool zero = isNumeric(type) || isTemporal(type) || isDecimal(type);
        const Value element = isGiven(a, 4)  ? cast(a[4], type, spec.scale)
                              : a.size() > 4 ? Value::nullOf(type)  // matrix(INT, 2, 2, ,): left out on purpose
                              : zero         ? cast(Value::ofInt(0), type, spec.scale)
                                             : Value::nullOf(type);
        Ref<Vector> cells = Vector::filled(type, rows * columns, element);
        cells->setScale(spec.scale);
        return Value::of(makeRef<Matrix>(cells, rows, columns));
    }
    std::vector<Ref<Vector>> columns;
    std::vector<std::string> labels;
    for (const Value& v : a) addColumns(v, columns, labels);
    return glued(columns, std::move(labels));
}

// concatMatrix(X, [horizontal=true]): concatenates the matrices of a tuple horizontally, or vertically.
Value concatMatrixKernel(Context& context, Arguments a) {
    if (!a[0].isTuple() || a[0].size() == 0) refuseArgument(0, "X", "a tuple of matrices", a[0]);
    if (flagArgument(a, 1, "horizontal", true)) return matrixKernel(context, a.first(1));
    const std::vector<Value>& parts = a[0].tuple().elements;
    Type type = Type::Void;
    int64_t rows = 0;
    for (const Value& part : parts) {
        if (!part.isMatrix() || part.matrix().columns != parts[0].matrix().columns) {
            throw UserError(0, "Matrices one above the other must have equally many columns.");
        }
        type = commonType(type, part.type());
        rows += part.matrix().rows;
    }
    const int64_t columns = parts[0].matrix().columns;
    Ref<Vector> cells = Vector::make(type, 0, rows * columns);
    for (int64_t c = 0; c < columns; ++c) {
        for (const Value& part : parts) cells->append(*cast(*part.matrix().column(c), type), 0, part.matrix().rows);
    }
    return Value::of(makeRef<Matrix>(cells, rows, columns));
}

const Matrix& matrixArgument(Arguments a, size_t i) {
    if (!a[i].isMatrix()) refuseArgument(i, "X", "a matrix", a[i]);
    return a[i].matrix();
}

// row(X, begin:end) and col(X, begin:end)
Value rowRange(const Value& x, const Value& range) {
    if (x.isTable() || x.isTypedVector()) return indexRead(x, {&range, 1});
    if (x.isMatrix()) {
        const Value index[2] = {range, omitted()};
        return indexRead(x, index);
    }
    Ref<Vector> positions = Vector::make(Type::Long, 0);
    for (int64_t i = range.vector().asLong(0); i < range.vector().asLong(1); ++i) positions->append(Value::ofLong(i));
    return takeRows(x, *positions);
}

Value columnRange(const Value& x, const Value& range) {
    const Value index[2] = {omitted(), range};
    return indexRead(x, index);
}

Value rowKernel(Context&, Arguments a) {
    if (isGiven(a, 1) && a[1].isPair()) return rowRange(a[0], a[1]);
    int64_t r = integerArgument(a, 1, "index");
    if (a[0].isTable() || !a[0].isMatrix()) {
        if (r < 0 || r >= a[0].size()) return Value();
        return a[0].at(r);
    }
    const Matrix& m = a[0].matrix();
    if (r < 0 || r >= m.rows) throw UserError(1, fmt::format("The row index {} is out of range.", r));
    std::vector<int64_t> positions;
    for (int64_t c = 0; c < m.columns; ++c) positions.push_back(c * m.rows + r);
    return Value::of(m.cells->gather(positions.data(), m.columns));
}

Value colKernel(Context&, Arguments a) {
    if (a[1].isPair()) return columnRange(a[0], a[1]);
    int64_t c = integerArgument(a, 1, "index");
    if (a[0].isTable()) {
        const Ref<MemoryTable> table = tableToRead(a[0]);
        if (!table || c < 0 || c >= table->columnCount())
            throw UserError(1, fmt::format("The column index {} is out of range.", c));
        return table->column(static_cast<int>(c));
    }
    const Matrix& m = matrixArgument(a, 0);
    if (c < 0 || c >= m.columns) throw UserError(1, fmt::format("The column index {} is out of range.", c));
    return Value::of(m.column(c));
}

Value cellKernel(Context&, Arguments a) {
    int64_t r = integerArgument(a, 1, "row"), c = integerArgument(a, 2, "column");
    if (a[0].isTable()) {
        const Ref<MemoryTable> table = tableToRead(a[0]);
        if (!table || c < 0 || c >= table->columnCount() || r < 0 || r >= table->rowCount())
            throw UserError("The cell is out of range.");
        return table->column(static_cast<int>(c)).at(r);
    }
    const Matrix& m = matrixArgument(a, 0);
    if (c < 0 || c >= m.columns || r < 0 || r >= m.rows) throw UserError("The cell is out of range.");
    return m.cells->at(c * m.rows + r);
}

Value diagonalKernel(Context&, Arguments a) {
    if (a[0].isMatrix()) {
        const Matrix& m = a[0].matrix();
        int64_t n = std::min(m.rows, m.columns);
        std::vector<int64_t> positions;
        for (int64_t i = 0; i < n; ++i) positions.push_back(i * m.rows + i);
        return Value::of(m.cells->gather(positions.data(), n));
    }
    Ref<Vector> v = vectorArgument(a, 0, "X");
    int64_t n = v->size();
    Ref<Vector> cells = Vector::filled(v->type(), n * n, cast(Value::ofInt(0), v->type()));
    for (int64_t i = 0; i < n; ++i) cells->set(i * n + i, v->at(i));
    return Value::of(makeRef<Matrix>(cells, n, n));
}

Value eyeKernel(Context&, Arguments a) {
    int64_t n = integerArgument(a, 0, "n");
    if (n < 1 || n > 46340) refuseArgument(0, "n", "between 1 and 46340", a[0]);
    Ref<Vector> cells = Vector::filled(Type::Double, n * n, Value::ofDouble(0));
    for (int64_t i = 0; i < n; ++i) cells->mutableData<double>()[i * n + i] = 1;
    return Value::of(makeRef<Matrix>(cells, n, n));
}

// Returns the matrix of f(column i, column j).
template <class State>
Value pairMatrix(Arguments a) {
    const Matrix& m = matrixArgument(a, 0);
    Ref<Vector> cells = cast(*m.cells, Type::Double);
    const double* x = cells->data<double>();
    Ref<Vector> out = Vector::make(Type::Double, m.columns * m.columns);
    double* y = out->mutableData<double>();
    parallelFor(m.columns, [&](int64_t i) {
        for (int64_t j = i; j < m.columns; ++j) {
            checkCancelled();
            State state;
            for (int64_t r = 0; r < m.rows; ++r) {
                // NULL counts as 0 here.
                double p = x[i * m.rows + r], q = x[j * m.rows + r];
                state.add(isNull(p) ? 0 : p, isNull(q) ? 0 : q);
            }
            y[i * m.columns + j] = y[j * m.columns + i] = state.result();
        }
    });
    auto result = makeRef<Matrix>(out, m.columns, m.columns);
    result->rowLabels = m.columnLabels;
    result->columnLabels = m.columnLabels;
    return Value::of(result);
}

// The cells on one side of diagonal k and on it; zeros elsewhere.
template <bool kLower>
Value triangleKernel(Context&, Arguments a) {
    if (!a[0].isMatrix() || !isNumeric(a[0].type())) refuseArgument(0, "X", "a numeric matrix", a[0]);
    const Matrix& m = a[0].matrix();
    const int64_t k = integerArgument(a, 1, "k", 0);
    const Value zero = cast(Value::ofInt(0), m.cells->type());
    Ref<Vector> cells = m.cells->copy();
    for (int64_t c = 0; c < m.columns; ++c) {
        for (int64_t r = 0; r < m.rows; ++r) {
            if (kLower ? c - r > k : c - r < k) cells->set(c * m.rows + r, zero);
        }
    }
    return Value::of(m.withCells(cells));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "cell.obj: a matrix, or a table in memory\n"
    "cell.row: the row, an integer from 0\n"
    "cell.col: the column, an integer from 0\n"
    "matrix.X: a vector, matrix, table or tuple of vectors; or a type, before rows and columns\n"
    "matrix.X1: more of them, with as many rows";

void registerMatrices(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = errors,
                      .example = example});
    };
    add("matrix(X, X1...)", matrixKernel,
        "Columns concatenated horizontally: vectors, matrices, tables, tuples; or matrix(dataType, rows, columns, "
        "[capacity], "
        "[default]) filled with zeros.",
        "The columns differ in length or kind.", "shape(matrix(1 2 3, 4 5 6)) -> 3 : 2");
    add("concatMatrix(X, [horizontal=true])", concatMatrixKernel,
        "The matrices of a tuple concatenated horizontally, or one above the other when horizontal is false.",
        "They differ in rows, or in columns.", "shape(concatMatrix([matrix(1 2), matrix(3 4)], false)) -> 4 : 1");
    add("row(obj, index)", rowKernel, "A row of a matrix as vector, of a table as dictionary.",
        "The index is out of range.", "row(matrix(1 2, 3 4), 0) -> [1,3]");
    add("col(obj, index)", colKernel, "A column of a matrix or table as vector.", "The index is out of range.",
        "col(matrix(1 2, 3 4), 1) -> [3,4]");
    registry.alias("column", "col");
    add("cell(obj, row, col)", cellKernel, "One cell of a matrix or table.", "The cell is out of range.",
        "cell(matrix(1 2, 3 4), 1, 0) -> 2");
    add("diag(X)", diagonalKernel, "The diagonal of a matrix, or the matrix with the vector X on its diagonal.", "",
        "diag(matrix(1 2, 3 4)) -> [1,4]");
    add("tril(X, [k=0])", triangleKernel<true>, "X with zeros above its k-th diagonal.", "X is no matrix of numbers.",
        "tril(matrix(1 2, 3 4))[1] -> [0,4]");
    add("triu(X, [k=0])", triangleKernel<false>, "X with zeros below its k-th diagonal.", "X is no matrix of numbers.",
        "triu(matrix(1 2, 3 4))[0] -> [1,0]");
    add("eye(n)", eyeKernel, "The identity matrix of n rows.", "n is below 1.", "diag(eye(2)) -> [1,1]");
    add(
        "corrMatrix(X)", [](Context&, Arguments a) { return pairMatrix<Correlation>(a); },
        "The correlations of the columns of X.", "X is not a matrix.", "corrMatrix(matrix(1 2 3, 2 4 6))[0] -> [1,1]");
    add(
        "covarMatrix(X)", [](Context&, Arguments a) { return pairMatrix<Covariance>(a); },
        "The covariances of the columns of X.", "X is not a matrix.", "covarMatrix(matrix(1 2 3, 2 4 6))[0] -> [1,2]");
}

}  // namespace pelorus
