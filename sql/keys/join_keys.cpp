#include "sql/keys/join_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/value/cast.h"
#include "sql/keys/group_table.h"
#include "sql/keys/join_key_range.h"
#include "sql/keys/row_pieces.h"

namespace pelorus {

namespace {

template <class T>
void numberItems(const Vector& items, int64_t low, T none, RowNumbers& groups) {
    groups.resize(static_cast<size_t>(items.size()));
    forEachPiece(items.size(), [&](int64_t begin, int64_t end) {
        const T* x = items.data<T>();
        int32_t* out = groups.data();
        for (int64_t i = begin; i < end; ++i) {
            out[i] = isNull(x[i]) || x[i] == none ? -1 : static_cast<int32_t>(static_cast<int64_t>(x[i]) - low);
        }
    });
}

// One key of small integers, or of symbols, is its own number.
template <class T>
bool numberDense(const Vector& left, const Vector& right, NumberedKeys& result) {
    ValueRange<T> range = rangeOf<T>(left, NullValues::Skip);
    range.include(rangeOf<T>(right, NullValues::Skip));
    if (range.isEmpty()) return false;
    if (range.width() > std::max<int64_t>(int64_t{1} << 16, 2 * (left.size() + right.size()))) return false;
    const auto low = static_cast<int64_t>(range.low);
    const T none = left.type() == Type::Symbol ? T{0} : null<T>;
    numberItems<T>(left, low, none, result.left);
    numberItems<T>(right, low, none, result.right);
    result.groups = range.width();
    return true;
}

bool numberOneKey(const Vector& left, const Vector& right, NumberedKeys& result) {
    if (isDecimal(left.type())) return false;
    switch (storageOf(left.type())) {
        case Storage::Int8:
            return numberDense<int8_t>(left, right, result);
        case Storage::Int16:
            return numberDense<int16_t>(left, right, result);
        case Storage::Int32:
            return numberDense<int32_t>(left, right, result);
        default:
            return false;
    }
}

}  // namespace

const Value& keyColumn(const MemoryTable& table, const std::string& name, const char* side) {
    const Value* column = table.column(name);
    if (!column) throw UserError(fmt::format("The {} table of the join has no column {}.", side, name));
    if (column->isTuple()) throw UserError(fmt::format("The column {} of mixed values can't be a join key.", name));
    return *column;
}

// Both sides of a key in one type, so that equal values get equal numbers.
std::pair<Value, Value> comparable(const Value& a, const Value& b, const std::string& name) {
    if (a.type() == b.type()) return {a, b};
    if (isLiteral(a.type()) && isLiteral(b.type())) return {cast(a, Type::Symbol), cast(b, Type::Symbol)};
    try {
        Type type = isTemporal(a.type()) && isTemporal(b.type()) ? planBinary(Operator::Eq, a.type(), b.type()).operands
                                                                 : commonType(a.type(), b.type());
        if (type != Type::Any) return {cast(a, type), cast(b, type)};
    } catch (const UserError&) {
    }
    throw UserError(fmt::format("The key {} is {} on one side of the join and {} on the other.", name,
                                typeName(a.type()), typeName(b.type())));
}

NumberedKeys numberKeys(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys, size_t keyCount) {
    NumberedKeys result;
    if (keyCount == 0) {
        result.left.assign(static_cast<size_t>(left.rowCount()), 0);
        result.right.assign(static_cast<size_t>(right.rowCount()), 0);
        result.groups = 1;
        return result;
    }
    std::vector<Value> leftKeys, rightKeys;
    std::vector<Type> types;
    for (size_t k = 0; k < keyCount; ++k) {
        auto [a, b] =
            comparable(keyColumn(left, keys.left[k], "left"), keyColumn(right, keys.right[k], "right"), keys.left[k]);
        types.push_back(a.type());
        leftKeys.push_back(std::move(a));
        rightKeys.push_back(std::move(b));
    }
    if (keyCount == 1 && numberOneKey(leftKeys[0].vector(), rightKeys[0].vector(), result)) return result;
    result.left.resize(static_cast<size_t>(left.rowCount()));
    result.right.resize(static_cast<size_t>(right.rowCount()));
    GroupTable table(types);
    table.assign(rightKeys, right.rowCount(), result.right.data());
    table.assign(leftKeys, left.rowCount(), result.left.data());
    result.groups = table.size();
    auto dropNulls = [](const std::vector<Value>& columns, RowNumbers& groups) {
        for (const Value& column : columns) {
            if (!column.vector().hasNull()) continue;
            for (size_t i = 0; i < groups.size(); ++i) {
                if (column.vector().isNullAt(static_cast<int64_t>(i))) groups[i] = -1;
            }
        }
    };
    dropNulls(leftKeys, result.left);
    dropNulls(rightKeys, result.right);
    return result;
}

GroupRows rowsByGroup(const RowNumbers& groups, int64_t groupCount) {
    GroupRows result;
    result.begin.assign(static_cast<size_t>(groupCount) + 1, 0);
    for (int32_t g : groups) {
        if (g >= 0) ++result.begin[static_cast<size_t>(g) + 1];
    }
    for (size_t g = 1; g < result.begin.size(); ++g) result.begin[g] += result.begin[g - 1];
    result.rows.resize(static_cast<size_t>(result.begin.back()));
    std::vector<int32_t> next(result.begin.begin(), result.begin.end() - 1);
    inPieces(static_cast<int64_t>(groups.size()), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            if (groups[i] >= 0)
                result.rows[static_cast<size_t>(next[static_cast<size_t>(groups[i])]++)] = static_cast<int32_t>(i);
        }
    });
    CHECK(next.empty() || next.back() == result.begin.back()) << "the last group is filled to its end";
    return result;
}

