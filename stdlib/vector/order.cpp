// sort, isort, rank and related functions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/forms/vector_forms.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table.h"
#include "runtime/table/table_changes.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

Ref<Vector> positionsOf(const std::vector<int32_t>& order) {
    return Vector::of(Type::Int, order);
}

std::vector<int32_t> orderOf(const Vector& v, bool ascending) {
    SortKey key{&v, ascending};
    return sortedOrder({&key, 1});
}

Value sortKernel(Context&, Arguments arguments) {
    bool ascending = flagArgument(arguments, 1, "ascending", true);
    if (arguments[0].isMatrix()) {
        // All cells, column after column.
        const Matrix& m = arguments[0].matrix();
        std::vector<int32_t> order = orderOf(*m.cells, ascending);
        return Value::of(makeRef<Matrix>(m.cells->gather(order.data(), m.cells->size()), m.rows, m.columns));
    }
    if (arguments[0].isSet() || arguments[0].isPair()) arguments[0] = Value::of(vectorArgument(arguments, 0, "X"));
    return vectorForms(
        [ascending](std::span<const Value> step) {
            const Vector& v = step[0].vector();
            std::vector<int32_t> order = orderOf(v, ascending);
            return Value::of(v.gather(order.data(), v.size()));
        },
        arguments);
}
Value sortInPlace(Context& context, Arguments arguments) {
    arguments[0] = sortKernel(context, arguments);
    return arguments[0];
}

// The direction of one key: `ascending` is a flag for all, or one for each key with the last for those that follow.
bool isAscending(Arguments arguments, size_t position, std::string_view name, size_t key) {
    if (!isGiven(arguments, position)) return true;
    const Value& flags = arguments[position];
    if (!flags.isVector()) return isTrue(flags);
    if (flags.size() == 0) refuseArgument(position, name, "true or false, or one of them for each vector", flags);
    return isTrue(flags.at(std::min<int64_t>(static_cast<int64_t>(key), flags.size() - 1)));
}

// Several keys: a tuple of vectors, with one direction each.
std::vector<int32_t> orderByKeys(Arguments arguments) {
    std::vector<Value> keys;
    if (arguments[0].isTuple()) {
        keys = arguments[0].tuple().elements;
    } else {
        keys.push_back(Value::of(vectorArgument(arguments, 0, "X")));
    }
    if (keys.empty()) return {};
    std::vector<SortKey> sortKeys;
    for (size_t i = 0; i < keys.size(); ++i) {
        if (!keys[i].isVector() || keys[i].isTuple())
            refuseArgument(0, "X", "a vector, or a tuple of vectors", arguments[0]);
        if (keys[i].size() != keys[0].size()) throw UserError(0, "The vectors to sort by differ in length.");
        sortKeys.push_back({&keys[i].vector(), isAscending(arguments, 1, "ascending", i)});
    }
    return sortedOrder(sortKeys);
}

Value isortKernel(Context&, Arguments arguments) {
    return Value::of(positionsOf(orderByKeys(arguments)));
}

// Returns the group of a rank among `groups` groups of sizes as equal as possible, the larger ones first.
int32_t groupOf(int64_t rank, int64_t count, int64_t groups) {
    int64_t least = count / groups, larger = count % groups;
    int64_t inLarger = larger * (least + 1);
    if (rank < inLarger) return static_cast<int32_t>(rank / (least + 1));
    return static_cast<int32_t>(larger + (rank - inLarger) / std::max<int64_t>(1, least));
}

