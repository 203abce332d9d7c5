// Labelled and indexed matrices: setIndexedMatrix!, indexedSeries, align, loc, panel.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/elementwise/alignment.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/value/cast.h"
#include "runtime/value/key_index.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/higher_order/key_groups.h"
#include "stdlib/register_builtins.h"
#include "stdlib/table/rising_labels.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

const Matrix& matrixArgument(Arguments a, size_t i, const char* name) {
    if (!a[i].isMatrix()) refuseArgument(i, name, "a matrix", a[i]);
    return a[i].matrix();
}

// setIndexedMatrix!(X, [on=true]), setIndexedSeries!(X, [on=true])
template <Matrix::Index kIndex>
Value setIndexKernel(Context&, Arguments a) {
    const Matrix& m = matrixArgument(a, 0, "X");
    bool on = flagArgument(a, 1, "on", true);
    if (on) {
        requireRising(m.rowLabels, "row", 0);
        if (kIndex == Matrix::Index::Matrix) {
            requireRising(m.columnLabels, "column", 0);
        } else if (m.columns != 1) {
            refuseArgument(0, "X", "a matrix of one column", a[0]);
        }
    }
    Value changed = std::move(a[0]);
    changed.makeUnique();
    changed.matrix().index = on ? kIndex : Matrix::Index::None;
    a[0] = changed;
    return changed;
}

template <Matrix::Index kIndex>
Value isIndexedKernel(Context&, Arguments a) {
    return Value::ofBool(a[0].isMatrix() && a[0].matrix().index == kIndex);
}

Value indexedSeriesKernel(Context&, Arguments a) {
    Ref<Vector> index = vectorArgument(a, 0, "index"), values = vectorArgument(a, 1, "value");
    if (index->size() != values->size()) {
        throw UserError(
            1, fmt::format("The vectors don't have the same length: {} and {}.", index->size(), values->size()));
    }
    requireRising(Value::of(index), "row", 0);
    auto series = makeRef<Matrix>(values, values->size(), 1);
    series->rowLabels = Value::of(index);
    series->index = Matrix::Index::Series;
    return Value::of(series);
}

LabelJoin joinNamed(Arguments a, size_t i, std::string_view name) {
    if (name == "outer" || name == "fj") return LabelJoin::Outer;
    if (name == "inner" || name == "ej") return LabelJoin::Inner;
    if (name == "left" || name == "lj") return LabelJoin::Left;
    if (name == "asof" || name == "aj") return LabelJoin::AsOf;
    refuseArgument(i, "how", "outer, inner, left or asof", a[i]);
}

// align(left, right, [how='outer'], [byRow], [view=true])
Value alignKernel(Context&, Arguments a) {
    const Matrix &left = matrixArgument(a, 0, "left"), &right = matrixArgument(a, 1, "right");
    std::string how = stringArgument(a, 2, "how", "outer");
    size_t comma = how.find(',');
    LabelJoin rowJoin = joinNamed(a, 2, std::string_view(how).substr(0, comma));
    LabelJoin columnJoin =
        comma == std::string::npos ? rowJoin : joinNamed(a, 2, std::string_view(how).substr(comma + 1));
    bool both = !isGiven(a, 3), byRow = flagArgument(a, 3, "byRow", true);
    auto unchanged = [](int64_t l, int64_t r, const Value& labels) {
        return LabelPairs{allPositions(l), allPositions(r), labels};
    };
    LabelPairs rows = both || byRow ? joinLabels(left.rowLabels, right.rowLabels, rowJoin)
                                    : unchanged(left.rows, right.rows, left.rowLabels);
    LabelPairs columns = both || !byRow ? joinLabels(left.columnLabels, right.columnLabels, columnJoin)
                                        : unchanged(left.columns, right.columns, left.columnLabels);
    Ref<Matrix> x = gatherCells(left, rows.left, columns.left), y = gatherCells(right, rows.right, columns.right);
    for (const Ref<Matrix>& m : {x, y}) {
        m->rowLabels = rows.labels;
        m->columnLabels = columns.labels;
    }
    if (!both && !byRow) y->rowLabels = right.rowLabels;
    if (!both && byRow) y->columnLabels = right.columnLabels;
    return Value::of(makeRef<Tuple>(std::vector<Value>{Value::of(x), Value::of(y)}));
}

