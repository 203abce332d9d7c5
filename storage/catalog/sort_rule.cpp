#include "storage/catalog/sort_rule.h"

#include <cstring>

#include "runtime/kernel/sort/row_order.h"
#include "storage/catalog/catalog.h"

namespace pelorus {

namespace {

bool sameItem(const Vector& v, int32_t a, int32_t b) {
    if (storageOf(v.type()) == Storage::String) return v.string(a) == v.string(b);
    const auto width = static_cast<size_t>(v.width());
    return std::memcmp(v.raw() + static_cast<size_t>(a) * width, v.raw() + static_cast<size_t>(b) * width, width) == 0;
}

bool sameKey(const std::vector<Value>& keys, int32_t a, int32_t b) {
    for (const Value& key : keys) {
        if (!sameItem(key.vector(), a, b)) return false;
    }
    return true;
}

}  // namespace

SortRule sortRuleOf(const TableEntry& table) {
    SortRule rule;
    for (const std::string& name : table.sortColumns) {
        for (size_t c = 0; c < table.schema.size(); ++c) {
            if (table.schema[c].name == name) rule.columns.push_back(static_cast<int>(c));
        }
    }
    if (table.keepDuplicates == "FIRST") rule.keep = SortRule::Keep::First;
    if (table.keepDuplicates == "LAST") rule.keep = SortRule::Keep::Last;
    return rule;
}

std::optional<std::vector<int32_t>> orderedPositions(const std::vector<Value>& keys, SortRule::Keep keep,
                                                     int64_t rows) {
    std::vector<OrderKey> order;
    for (const Value& key : keys) order.push_back({key});
    std::vector<int32_t> positions = sortPositions(order, rows);
    bool inOrder = true;
    for (size_t i = 0; i < positions.size() && inOrder; ++i) inOrder = positions[i] == static_cast<int32_t>(i);
    if (keep != SortRule::Keep::All) {
        // Keeps one of equal neighbours, which are in order of arrival.
        size_t kept = 0;
        for (size_t i = 0; i < positions.size(); ++i) {
            if (kept > 0 && sameKey(keys, positions[kept - 1], positions[i])) {
                if (keep == SortRule::Keep::Last) positions[kept - 1] = positions[i];
                continue;
            }
            positions[kept++] = positions[i];
        }
        inOrder = inOrder && kept == positions.size();
        positions.resize(kept);
    }
    if (inOrder) return std::nullopt;
    return positions;
}

Ref<MemoryTable> ordered(Ref<MemoryTable> rows, const SortRule& rule) {
    if (!rule.isOrdered()) return rows;
    std::vector<Value> keys;
    for (const int c : rule.columns) keys.push_back(rows->column(c));
    const auto positions = orderedPositions(keys, rule.keep, rows->rowCount());
    return positions ? rows->gather(positions->data(), static_cast<int64_t>(positions->size())) : rows;
}

}  // namespace pelorus
