// Repeating and cutting of vectors: stretch, cutPoints, cells, regroup.
#include <algorithm>
#include <numeric>

#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/key_index.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// stretch(X, n): repeats each element, the first ones once more where n is no multiple.
Value stretchKernel(Context&, Arguments a) {
    const Value& x = a[0];
    const int64_t n = integerArgument(a, 1, "n");
    if (n < 0 || n > INT32_MAX) refuseArgument(1, "n", "between 0 and 2^31", a[1]);
    if (!x.isVector() && !x.isMatrix() && !x.isTable()) refuseArgument(0, "X", "a vector, matrix or table", x);
    const int64_t size = x.isMatrix() ? x.matrix().rows : x.size();
    if (size == 0 && n > 0) throw UserError(0, "X has no elements to stretch.");
    Ref<Vector> rows = Vector::make(Type::Long, n);
    auto* out = rows->mutableData<int64_t>();
    const int64_t least = size ? n / size : 0, larger = size ? n % size : 0;
    for (int64_t i = 0, k = 0; i < size; ++i) {
        for (int64_t copies = least + (i < larger ? 1 : 0); copies > 0; --copies) out[k++] = i;
    }
    if (!x.isMatrix()) return takeRows(x, *rows);
    const Matrix& m = x.matrix();
    Ref<Vector> cells = Vector::make(m.cells->type(), 0, n * m.columns);
    for (int64_t c = 0; c < m.columns; ++c) cells->append(*m.column(c)->gather(out, n), 0, n);
    auto result = makeRef<Matrix>(cells, n, m.columns);
    result->columnLabels = m.columnLabels;
    if (m.rowLabels.isVector()) result->rowLabels = takeRows(m.rowLabels, *rows);
    return Value::of(result);
}

// Returns a value above the largest element: the upper end of the last bucket.
Value justAbove(const Value& largest) {
    if (largest.isString()) return Value::ofString(std::string(largest.string()) + "1", largest.type());
    return cast(applyBinary(Operator::Add, largest, Value::ofInt(1)), largest.type());
}

// cutPoints(X, binNum, [freq])
Value cutPointsKernel(Context&, Arguments a) {
    Ref<Vector> x = vectorArgument(a, 0, "X");
    const int64_t bins = integerArgument(a, 1, "binNum");
    if (bins < 1 || x->size() == 0) refuseArgument(1, "binNum", "at least 1, and X must have elements", a[1]);
    Ref<Vector> weights;
    if (isGiven(a, 2)) {
        weights = realsArgument(a, 2, "freq");
        if (weights->size() != x->size()) {
            throw UserError(2, fmt::format("freq must have an element for each of X, but they have {} and {}.",
                                           weights->size(), x->size()));
        }
    }
    const SortKey key{x.get(), true};
    const std::vector<int32_t> order = sortedOrder({&key, 1});
    double total = 0;
    auto weightOf = [&](size_t i) { return weights ? weights->data<double>()[order[i]] : 1.0; };
    for (size_t i = 0; i < order.size(); ++i) total += weightOf(i);
    Ref<Vector> cuts = Vector::make(x->type(), 0, bins + 1);
    double before = 0;
    size_t i = 0;
    for (int64_t k = 0; k < bins && i < order.size(); ++k) {
        const double wanted = total * static_cast<double>(k) / static_cast<double>(bins);
        auto isPast = [&] { return cuts->size() > 0 && compareElements(*x, order[i], *cuts, cuts->size() - 1) <= 0; };
        while (i < order.size() && (before < wanted - 1e-9 || isPast())) before += weightOf(i++);
        if (i < order.size()) cuts->append(x->at(order[i]));
    }
    cuts->append(justAbove(x->at(order.back())));
    return Value::of(cuts);
}

// cells(obj, row, col): the cells at pairs of positions.
Value cellsKernel(Context&, Arguments a) {
    if (!a[0].isMatrix()) refuseArgument(0, "obj", "a matrix", a[0]);
    const Matrix& m = a[0].matrix();
    Ref<Vector> rows = vectorArgument(a, 1, "row"), columns = vectorArgument(a, 2, "col");
    if (rows->size() != columns->size()) {
        throw UserError(2, fmt::format("row and col differ in length: {} and {}.", rows->size(), columns->size()));
    }
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < rows->size(); ++i) {
        const int64_t r = rows->asLong(i), c = columns->asLong(i);
        const bool inside = r >= 0 && r < m.rows && c >= 0 && c < m.columns;
        positions.push_back(inside ? c * m.rows + r : -1);
    }
    Ref<Vector> cells = m.cells->gather(positions.data(), rows->size());
    return a[1].isScalar() ? cells->at(0) : Value::of(cells);
}

