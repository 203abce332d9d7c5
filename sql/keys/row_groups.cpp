// Row lists of groups, for the stages that compute group by group.
#include "sql/keys/row_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/row_order.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/group_table.h"
#include "sql/keys/join_key_range.h"

namespace pelorus {

namespace {

// The rows of all groups in one list: those of group g from begin[g] to begin[g + 1].
struct ListedGroups {
    std::vector<Value> keys;
    std::vector<int32_t> begin, rows;
};

// Returns the rank in ascending order of the keys of each group, numbered as they were found; sorts the keys.
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

// Counting sort of the rows by group, in pieces on all threads: all pieces are counted first, so that every piece knows
// the positions of its rows of a group. `groupOf(i)` is below `slots`; `place[slot]` is the group's rank.
template <class GroupOf>
void listRows(int64_t rows, size_t slots, const std::vector<int32_t>& place, size_t groups, const GroupOf& groupOf,
              ListedGroups& result) {
    const int64_t pieces = std::clamp<int64_t>(rows >> 19, 1, std::max<int64_t>(1, rows / static_cast<int64_t>(slots)));
    const int64_t pieceRows = (rows + pieces - 1) / pieces;
    std::vector<std::vector<int32_t>> next(static_cast<size_t>(pieces), std::vector<int32_t>(slots, 0));
    parallelFor(pieces, [&](int64_t p) {
        int32_t* count = next[static_cast<size_t>(p)].data();
        for (int64_t i = p * pieceRows, end = std::min(rows, i + pieceRows); i < end; ++i)
            ++count[groupOf(static_cast<int32_t>(i))];
    });
    result.begin.assign(groups + 1, 0);
    for (const auto& counts : next) {
        for (size_t s = 0; s < slots; ++s) {
            if (counts[s]) result.begin[static_cast<size_t>(place[s]) + 1] += counts[s];
        }
    }
    for (size_t g = 0; g < groups; ++g) result.begin[g + 1] += result.begin[g];
    CHECK(result.begin.back() == rows) << "each row is in a group";
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
    result.rows.resize(static_cast<size_t>(rows));
    parallelFor(pieces, [&](int64_t p) {
        int32_t* at = next[static_cast<size_t>(p)].data();
        for (int64_t i = p * pieceRows, end = std::min(rows, i + pieceRows); i < end; ++i) {
            const auto row = static_cast<int32_t>(i);
            result.rows[static_cast<size_t>(at[groupOf(row)]++)] = row;
        }
    });
}

// Whether values of this range serve as numbers of groups.
template <class T>
bool isDense(const ValueRange<T>& range, int64_t rows) {
    return range.width() <= std::max<int64_t>(int64_t{1} << 12, rows / 4);
}

// One key of symbols or small integers: its values are the numbers of the groups.
template <class T>
bool listDense(const Vector& key, ListedGroups& result) {
    const T* items = key.data<T>();
    const int64_t rows = key.size();
    const ValueRange<T> range = rangeOf<T>(key);
    if (!isDense(range, rows)) return false;
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
    listRows(rows, isThere.size(), number, found.size(), slotOf, result);
    return true;
}

template <class T>
bool numberDense(const Value& key, GroupNumbers& result) {
    const ValueRange<T> range = rangeOf<T>(key.vector());
    if (!isDense(range, key.size())) return false;
    result.slots = range.width();
    result.write = [key, low = static_cast<int64_t>(range.low)](int64_t begin, int64_t count, int32_t* numbers) {
        const T* items = key.vector().data<T>() + begin;
        for (int64_t i = 0; i < count; ++i) numbers[i] = static_cast<int32_t>(static_cast<int64_t>(items[i]) - low);
    };
    return true;
}

// Calls f with a single key whose values may serve as numbers of groups, and a value of their type.
template <class F>
bool withOneKey(std::span<const Value> keys, const F& f) {
    if (keys.size() != 1 || !keys[0].isTypedVector() || isDecimal(keys[0].type()) || keys[0].size() == 0) return false;
    switch (storageOf(keys[0].type())) {
        case Storage::Int8:
            return f(keys[0], int8_t{});
        case Storage::Int16:
            return f(keys[0], int16_t{});
        case Storage::Int32:
            return f(keys[0], int32_t{});
        default:
            return false;
    }
}

std::vector<Type> typesOf(std::span<const Value> columns) {
    std::vector<Type> types;
    for (const Value& column : columns) types.push_back(column.type());
    return types;
}

}  // namespace

std::vector<Value> keysOfRows(const std::vector<BoundItem>& keys, const MemoryTable& table, Context& context) {
    std::vector<Value> columns;
    for (const BoundItem& key : keys) {
        columns.push_back(key.value.evaluate(context, table));
        if (!columns.back().isScalar() && columns.back().size() != table.rowCount()) {
            throw UserError(fmt::format("The grouping column {} must give one value per row.", key.names()[0]));
        }
    }
    return columns;
}

std::optional<GroupNumbers> groupNumbers(std::span<const Value> keys, int64_t rows, int64_t most) {
    GroupNumbers result;
    const bool isDense =
        withOneKey(keys, [&](const Value& key, auto zero) { return numberDense<decltype(zero)>(key, result); });
    if (isDense) return result.slots <= most ? std::optional(std::move(result)) : std::nullopt;
    const bool areFlat =
        std::all_of(keys.begin(), keys.end(), [](const Value& key) { return key.isScalar() || key.isTypedVector(); });
    if (!areFlat) return std::nullopt;
    std::vector<int32_t> all(static_cast<size_t>(rows));
    GroupTable groups(typesOf(keys));
    for (int64_t begin = 0; begin < rows; begin += kPieceRows) {
        const int64_t count = std::min(kPieceRows, rows - begin);
        std::vector<Value> piece(keys.begin(), keys.end());
        for (Value& key : piece) {
            if (!key.isScalar()) key = Value::of(key.vector().slice(begin, count));
        }
        groups.assign(piece, count, all.data() + begin);
        if (groups.size() > most) return std::nullopt;
    }
    result.slots = groups.size();
    result.write = [all = std::move(all)](int64_t begin, int64_t count, int32_t* numbers) {
        std::copy_n(all.data() + begin, count, numbers);
    };
    return result;
}

static ListedGroups listGroups(std::span<const Value> columns, int64_t rows) {
    ListedGroups result;
    const bool isListed = withOneKey(
        columns, [&](const Value& key, auto zero) { return listDense<decltype(zero)>(key.vector(), result); });
    if (isListed) return result;
    std::vector<int32_t> numbers(static_cast<size_t>(rows));
    GroupTable groups(typesOf(columns));
    groups.assign(columns, rows, numbers.data());
    result.keys = groups.keys();
    const std::vector<int32_t> places = placesInOrder(result.keys, groups.size());
    listRows(
        rows, std::max<size_t>(places.size(), 1), places, places.size(),
        [&](int32_t row) { return static_cast<size_t>(numbers[static_cast<size_t>(row)]); }, result);
    return result;
}

RowGroups groupRows(const std::vector<Value>& keys, int64_t rows) {
    ListedGroups listed = listGroups(keys, rows);
    RowGroups result;
    result.keys = std::move(listed.keys);
    for (size_t g = 0; g + 1 < listed.begin.size(); ++g)
        result.rows.emplace_back(listed.rows.begin() + listed.begin[g], listed.rows.begin() + listed.begin[g + 1]);
    return result;
}

RowGroups groupRows(const std::vector<BoundItem>& keys, const MemoryTable& table, Context& context) {
    return groupRows(keysOfRows(keys, table, context), table.rowCount());
}

RowGroups groupRows(const std::vector<OutputItem>& keys, const MemoryTable& table, Context& context) {
    std::vector<BoundItem> bound;
    for (const OutputItem& key : keys) bound.push_back({key, bindProgram(key.value, table.columns(), context)});
    return groupRows(bound, table, context);
}

}  // namespace pelorus