// rank(X, [ascending], [groupNum], [ignoreNA], [tiesMethod], [percent])
Ref<Vector> rankOf(const Vector& v, bool ascending, int64_t groups, bool ignoreNA, const std::string& ties,
                   bool percent) {
    std::vector<int32_t> order = orderOf(v, ascending);
    auto n = static_cast<int64_t>(order.size());
    std::vector<double> ranks(static_cast<size_t>(n), null<double>);
    if (ignoreNA)
        order.erase(std::remove_if(order.begin(), order.end(), [&](int32_t i) { return v.isNullAt(i); }), order.end());
    auto count = static_cast<int64_t>(order.size());
    for (int64_t i = 0; i < count;) {
        int64_t end = i + 1;
        while (end < count &&
               compareElements(v, order[static_cast<size_t>(i)], v, order[static_cast<size_t>(end)]) == 0)
            ++end;
        for (int64_t k = i; k < end; ++k) {
            double rank = static_cast<double>(i);
            if (ties == "max") rank = static_cast<double>(end - 1);
            if (ties == "average") rank = static_cast<double>(i + end - 1) / 2;
            if (ties == "first") rank = static_cast<double>(k);
            ranks[static_cast<size_t>(order[static_cast<size_t>(k)])] = rank;
        }
        i = end;
    }
    if (percent || (ties == "average" && groups == 0)) {
        Ref<Vector> out = Vector::make(Type::Double, n);
        for (int64_t i = 0; i < n; ++i) {
            double rank = ranks[static_cast<size_t>(i)];
            out->mutableData<double>()[i] = isNull(rank) || !percent ? rank : (rank + 1) / static_cast<double>(count);
        }
        return out;
    }
    Ref<Vector> out = Vector::make(Type::Int, n);
    for (int64_t i = 0; i < n; ++i) {
        double rank = ranks[static_cast<size_t>(i)];
        int32_t whole = isNull(rank) ? null<int32_t> : static_cast<int32_t>(rank);
        if (groups > 0 && !isNull(whole)) whole = groupOf(whole, count, groups);
        out->mutableData<int32_t>()[i] = whole;
    }
    return out;
}

Value rankKernel(Context&, Arguments arguments) {
    bool ascending = flagArgument(arguments, 1, "ascending", true);
    int64_t groups = integerArgument(arguments, 2, "groupNum", 0);
    bool ignoreNA = flagArgument(arguments, 3, "ignoreNA", true);
    std::string ties = stringArgument(arguments, 4, "tiesMethod", "min");
    bool percent = flagArgument(arguments, 5, "percent", false);
    if (ties != "min" && ties != "max" && ties != "average" && ties != "first") {
        refuseArgument(4, "tiesMethod", "min, max, average or first", arguments[4]);
    }
    if (isGiven(arguments, 6)) {
        // Values that agree to `precision` decimals are equal: both are rounded to that grid.
        int64_t precision = integerArgument(arguments, 6, "precision");
        if (precision < 1 || precision > 15) refuseArgument(6, "precision", "between 1 and 15", arguments[6]);
        if (ties == "first")
            refuseArgument(4, "tiesMethod", "min, max or average when precision is given", arguments[4]);
        double scale = std::pow(10.0, static_cast<double>(precision));
        arguments[0] = mapElements(arguments[0], [scale](const Vector& v) {
            Ref<Vector> out = numbersAs<double>(v)->copy();
            for (int64_t i = 0; i < out->size(); ++i) {
                double& x = out->mutableData<double>()[i];
                if (!isNull(x)) x = std::round(x * scale) / scale;
            }
            return out;
        });
    }
    // The ranks of a dictionary are those of its values.
    if (arguments[0].isDictionary()) arguments[0] = arguments[0].dictionary().values();
    return vectorForms(
        [&](std::span<const Value> step) {
            return Value::of(rankOf(step[0].vector(), ascending, groups, ignoreNA, ties, percent));
        },
        arguments);
}

Value denseRankKernel(Context&, Arguments arguments) {
    bool ascending = flagArgument(arguments, 1, "ascending", true);
    bool ignoreNA = flagArgument(arguments, 2, "ignoreNA", true);
    bool percent = flagArgument(arguments, 3, "percent", false);
    return vectorForms(
        [&](std::span<const Value> step) {
            const Vector& v = step[0].vector();
            std::vector<int32_t> order = orderOf(v, ascending);
            Ref<Vector> out = Vector::make(Type::Int, v.size());
            int32_t* y = out->mutableData<int32_t>();
            int32_t rank = -1, previous = -1;
            for (int32_t row : order) {
                if (ignoreNA && v.isNullAt(row)) {
                    y[row] = null<int32_t>;
                    continue;
                }
                if (previous < 0 || compareElements(v, previous, v, row) != 0) ++rank;
                previous = row;
                y[row] = rank;
            }
            if (!percent) return Value::of(out);
            return applyBinary(Operator::Ratio, applyBinary(Operator::Add, Value::of(out), Value::ofInt(1)),
                               Value::ofInt(rank + 1));
        },
        arguments.first(1));
}