// regroup(X, label, func, [byRow=true]): func of the rows, or columns, with the same label.
Value regroupKernel(Context& context, Arguments a) {
    if (!a[0].isMatrix()) refuseArgument(0, "X", "a matrix", a[0]);
    const Matrix& m = a[0].matrix();
    Ref<Vector> labels = vectorArgument(a, 1, "label");
    if (!a[2].isFunction()) refuseArgument(2, "func", "a function", a[2]);
    const bool byRow = flagArgument(a, 3, "byRow", true);
    if (labels->size() != (byRow ? m.rows : m.columns)) {
        throw UserError(1, fmt::format("There are {} labels for {} {}.", labels->size(), byRow ? m.rows : m.columns,
                                       byRow ? "rows" : "columns"));
    }
    KeyIndex index(labels->type());
    std::vector<int32_t> groupOf(static_cast<size_t>(labels->size()));
    index.insertAll(*labels, groupOf.data());
    std::vector<std::vector<int64_t>> members(static_cast<size_t>(index.size()));
    for (size_t i = 0; i < groupOf.size(); ++i) {
        members[static_cast<size_t>(groupOf[i])].push_back(static_cast<int64_t>(i));
    }
    const Value keys = index.keys();
    const SortKey key{&keys.vector(), true};
    const std::vector<int32_t> order = sortedOrder({&key, 1});
    const int64_t lines = byRow ? m.columns : m.rows;
    std::vector<Value> results;  // column after column
    auto cellsOf = [&](int64_t line, const std::vector<int64_t>& group) {
        std::vector<int64_t> positions;
        for (int64_t i : group) positions.push_back(byRow ? line * m.rows + i : i * m.rows + line);
        return Value::of(m.cells->gather(positions.data(), static_cast<int64_t>(positions.size())));
    };
    auto compute = [&](int64_t line, int32_t group) {
        std::vector<Value> call = {cellsOf(line, members[static_cast<size_t>(group)])};
        results.push_back(a[2].function().call(context, call));
        if (!results.back().isScalar()) throw UserError(2, "func must give one value for a vector.");
    };
    if (byRow) {
        for (int64_t c = 0; c < lines; ++c) {
            for (int32_t g : order) compute(c, g);
        }
    } else {
        for (int32_t g : order) {
            for (int64_t r = 0; r < lines; ++r) compute(r, g);
        }
    }
    const Value flat = listOf(std::move(results));
    const auto groups = static_cast<int64_t>(order.size());
    auto result = makeRef<Matrix>(Ref<Vector>(&flat.vector()), byRow ? groups : lines, byRow ? lines : groups);
    const Value sortedKeys = takeRows(keys, *Vector::of(Type::Int, order));
    result->rowLabels = byRow ? sortedKeys : m.rowLabels;
    result->columnLabels = byRow ? m.columnLabels : sortedKeys;
    return Value::of(result);
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "cutPoints.X: a vector\n"
    "binNum: how many buckets, at least 1\n"
    "freq: a numeric vector as long as X, how often each element counts; once when omitted\n"
    "obj: a matrix\n"
    "row: the rows of the cells, an integer or a vector of them, from 0\n"
    "col: their columns, as many\n"
    "regroup.X: a matrix\n"
    "label: a vector of keys, one for each row, or for each column when byRow is false\n"
    "func: an aggregate function of a vector\n"
    "byRow: true joins rows with equal labels, false columns";

void registerStretching(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = errors,
                      .example = example});
    };
    add("stretch(X, n)", stretchKernel,
        "X with each element, or each row of a matrix or table, repeated so that there are n.", "X is empty.",
        "stretch(5 7, 5) -> [5,5,5,7,7]");
    add("cutPoints(X, binNum, [freq])", cutPointsKernel,
        "The lower ends of binNum buckets that hold equally many elements of X, and the upper end of the last one; "
        "freq "
        "says how often each element counts.",
        "freq differs from X in length.", "cutPoints(7 5 8 6, 2) -> [5,7,9]");
    add("cells(obj, row, col)", cellsKernel, "The cells of a matrix at pairs of positions, as a vector.",
        "row and col differ in length.", "cells(matrix(1 2, 3 4), 0 1, 1 0) -> [3,2]");
    add("regroup(X, label, func, [byRow=true])", regroupKernel,
        "func of the rows of the matrix X with the same label, or of its columns, in the order of the labels.",
        "There are not as many labels as rows.", "regroup(matrix(1 2 3, 4 5 6), `b`a`b, sum).row(1) -> [4,10]");
}

}  // namespace pelorus
