#include "stdlib/higher_order/key_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/key_index.h"
#include "runtime/value/print.h"
#include "stdlib/value_parts.h"

namespace pelorus {

Ref<Vector> KeyGroups::firstRows() const {
    Ref<Vector> first = Vector::make(Type::Int, static_cast<int64_t>(rows.size()));
    for (size_t g = 0; g < rows.size(); ++g) first->mutableData<int32_t>()[g] = rows[g][0];
    return first;
}

std::vector<Value> keyColumns(const Value& keys, int argument) {
    bool several = keys.isMatrix() || (keys.isTuple() && keys.size() > 0 && !keys.at(0).isScalar());
    std::vector<Value> columns = several ? columnsOf(keys) : std::vector<Value>{keys};
    if (columns.empty()) throw UserError(argument, "There are no keys to group by.");
    for (const Value& column : columns) {
        if (!column.isVector()) {
            throw UserError(argument, fmt::format("A key must be a vector, but it is {}.", typeString(column)));
        }
        if (column.size() != columns[0].size()) {
            throw UserError(argument,
                            fmt::format("The keys differ in length: {} and {}.", columns[0].size(), column.size()));
        }
    }
    return columns;
}

// The number of each row's key, counted from 0 by first appearance.
static std::vector<int32_t> numbersOf(const Value& column, int64_t& count) {
    KeyIndex index(column.type());
    std::vector<int32_t> numbers(static_cast<size_t>(column.size()));
    if (column.isTuple()) {
        for (size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = static_cast<int32_t>(index.insert(column.tuple().elements[i]));
        }
    } else {
        index.insertAll(column.vector(), numbers.data());
    }
    count = index.size();
    return numbers;
}

KeyGroups groupByKeys(const std::vector<Value>& keys, bool sorted) {
    CHECK(!keys.empty()) << "rows are grouped by at least one key";
    int64_t count = 0;
    std::vector<int32_t> numbers = numbersOf(keys[0], count);
    for (size_t k = 1; k < keys.size(); ++k) {
        int64_t more = 0;
        std::vector<int32_t> next = numbersOf(keys[k], more);
        CHECK(next.size() == numbers.size()) << "each key column has the same rows";
        std::vector<int64_t> both(numbers.size());
        for (size_t i = 0; i < both.size(); ++i) both[i] = numbers[i] * more + next[i];
        numbers = numbersOf(Value::of(Vector::of(Type::Long, both)), count);
    }
    KeyGroups groups;
    groups.rows.resize(static_cast<size_t>(count));
    inPieces(static_cast<int64_t>(numbers.size()), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
            groups.rows[static_cast<size_t>(numbers[i])].push_back(static_cast<int32_t>(i));
    });
    if (!sorted) return groups;
    std::vector<OrderKey> order;
    Ref<Vector> first = groups.firstRows();
    for (const Value& key : keys) order.push_back({takeRows(key, *first)});
    KeyGroups ordered;
    for (int32_t g : sortPositions(order, count))
        ordered.rows.push_back(std::move(groups.rows[static_cast<size_t>(g)]));
    return ordered;
}

Value rowsAt(const Value& v, const std::vector<int32_t>& rows) {
    if (v.isScalar()) return v;
    Value positions = Value::of(Vector::of(Type::Int, rows));
    if (!v.isMatrix()) return takeRows(v, positions.vector());
    Value indices[2] = {positions, omitted()};
    return indexRead(v, indices);
}

}  // namespace pelorus
