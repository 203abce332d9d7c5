// Groups of rows and the states of their aggregates, filled block by block.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sql/aggregate_plan.h"
#include "sql/group_table.h"
#include "sql/scan.h"
#include "sql/select.h"

namespace pelorus {

// Rows added to groups in the order they come.
class Grouping {
public:
    Grouping(const std::vector<Type>& types, const AggregatePlan& aggregates, KeyLookup lookup = KeyLookup::Direct)
        : table_(types, lookup) {
        for (size_t i = 0; i < aggregates.calls.size(); ++i) states_.push_back(aggregates.newState(i));
        if (types.empty()) grow(1);
    }

    std::vector<int32_t>& number(std::span<const Value> keys, int64_t rows) {
        groups_.resize(static_cast<size_t>(rows));
        table_.assign(keys, rows, groups_.data());
        grow(table_.size());
        return groups_;
    }

    GroupedState& state(size_t i) { return *states_[i]; }

    PartialGroups finish() {
        PartialGroups result;
        result.keys = table_.keys();
        result.groups = count_;
        result.states = std::move(states_);
        return result;
    }

private:
    void grow(int64_t groups) {
        if (groups <= count_) return;
        count_ = groups;
        for (auto& s : states_) s->resize(groups);
    }

    GroupTable table_;
    std::vector<std::unique_ptr<GroupedState>> states_;
    std::vector<int32_t> groups_;
    int64_t count_ = 0;
};

// When a partition of the table has many groups in no order, its rows are first brought together by parts of the keys,
// so that each part's groups fit into a core's cache and no group is in two parts: nothing is merged. Rows of a group
// keep their order, so its numbers do not depend on threads.
bool prefersKeyParts(std::span<const Morsel> morsels, const std::vector<ColumnExpression>& keys,
                     const AggregatePlan& aggregates, Filter& filter, Context& context);
PartialGroups groupByKeyParts(std::span<const Morsel> morsels, const std::vector<ColumnExpression>& keys,
                              const AggregatePlan& aggregates, Filter& filter, Context& context);

// Types of the keys of a group by; ANY where that is known with the rows only.
Type keyType(const ColumnExpression& key);
std::vector<Type> keyTypes(const std::vector<ColumnExpression>& keys);

}  // namespace pelorus