// Concatenates the column labels of two labelled matrices: a series has the label series1 or series2, by its position.
Value columnLabelsOfBoth(const Matrix& left, const Matrix& right) {
    auto labels = [](const Matrix& m, const char* ofSeries) {
        return m.columnLabels.isVector() || m.index != Matrix::Index::Series
                   ? m.columnLabels
                   : Value::of(Vector::filled(Type::String, 1, Value::ofString(ofSeries)));
    };
    const Value l = labels(left, "series1"), r = labels(right, "series2");
    if (!l.isVector() || !r.isVector()) return {};
    const Type type = commonType(l.type() == Type::Symbol ? Type::String : l.type(),
                                 r.type() == Type::Symbol ? Type::String : r.type());
    if (type == Type::Any) {
        throw UserError(1, fmt::format("Column labels of {} and {} do not go together.", typeString(l), typeString(r)));
    }
    Ref<Vector> both = Vector::make(type, 0, left.columns + right.columns);
    both->append(*cast(l.vector(), type), 0, left.columns);
    both->append(*cast(r.vector(), type), 0, right.columns);
    return Value::of(both);
}

// merge(left, right, [how='inner'])
Value mergeKernel(Context&, Arguments a) {
    const Matrix &left = matrixArgument(a, 0, "left"), &right = matrixArgument(a, 1, "right");
    for (size_t side : {0, 1}) {
        if (a[side].matrix().index == Matrix::Index::None) {
            refuseArgument(side, side == 0 ? "left" : "right", "an indexed series or matrix", a[side]);
        }
    }
    const std::string how = stringArgument(a, 2, "how", "inner");
    LabelPairs rows;
    if (how == "right") {
        rows = joinLabels(right.rowLabels, left.rowLabels, LabelJoin::Left);
        std::swap(rows.left, rows.right);
    } else {
        rows = joinLabels(left.rowLabels, right.rowLabels, joinNamed(a, 2, how));
    }
    const Type type = commonType(a[0].type(), a[1].type());
    if (type == Type::Any) {
        throw UserError(1, fmt::format("{} and {} have no common type.", typeString(a[0]), typeString(a[1])));
    }
    Ref<Matrix> x = gatherCells(left, rows.left, allPositions(left.columns));
    Ref<Matrix> y = gatherCells(right, rows.right, allPositions(right.columns));
    Ref<Vector> cells = Vector::make(type, 0, x->rows * (x->columns + y->columns));
    for (const Matrix* part : {x.get(), y.get()}) {
        for (int64_t c = 0; c < part->columns; ++c) cells->append(*cast(*part->column(c), type), 0, part->rows);
    }
    auto merged = makeRef<Matrix>(cells, x->rows, x->columns + y->columns);
    merged->rowLabels = rows.labels;
    merged->columnLabels = columnLabelsOfBoth(left, right);
    return Value::of(merged);
}

// Positions of the labels a filter names: BOOL per position, a label, several labels, or a closed range of labels.
std::vector<int64_t> filtered(Arguments a, size_t i, const char* name, const Value& labels, int64_t count,
                              bool indexed) {
    const Value& filter = a[i];
    if (!isGiven(a, i)) return allPositions(count);
    std::vector<int64_t> positions;
    bool mask = filter.isVector() && filter.type() == Type::Bool;
    if (mask) {
        if (filter.size() != count) refuseArgument(i, name, "as long as what it filters", filter);
        for (int64_t k = 0; k < count; ++k) {
            if (filter.vector().data<int8_t>()[k] == 1) positions.push_back(k);
        }
        return positions;
    }
    if (!labels.isVector())
        throw UserError(static_cast<int>(i), "The matrix has no labels there.", "Set them with rename!.");
    if (commonType(filter.type(), labels.type()) == Type::Any) {
        throw UserError(static_cast<int>(i),
                        fmt::format("{} does not fit labels of {}.", typeString(filter), typeString(labels)));
    }
    Type type = labels.type() == Type::Symbol ? Type::String : labels.type();
    Ref<Vector> known = cast(labels.vector(), type);
    Value wanted = cast(filter.isPair() ? Value::of(Ref<Vector>(&filter.vector())) : filter, type);
    if (filter.isPair()) {
        if (!indexed)
            throw UserError(static_cast<int>(i), "A range of labels needs an indexed matrix.",
                            "Use setIndexedMatrix!.");
        for (int64_t k = 0; k < count; ++k) {
            if (compareElements(*known, k, wanted.vector(), 0) >= 0 &&
                compareElements(*known, k, wanted.vector(), 1) <= 0)
                positions.push_back(k);
        }
        return positions;
    }
    for (int64_t w = 0; w < wanted.size(); ++w) {
        size_t before = positions.size();
        Value label = wanted.isScalar() ? wanted : wanted.at(w);
        for (int64_t k = 0; k < count; ++k) {
            if (identical(known->at(k), label)) positions.push_back(k);
        }
        if (positions.size() == before)
            throw UserError(static_cast<int>(i), fmt::format("There is no label {}.", itemString(label)));
    }
    return positions;
}

