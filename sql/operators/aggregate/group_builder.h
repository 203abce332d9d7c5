// Groups of rows and the states of their aggregates, filled block by block.
#pragma once

#include <span>
#include <vector>

#include "sql/keys/group_table.h"
#include "sql/operators/aggregate/partial_groups.h"

namespace pelorus {

// Builder that adds rows, or partial groups, to groups in the order they come.
class GroupBuilder {
public:
    GroupBuilder(const std::vector<Type>& keyTypes, const AggregatePlan& aggregates,
                 KeyLookup lookup = KeyLookup::Direct)
        : table_(keyTypes, lookup), hasKeys_(!keyTypes.empty()) {
        for (size_t i = 0; i < aggregates.calls.size(); ++i) states_.push_back(aggregates.newState(i));
        if (!hasKeys_) grow(1);
    }

    // Reserves memory for about so many groups.
    void expect(int64_t groups) { table_.expect(groups); }

    // Returns the group of each row; valid until the next call. Null without keys: all rows are one group. `digests` as
    // GroupTable takes them.
    const int32_t* number(std::span<const Value> keys, int64_t rows, std::span<const Value> digests = {}) {
        if (!hasKeys_) return nullptr;
        groups_.resize(static_cast<size_t>(rows));
        table_.assign(keys, rows, groups_.data(), digests);
        grow(table_.size());
        return groups_.data();
    }

    GroupedState& state(size_t i) { return *states_[i]; }

    void merge(const PartialGroups& part) {
        if (part.groups == 0) return;
        const int32_t none = 0;
        const int32_t* groups = hasKeys_ ? number(part.keys, part.groups) : &none;
        for (size_t i = 0; i < states_.size(); ++i) states_[i]->merge(*part.states[i], groups, part.groups);
    }

    PartialGroups finish() {
        PartialGroups result;
        result.keys = table_.keys();
        result.groups = count_;
        result.states = std::move(states_);
        result.ascending = hasKeys_ && table_.sawAscending();
        return result;
    }

private:
    void grow(int64_t groups) {
        if (groups <= count_) return;
        count_ = groups;
        for (auto& s : states_) s->resize(groups);
    }

    GroupTable table_;
    bool hasKeys_;
    std::vector<std::unique_ptr<GroupedState>> states_;
    std::vector<int32_t> groups_;
    int64_t count_ = 0;
};

}  // namespace pelorus
