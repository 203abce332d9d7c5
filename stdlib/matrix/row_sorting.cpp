// Sorting and filtering of the rows of array vectors and columnar tuples: rowFilterAndSort, rowMergeAndSort.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// Returns whether a value has rows: an array vector, or a tuple of vectors.
bool hasRows(const Value& v) {
    if (v.isArrayVector()) return true;
    if (!v.isTuple() || v.size() == 0) return false;
    const auto& elements = v.tuple().elements;
    return std::all_of(elements.begin(), elements.end(), [](const Value& row) { return row.isTypedVector(); });
}

// Returns the columns of an argument: one column, or several in a tuple.
std::vector<Value> columnsArgument(Arguments a, size_t i, std::string_view name, size_t most) {
    const Value& given = a[i];
    std::vector<Value> columns;
    if (hasRows(given)) {
        columns = {given};
    } else if (given.isTuple()) {
        columns = given.tuple().elements;
    }
    const bool all = !columns.empty() && std::all_of(columns.begin(), columns.end(), hasRows);
    if (!all || columns.size() > most) {
        refuseArgument(i, name, fmt::format("an array vector, a columnar tuple, or at most {} of them", most), given);
    }
    return columns;
}

Value rowOf(const Value& column, int64_t row) {
    return column.isArrayVector() ? Value::of(column.arrayVector().row(row))
                                  : column.tuple().elements[static_cast<size_t>(row)];
}

void requireSameRows(const std::vector<Value>& columns) {
    for (const Value& column : columns) {
        if (column.size() != columns[0].size()) throw UserError("All columns must have as many rows as sortVec.");
        for (int64_t r = 0; r < column.size(); ++r) {
            if (rowOf(column, r).size() != rowOf(columns[0], r).size()) {
                throw UserError(fmt::format("Row {} must have as many elements in all columns as in sortVec.", r));
            }
        }
    }
}

// Returns the rows as a column in the form of the given one.
Value columnOf(const Value& like, std::vector<Value> rows) {
    Value tuple = Value::of(makeRef<Tuple>(std::move(rows), TupleKind::Columnar));
    return like.isArrayVector() ? cast(tuple, like.type()) : tuple;
}

// rowFilterAndSort(sortVec, filterVec, orderedFilters, args...)
Value rowFilterAndSortKernel(Context&, Arguments a) {
    const std::vector<Value> sorted = columnsArgument(a, 0, "sortVec", 3),
                             filters = columnsArgument(a, 1, "filterVec", 3);
    std::vector<Value> columns = sorted;
    columns.insert(columns.end(), filters.begin(), filters.end());
    for (size_t i = 3; i < a.size(); ++i) {
        for (Value& column : columnsArgument(a, i, "args", 1)) columns.push_back(std::move(column));
    }
    requireSameRows(columns);
    // The position of each string to keep, per column of filterVec.
    std::vector<std::unordered_map<std::string, int>> places(filters.size());
    for (size_t f = 0; f < filters.size(); ++f) {
        const Value& strings = filters.size() == 1 && !a[2].isTuple() ? a[2]
                               : a[2].isTuple() && a[2].size() == static_cast<int64_t>(filters.size())
                                   ? a[2].tuple().elements[f]
                                   : Value();
        if (!isLiteral(strings.type())) {
            refuseArgument(2, "orderedFilters", "one vector of strings for each column of filterVec", a[2]);
        }
        for (int64_t i = 0; i < strings.size(); ++i)
            places[f].emplace(std::string(strings.at(i).string()), static_cast<int>(i));
    }
    std::vector<std::vector<Value>> rows(columns.size());
    for (int64_t r = 0; r < columns[0].size(); ++r) {
        std::vector<Value> cells;
        for (const Value& column : columns) cells.push_back(rowOf(column, r));
        std::vector<int64_t> kept;
        std::vector<std::vector<int>> rank(filters.size());
        for (int64_t i = 0; i < cells[0].size(); ++i) {
            bool stays = true;
            for (size_t f = 0; f < filters.size(); ++f) {
                const Value& strings = cells[sorted.size() + f];
                if (!isLiteral(strings.type())) throw UserError(1, "filterVec must hold strings.");
                const auto place = places[f].find(std::string(strings.vector().string(i)));
                stays = stays && place != places[f].end();
                rank[f].push_back(place == places[f].end() ? -1 : place->second);
            }
            if (stays) kept.push_back(i);
        }
        std::stable_sort(kept.begin(), kept.end(), [&](int64_t x, int64_t y) {
            // sortVec is sorted already, in either direction: only equal elements change places.
            for (size_t s = 0; s < sorted.size(); ++s) {
                if (compareElements(cells[s].vector(), x, cells[s].vector(), y) != 0) return x < y;
            }
            for (const auto& ranks : rank) {
                const int p = ranks[static_cast<size_t>(x)], q = ranks[static_cast<size_t>(y)];
                if (p != q) return p < q;
            }
            return false;
        });
        const Ref<Vector> positions = Vector::of(Type::Long, kept);
        for (size_t c = 0; c < columns.size(); ++c) rows[c].push_back(takeRows(cells[c], *positions));
    }
    std::vector<Value> result;
    for (size_t c = 0; c < columns.size(); ++c) result.push_back(columnOf(columns[c], std::move(rows[c])));
    return Value::of(makeRef<Tuple>(std::move(result)));
}