Value labelsAt(const Value& labels, const std::vector<int64_t>& positions) {
    return labels.isVector() ? takeRows(labels, *Vector::of(Type::Long, positions)) : labels;
}

// loc(obj, rowFilter, [colFilter], [view=false])
Value locKernel(Context&, Arguments a) {
    const Matrix& m = matrixArgument(a, 0, "obj");
    flagArgument(a, 3, "view", false);
    std::vector<int64_t> rows = filtered(a, 1, "rowFilter", m.rowLabels, m.rows, m.isIndexed());
    std::vector<int64_t> columns = filtered(a, 2, "colFilter", m.columnLabels, m.columns, m.isIndexed());
    Ref<Matrix> result = gatherCells(m, rows, columns);
    result->rowLabels = labelsAt(m.rowLabels, rows);
    result->columnLabels = labelsAt(m.columnLabels, columns);
    result->index = std::is_sorted(rows.begin(), rows.end()) && std::is_sorted(columns.begin(), columns.end())
                        ? m.index
                        : Matrix::Index::None;
    return Value::of(result);
}

// The distinct keys in order, or the labels given; and the position of each row's key among them, -1 outside.
Value panelLabels(Arguments a, size_t key, size_t label, std::vector<int64_t>& positions) {
    Ref<Vector> keys = vectorArgument(a, key, key == 0 ? "row" : "col");
    Ref<Vector> labels;
    if (isGiven(a, label)) {
        labels = cast(*vectorArgument(a, label, label == 3 ? "rowLabel" : "colLabel"), keys->type());
        requireRising(Value::of(labels), label == 3 ? "row" : "column", static_cast<int>(label));
    } else {
        KeyGroups groups = groupByKeys({Value::of(keys)}, true);
        labels = keys->gather(groups.firstRows()->data<int32_t>(), static_cast<int64_t>(groups.rows.size()));
    }
    KeyIndex index(labels->type());
    for (int64_t i = 0; i < labels->size(); ++i) index.insert(labels->at(i));
    positions.resize(static_cast<size_t>(keys->size()));
    for (int64_t i = 0; i < keys->size(); ++i) positions[static_cast<size_t>(i)] = index.find(keys->at(i));
    return Value::of(labels);
}