Value isSortedKernel(Context&, Arguments arguments) {
    bool ascending = flagArgument(arguments, 1, "ascending", true);
    return Value::ofBool(inOrder(*vectorArgument(arguments, 0, "X"), ascending));
}

// isortTop(X, top, [ascending=true])
Value isortTopKernel(Context&, Arguments arguments) {
    const int64_t top = integerArgument(arguments, 1, "top");
    std::vector<Value> sorting = {arguments[0], arguments[2]};
    std::vector<int32_t> order = orderByKeys(sorting);
    if (top < 1 || top > static_cast<int64_t>(order.size()))
        refuseArgument(1, "top", "between 1 and the size of X", arguments[1]);
    order.resize(static_cast<size_t>(top));
    return Value::of(positionsOf(order));
}

// isort!(X, [ascending=true], indices): indices in the order of X.
Value isortInPlace(Context&, Arguments arguments) {
    std::vector<Value> sorting = {arguments[0], arguments[1]};
    const std::vector<int32_t> order = orderByKeys(sorting);
    Ref<Vector> indices = vectorArgument(arguments, 2, "indices");
    if (indices->size() != static_cast<int64_t>(order.size())) {
        throw UserError(2, fmt::format("indices must be as long as X, but they have {} and {} elements.",
                                       indices->size(), order.size()));
    }
    return Value::of(indices->gather(order.data(), indices->size()));
}

// Rows of a table by columns given as names.
Value sortByKernel(Context&, Arguments arguments) {
    if (!arguments[0].isTable()) refuseArgument(0, "table", "a table in memory", arguments[0]);
    auto* table = asMemoryTable(arguments[0]);
    if (!table) refuseArgument(0, "table", "a table in memory", arguments[0]);
    requireChangeable(*table);
    std::vector<SortKey> keys;
    std::vector<std::string> names = namesArgument(arguments, 1, "sortColumns");
    if (names.empty()) throw UserError(1, "sortColumns must name a column of the table at least.");
    for (size_t i = 0; i < names.size(); ++i) {
        const Value* column = table->column(names[i]);
        if (!column) throw unknownColumn(names[i], table->columns(), 1);
        keys.push_back({&column->vector(), isAscending(arguments, 2, "sortDirections", i)});
    }
    std::vector<int32_t> order = sortedOrder(keys);
    Ref<MemoryTable> sorted = table->gather(order.data(), static_cast<int64_t>(order.size()));
    if (table->lock || !arguments[0].isUnique()) {
        // A shared table is changed in place, under its lock.
        if (table->lock) {
            const OptionalLock guard(table->lock.get());
            table->mutableColumns() = sorted->mutableColumns();
            table->keep();
            return arguments[0];
        }
    }
    sorted->name = table->name;
    if (table->keys()) sorted->setKeys(table->keys()->withoutRows());
    arguments[0] = Value::of(Ref<Table>(sorted));
    return arguments[0];
}