GroupRows rowsByGroupInOrder(const NumberedKeys& numbers, const Vector& rightTimes) {
    CHECK(rightTimes.size() == std::ssize(numbers.right)) << "each right row has a group and a last key";
    GroupRows result = rowsByGroup(numbers.right, std::max<int64_t>(numbers.groups, 1));
    const int64_t* times = rightTimes.data<int64_t>();
    const std::vector<int32_t>& rows = result.rows;
    std::atomic<bool> inOrder{true};
    forEachPiece(static_cast<int64_t>(rows.size()), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(std::max<int64_t>(begin, 1)); i < static_cast<size_t>(end); ++i) {
            if (times[rows[i - 1]] <= times[rows[i]]) continue;
            const auto before = static_cast<size_t>(rows[i - 1]), row = static_cast<size_t>(rows[i]);
            if (numbers.right[before] == numbers.right[row]) inOrder.store(false, std::memory_order_relaxed);
        }
    });
    if (inOrder) return result;
    const Ref<Vector> groups = Vector::make(Type::Int, static_cast<int64_t>(numbers.right.size()));
    std::copy(numbers.right.begin(), numbers.right.end(), groups->mutableData<int32_t>());
    const std::vector<OrderKey> order{{Value::of(groups)}, {Value::of(Ref<Vector>(const_cast<Vector*>(&rightTimes)))}};
    const std::vector<int32_t> positions = sortPositions(order, rightTimes.size());
    CHECK(positions.size() >= rows.size()) << "a sort keeps all rows";
    // Rows without a group, numbered -1, come first.
    std::copy(positions.end() - static_cast<int64_t>(rows.size()), positions.end(), result.rows.begin());
    return result;
}

Ref<Vector> orderedKey(const Value& column) {
    if (isLiteral(column.type()) || isFloating(column.type()) || storageOf(column.type()) == Storage::Bytes16) {
        throw UserError("The last key of an as-of or window join must be temporal or integral.");
    }
    Vector& items = column.vector();
    if (storageOf(column.type()) == Storage::Int64) return Ref<Vector>(&items);
    Ref<Vector> longs = Vector::make(Type::Long, items.size());
    auto* out = longs->mutableData<int64_t>();
    forEachPiece(items.size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) out[i] = items.isNullAt(i) ? null<int64_t> : items.asLong(i);
    });
    return longs;
}

std::pair<Ref<Vector>, Ref<Vector>> orderedKeys(const Value& left, const Value& right) {
    if (categoryOf(left.type()) != Category::Binary) return {orderedKey(left), orderedKey(right)};
    const Ref<Vector> both = left.vector().copy();
    both->append(right.vector(), 0, right.size());
    const Ref<Vector> ranks = Vector::make(Type::Long, both->size());
    auto* out = ranks->mutableData<int64_t>();
    int64_t rank = 0;
    int32_t before = -1;
    for (const int32_t row : sortPositions(std::vector<OrderKey>{{Value::of(both)}}, both->size())) {
        if (before >= 0 && compareElements(*both, before, *both, row) != 0) ++rank;
        out[row] = both->isNullAt(row) ? null<int64_t> : rank;
        before = row;
    }
    return {ranks->slice(0, left.size()), ranks->slice(left.size(), right.size())};
}

bool isAscending(const Vector& longs) {
    if (longs.isKnown(VectorProperty::Ascending)) return true;
    const int64_t* x = longs.data<int64_t>();
    std::atomic<bool> ascending{true};
    forEachPiece(longs.size(), [&](int64_t begin, int64_t end) {
        if (!ascending.load(std::memory_order_relaxed)) return;
        bool rises = true;
        for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i) rises &= x[i - 1] <= x[i];
        if (!rises) ascending.store(false, std::memory_order_relaxed);
    });
    if (ascending) longs.setProperty(VectorProperty::Ascending);
    return ascending;
}

}  // namespace pelorus