// Concatenates all rows.
Value merged(const Value& column) {
    if (column.isArrayVector()) return Value::of(column.arrayVector().values());
    const auto& rows = column.tuple().elements;
    Ref<Vector> all = Vector::make(rows[0].type(), 0);
    all->setScale(rows[0].vector().scale());
    for (const Value& row : rows) {
        const Ref<Vector> elements =
            row.type() == all->type() ? Ref<Vector>(&row.vector()) : cast(row.vector(), all->type());
        all->append(*elements, 0, elements->size());
    }
    return Value::of(all);
}

// rowMergeAndSort(sortVec, asc, args...)
Value rowMergeAndSortKernel(Context&, Arguments a) {
    const std::vector<Value> sorted = columnsArgument(a, 0, "sortVec", 2);
    std::vector<Value> columns = sorted;
    for (size_t i = 2; i < a.size(); ++i) {
        for (Value& column : columnsArgument(a, i, "args", 1)) columns.push_back(std::move(column));
    }
    requireSameRows(columns);
    if (!a[1].isScalar() && a[1].size() != static_cast<int64_t>(sorted.size())) {
        refuseArgument(1, "asc", "true, false, or one of them for each column of sortVec", a[1]);
    }
    std::vector<char> ascending;
    for (size_t s = 0; s < sorted.size(); ++s) {
        ascending.push_back(isTrue(a[1].isScalar() ? a[1] : a[1].at(static_cast<int64_t>(s))));
    }
    std::vector<Value> whole;
    for (const Value& column : columns) whole.push_back(merged(column));
    std::vector<int64_t> positions(static_cast<size_t>(whole[0].size()));
    std::iota(positions.begin(), positions.end(), 0);
    std::stable_sort(positions.begin(), positions.end(), [&](int64_t x, int64_t y) {
        for (size_t s = 0; s < sorted.size(); ++s) {
            const int order = compareElements(whole[s].vector(), x, whole[s].vector(), y);
            if (order != 0) return ascending[s] ? order < 0 : order > 0;
        }
        return false;
    });
    const Ref<Vector> order = Vector::of(Type::Long, positions);
    for (Value& column : whole) column = takeRows(column, *order);
    return whole.size() == 1 ? whole[0] : Value::of(makeRef<Tuple>(std::move(whole)));
}

}  // namespace

void registerRowSorting(FunctionRegistry& registry) {
    registry.add(
        "rowFilterAndSort(sortVec, filterVec, orderedFilters, args...)", rowFilterAndSortKernel,
        {.summary = "The rows of array vectors or columnar tuples without the elements whose string in filterVec is "
                    "not in orderedFilters; elements that are equal in sortVec come in the order of orderedFilters. "
                    "A tuple of all columns.",
         .parameters = "sortVec, filterVec: one column, or up to three in a tuple; the rows of sortVec are in "
                       "order\norderedFilters: strings, a tuple of them for several columns of filterVec",
         .errors = "Rows of different lengths.",
         .example = "rowFilterAndSort((1 1 2, 3 3), (`b`a`b, `c`a), `a`b, (7 8 9, 5 6))[2] -> ([8,7,9],[6])"});
    registry.add(
        "rowMergeAndSort(sortVec, asc, args...)", rowMergeAndSortKernel,
        {.summary =
             "All rows of an array vector or columnar tuple as one vector, sorted; the columns args go along, in "
             "a tuple.",
         .parameters = "sortVec: one column, or two in a tuple\nasc: whether up; one for each column of sortVec",
         .nulls = "NULL is the least.",
         .errors = "Rows of different lengths.",
         .example = "rowMergeAndSort((3 1, 2 5), true) -> [1,2,3,5]"});
}

}  // namespace pelorus