// Finds the positions of the elements of y in the sorted x: binsrch and asof.
template <bool kAsof>
Ref<Vector> positionsIn(const Ref<Vector>& x, Ref<Vector> y) {
    if (x->type() != y->type()) y = cast(*y, x->type());
    Ref<Vector> out = Vector::make(Type::Int, y->size());
    for (int64_t i = 0; i < y->size(); ++i) {
        if (i % 4096 == 0) checkCancelled();
        int64_t low = 0, high = x->size();
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            int order = compareElements(*x, middle, *y, i);
            if (kAsof ? order <= 0 : order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (kAsof) {
            out->mutableData<int32_t>()[i] = static_cast<int32_t>(low - 1);
        } else {
            bool found = low < x->size() && compareElements(*x, low, *y, i) == 0;
            out->mutableData<int32_t>()[i] = found ? static_cast<int32_t>(low) : -1;
        }
    }
    return out;
}

template <bool kAsof>
Value searchKernel(Context&, Arguments arguments) {
    const Ref<Vector> x = vectorArgument(arguments, 0, "X");
    return mapContainer(
        arguments[1],
        [&](const Value& v) -> Value {
            Value y = v;
            Ref<Vector> found = positionsIn<kAsof>(x, vectorArgument({&y, 1}, 0, "Y"));
            if (y.isMatrix()) return Value::of(y.matrix().withCells(found));
            return y.isScalar() ? found->at(0) : Value::of(found);
        },
        [](Type) { return true; });
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "isortTop.X: a vector, or a tuple of vectors to sort by in turn\n"
    "top: how many positions, from 1 to the size of X\n"
    "isort!.X: a vector, or a tuple of vectors to sort by in turn\n"
    "ascending: true is from the smallest on, false from the largest\n"
    "isortTop.ascending: true sorts from the smallest on, false from the largest; for a tuple one for each vector\n"
    "isort!.ascending: true sorts from the smallest on, false from the largest; for a tuple one for each vector\n"
    "indices: a vector as long as X, whose elements are put in its order\n"
    "rank.X: a vector or dictionary; a matrix or table is ranked column by column\n"
    "groupNum: into how many groups of about equal size the elements are divided, as an integer; no groups when "
    "omitted\n"
    "ignoreNA: true gives NULL no rank; false ranks it as the smallest\n"
    "tiesMethod: the rank of equal elements: their min, max or average, or by their position: first\n"
    "percent: true gives the rank as a part of the number of elements, as DOUBLE\n"
    "precision: to how many decimals elements are compared, from 1 to 15; exactly when omitted\n"
    "denseRank.X: a vector; a matrix or table is ranked column by column\n"
    "table: a table in memory\n"
    "sortColumns: the name of a column, or several to sort by in turn\n"
    "sortDirections: true for ascending, false for descending: one for all columns or one for each; ascending when "
    "omitted";

void registerOrder(FunctionRegistry& registry) {
    constexpr std::string_view kNulls = "NULLs come first ascending, last descending.";
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view nulls,
                   std::string_view example, const Declaration& declaration = {.orderSensitive = true}) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = nulls,
                      .example = example},
                     declaration);
    };
    add("sort(X, [ascending=true])", sortKernel, "X in order; of a matrix, its cells column after column.", kNulls,
        "sort(3 1 NULL 2) -> [,1,2,3]\nsort(`b`a, false) -> [\"b\",\"a\"]");
    add("sort!(X, [ascending=true])", sortInPlace, "As sort, changing X.", kNulls, "x = 3 1 2; sort!(x); x -> [1,2,3]");
    add("isort(X, [ascending=true])", isortKernel,
        "The positions that put X in order; X may be a tuple of vectors to sort by in turn.", kNulls,
        "isort(3 1 2) -> [1,2,0]");
    add("isortTop(X, top, [ascending=true])", isortTopKernel, "The first `top` positions of isort(X, ascending).",
        kNulls, "isortTop(30 10 20, 2) -> [1,2]");
    add("isort!(X, [ascending=true], indices)", isortInPlace, "The vector indices in the order of X.", kNulls,
        "isort!(3 1 2, true, 7 8 9) -> [8,9,7]", {.orderSensitive = true, .givesOther = true});
    add("rank(X, [ascending=true], [groupNum], [ignoreNA=true], [tiesMethod='min'], [percent=false], [precision])",
        rankKernel, "The rank of each element from 0; with groupNum, the number of its quantile group.",
        "NULL while ignoreNA.", "rank(30 10 20 10) -> [3,0,2,0]");
    add("denseRank(X, [ascending=true], [ignoreNA=true], [percent=false])", denseRankKernel,
        "The rank of each element from 0, without gaps after equal elements.", "NULL while ignoreNA.",
        "denseRank(30 10 20 10) -> [2,0,1,0]");
    add("isSorted(X, [ascending=true])", isSortedKernel, "Whether X is in order.", kNulls, "isSorted(1 2 2) -> true");
    add("sortBy!(table, sortColumns, [sortDirections])", sortByKernel,
        "The rows of the table in order of the columns, changing the table.", kNulls,
        "t = table(3 1 2 as a); sortBy!(t, `a); t.a -> [1,2,3]");
    add("binsrch(X, Y)", searchKernel<false>, "The position of each Y in the sorted X, or -1.", kNulls,
        "binsrch(1 3 5, 3 4) -> [1,-1]");
    add("asof(X, Y)", searchKernel<true>,
        "The position of the last element of the sorted X that is not above each Y, or -1.", kNulls,
        "asof(1 3 5, 4 0) -> [1,-1]");
}

}  // namespace pelorus