// panel(row, col, metrics, [rowLabel], [colLabel], [parallel=false])
Value panelKernel(Context&, Arguments a) {
    std::vector<int64_t> rowOf, columnOf;
    Value rowLabels = panelLabels(a, 0, 3, rowOf), columnLabels = panelLabels(a, 1, 4, columnOf);
    if (rowOf.size() != columnOf.size()) throw UserError(1, "row and col differ in length.");
    int64_t rows = rowLabels.size(), columns = columnLabels.size();
    std::vector<int64_t> source;
    source.reserve(static_cast<size_t>(rows * columns));
    inPieces(rows * columns, [&](int64_t, int64_t end) { source.resize(static_cast<size_t>(end), -1); });
    for (size_t i = 0; i < rowOf.size(); ++i) {
        if (rowOf[i] >= 0 && columnOf[i] >= 0)
            source[static_cast<size_t>(columnOf[i] * rows + rowOf[i])] = static_cast<int64_t>(i);
    }
    auto one = [&](const Value& metric) {
        if (!metric.isVector() || metric.isTuple() || metric.size() != static_cast<int64_t>(rowOf.size()))
            refuseArgument(2, "metrics", "a vector as long as row, or a tuple of them", metric);
        Ref<Vector> cells = Vector::make(metric.type(), 0, rows * columns);
        cells->setScale(metric.vector().scale());
        inPieces(rows * columns, [&](int64_t begin, int64_t end) {
            const Ref<Vector> piece = metric.vector().gather(source.data() + begin, end - begin);
            cells->append(*piece, 0, end - begin);
        });
        auto result = makeRef<Matrix>(cells, rows, columns);
        result->rowLabels = rowLabels;
        result->columnLabels = columnLabels;
        return Value::of(result);
    };
    if (!a[2].isTuple()) return one(a[2]);
    std::vector<Value> results;
    for (const Value& metric : a[2].tuple().elements) results.push_back(one(metric));
    return Value::of(makeRef<Tuple>(std::move(results)));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "left: a matrix with labels of rows and columns\n"
    "right: another one with labels of the same kinds\n"
    "merge.left: an indexed matrix or series\n"
    "merge.right: another one with labels of the same kind\n"
    "how: which labels stay: outer, inner, left or asof; one for rows and columns, or two as \"outer,inner\"\n"
    "merge.how: which labels stay: inner, outer, left, right or asof\n"
    "byRow: true aligns rows alone, false columns alone; both when omitted\n"
    "view: has no effect: the result is always a matrix of its own\n"
    "obj: a matrix with labels\n"
    "rowFilter: which rows: a label, a vector of labels or of BOOL, or a pair as a closed range; all when omitted\n"
    "colFilter: which columns, in the same way\n"
    "row: a vector of the keys of the rows\n"
    "col: a vector of the keys of the columns, as long\n"
    "metrics: a vector as long as row, or a tuple of several\n"
    "rowLabel: a vector of the rows that the result has, strictly rising; the distinct keys when omitted\n"
    "colLabel: a vector of the columns that the result has, strictly rising; the distinct keys when omitted\n"
    "parallel: has no effect";

void registerMatrixLabels(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = errors,
                      .example = example});
    };
    add("setIndexedMatrix!(X, [on=true])", setIndexKernel<Matrix::Index::Matrix>,
        "Makes a labelled matrix an indexed one, which operators align by its labels; or a plain one again.",
        "A label is missing or does not rise strictly.",
        "m = rename!(matrix(1 2, 3 4), 5 6, `a`b); setIndexedMatrix!(m); isIndexedMatrix(m) -> true");
    add("setIndexedSeries!(X, [on=true])", setIndexKernel<Matrix::Index::Series>,
        "Makes a matrix of one column with row labels an indexed series, which operators align by its labels.",
        "X has several columns, or its labels do not rise strictly.",
        "s = rename!(matrix(1 2), 5 6, [`v]); setIndexedSeries!(s); isIndexedSeries(s) -> true");
    add("isIndexedMatrix(X)", isIndexedKernel<Matrix::Index::Matrix>, "Whether X is an indexed matrix.", "",
        "isIndexedMatrix(matrix(1 2)) -> false");
    add("isIndexedSeries(X)", isIndexedKernel<Matrix::Index::Series>, "Whether X is an indexed series.", "",
        "isIndexedSeries(indexedSeries(1 2, 5 6)) -> true");
    add("indexedSeries(index, value)", indexedSeriesKernel,
        "A series of values under strictly rising labels; operators align series by them.",
        "The lengths differ, or the index does not rise strictly.",
        "flatten(indexedSeries(1 2, 5 6) + indexedSeries(2 3, 1 1)) -> [,7,]");
    add("align(left, right, [how='outer'], [byRow], [view=true])", alignKernel,
        "The two labelled matrices brought to common row and column labels, as a tuple.",
        "A matrix has no labels, or they are of different kinds.",
        "shape(align(rename!(matrix(1 2), 1 2, [`a]), rename!(matrix(3 4), 2 3, [`b]))[0]) -> 3 : 2");
    add("merge(left, right, [how='inner'])", mergeKernel,
        "Indexed series or matrices concatenated horizontally, their rows joined by labels: inner, outer, left, right "
        "or asof.",
        "left or right is not indexed, or their labels or values are of different kinds.",
        "flatten(merge(indexedSeries(1 2 3, 4 5 6), indexedSeries(2 3, 7 8), 'left')) -> [4,5,6,,7,8]");
    add("loc(obj, [rowFilter], [colFilter], [view=false])", locKernel,
        "The rows and columns of a matrix with these labels, with true in a BOOL vector, or in a closed range of "
        "labels.",
        "There is no such label.", "loc(rename!(matrix(1 2, 3 4), 7 8, `a`b), 8, `b)[0] -> [4]");
    add("panel(row, col, metrics, [rowLabel], [colLabel], [parallel=false])", panelKernel,
        "A matrix of metrics by row and column keys, ascending; for several metrics a tuple of matrices.",
        "The lengths differ, or a given label does not rise strictly.",
        "flatten(panel(1 2 1, `a`a`b, 5 6 7)) -> [5,6,7,]");
}

}  // namespace pelorus
