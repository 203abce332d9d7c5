// Which rows belong to which group, for the stages that compute group by group.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "common/error.h"
#include "common/thread_pool.h"
#include "runtime/kernel/index.h"
#include "runtime/kernel/row_order.h"
#include "sql/operators/aggregate/group_table.h"
#include "sql/operators/join/item_range.h"
#include "sql/select.h"

namespace pelorus {

namespace {

// Where each of the groups, numbered as they were found, stands in ascending order of the keys; sorts the keys.
std::vector<int32_t> placesInOrder(std::vector<Value>& keys, int64_t groups) {
    std::vector<OrderKey> order;
    for (const Value& k : keys) order.push_back({k});
    const std::vector<int32_t> sorted = sortPositions(order, groups);
    const Ref<Vector> positions = Vector::of(Type::Int, sorted);
    for (Value& k : keys) k = takeRows(k, *positions);
    std::vector<int32_t> place(sorted.size());
    for (size_t i = 0; i < sorted.size(); ++i) place[static_cast<size_t>(sorted[i])] = static_cast<int32_t>(i);
    return place;
}

// Places the rows of each group behind one another, given the group of each row, in pieces on all threads: every piece
// knows where its rows of a group go by counting all pieces first. `groupOf(i)` is below `slots`; `place[slot]` is the
// group's place.
template <class GroupOf>
void placeRows(int64_t rows, const std::vector<int32_t>& order, size_t slots, const std::vector<int32_t>& place,
               size_t groups, const GroupOf& groupOf, FlatRowGroups& result) {
    const int64_t pieces = std::clamp<int64_t>(rows >> 19, 1, std::max<int64_t>(1, rows / static_cast<int64_t>(slots)));
    const int64_t pieceRows = (rows + pieces - 1) / pieces;
    auto rowAt = [&](int64_t i) { return order.empty() ? static_cast<int32_t>(i) : order[static_cast<size_t>(i)]; };
    std::vector<std::vector<int32_t>> next(static_cast<size_t>(pieces), std::vector<int32_t>(slots, 0));
    parallelFor(pieces, [&](int64_t p) {
        int32_t* count = next[static_cast<size_t>(p)].data();
        for (int64_t i = p * pieceRows, end = std::min(rows, i + pieceRows); i < end; ++i) ++count[groupOf(rowAt(i))];
    });
    result.begin.assign(groups + 1, 0);
    for (const auto& counts : next) {
        for (size_t s = 0; s < slots; ++s) {
            if (counts[s]) result.begin[static_cast<size_t>(place[s]) + 1] += counts[s];
        }
    }
    for (size_t g = 0; g < groups; ++g) result.begin[g + 1] += result.begin[g];
    std::vector<int32_t> reached(result.begin.begin(), result.begin.end() - 1);
    for (auto& counts : next) {
        for (size_t s = 0; s < slots; ++s) {
            if (!counts[s]) continue;
            int32_t& at = reached[static_cast<size_t>(place[s])];
            const int32_t count = counts[s];
            counts[s] = at;
            at += count;
        }
    }
    result.places = Vector::make(Type::Int, rows);
    int32_t* places = result.places->mutableItems<int32_t>();
    std::atomic<bool> inPlace{true};
    parallelFor(pieces, [&](int64_t p) {
        int32_t* at = next[static_cast<size_t>(p)].data();
        bool same = true;
        for (int64_t i = p * pieceRows, end = std::min(rows, i + pieceRows); i < end; ++i) {
            const int32_t row = rowAt(i);
            const int32_t to = at[groupOf(row)]++;
            places[row] = to;
            same &= to == row;
        }
        if (!same) inPlace.store(false, std::memory_order_relaxed);
    });
    result.inPlace = inPlace;
}

// One key of symbols or small integers: its items are the numbers of the groups.
template <class T>
bool placeDense(const Vector& key, const std::vector<int32_t>& order, FlatRowGroups& result) {
    const T* items = key.items<T>();
    const int64_t rows = key.size();
    const ItemRange<T> range = rangeOf<T>(key);
    if (range.width() > std::max<int64_t>(int64_t{1} << 12, rows / 4)) return false;
    const auto low = static_cast<int64_t>(range.low);
    auto slotOf = [&](int32_t row) { return static_cast<size_t>(static_cast<int64_t>(items[row]) - low); };
    std::vector<char> isThere(static_cast<size_t>(range.width()), 0);
    for (int64_t i = 0; i < rows; ++i) isThere[slotOf(static_cast<int32_t>(i))] = 1;
    std::vector<T> found;
    std::vector<int32_t> number(isThere.size(), -1);
    for (size_t s = 0; s < isThere.size(); ++s) {
        if (!isThere[s]) continue;
        number[s] = static_cast<int32_t>(found.size());
        found.push_back(static_cast<T>(low + static_cast<int64_t>(s)));
    }
    result.keys = {Value::of(Vector::of(key.type(), found))};
    const std::vector<int32_t> places = placesInOrder(result.keys, static_cast<int64_t>(found.size()));
    for (int32_t& n : number) n = n < 0 ? -1 : places[static_cast<size_t>(n)];
    placeRows(rows, order, isThere.size(), number, found.size(), slotOf, result);
    return true;
}

bool placeOneKey(const Value& key, const std::vector<int32_t>& order, FlatRowGroups& result) {
    if (!key.isVector() || key.isTuple() || isDecimal(key.type()) || key.size() == 0) return false;
    switch (storageOf(key.type())) {
        case Storage::Int8:
            return placeDense<int8_t>(key.vector(), order, result);
        case Storage::Int16:
            return placeDense<int16_t>(key.vector(), order, result);
        case Storage::Int32:
            return placeDense<int32_t>(key.vector(), order, result);
        default:
            return false;
    }
}

}  // namespace

FlatRowGroups groupRowsFlat(const std::vector<OutputItem>& keys, const MemoryTable& table,
                            const std::vector<int32_t>& order, Context& context) {
    std::vector<Value> columns;
    std::vector<Type> types;
    for (const OutputItem& key : keys) {
        ColumnExpression e(key.value, table.columns(), context);
        columns.push_back(e.evaluate(context, table));
        if (!columns.back().isScalar() && columns.back().size() != table.rowCount()) {
            throw UserError(fmt::format("The grouping column {} must give one value per row.", key.names[0]));
        }
        types.push_back(columns.back().type());
    }
    FlatRowGroups result;
    if (columns.size() == 1 && placeOneKey(columns[0], order, result)) return result;
    std::vector<int32_t> numbers(static_cast<size_t>(table.rowCount()));
    GroupTable groups(types);
    groups.assign(columns, table.rowCount(), numbers.data());
    result.keys = groups.keys();
    const std::vector<int32_t> places = placesInOrder(result.keys, groups.size());
    placeRows(
        table.rowCount(), order, std::max<size_t>(places.size(), 1), places, places.size(),
        [&](int32_t row) { return static_cast<size_t>(numbers[static_cast<size_t>(row)]); }, result);
    return result;
}

std::vector<int32_t> FlatRowGroups::rows() const {
    std::vector<int32_t> list(static_cast<size_t>(places->size()));
    const int32_t* place = places->items<int32_t>();
    for (size_t i = 0; i < list.size(); ++i) list[static_cast<size_t>(place[i])] = static_cast<int32_t>(i);
    return list;
}

RowGroups groupRows(const std::vector<OutputItem>& keys, const MemoryTable& table, Context& context) {
    FlatRowGroups flat = groupRowsFlat(keys, table, {}, context);
    RowGroups result;
    result.keys = std::move(flat.keys);
    const std::vector<int32_t> list = flat.rows();
    for (size_t g = 0; g + 1 < flat.begin.size(); ++g) {
        result.rows.emplace_back(list.begin() + flat.begin[g], list.begin() + flat.begin[g + 1]);
    }
    return result;
}

}  // namespace pelorus
