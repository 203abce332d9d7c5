#include "sql/operators/aggregate/partial_groups.h"

#include "common/check.h"
#include "common/thread/thread_pool.h"
#include "runtime/serialize/received.h"
#include "runtime/value/vector.h"
#include "sql/spill/held_bytes.h"

namespace pelorus {

int64_t PartialGroups::memoryBytes() const {
    int64_t bytes = heldBytes(keys);
    for (const auto& state : states) bytes += state->memoryBytes();
    return bytes;
}

Value saveGroups(const PartialGroups& groups) {
    std::vector<Value> states;
    for (const auto& s : groups.states) states.push_back(s->save());
    return Value::of(
        makeRef<Tuple>(std::vector<Value>{Value::of(makeRef<Tuple>(groups.keys)),
                                          Value::of(makeRef<Tuple>(std::move(states))), Value::ofLong(groups.groups)}));
}

PartialGroups loadGroups(const Value& saved, const std::vector<Type>& keyTypes, const AggregatePlan& aggregates) {
    PartialGroups groups;
    const auto& parts = received::tuple(saved, 3, "groups");
    groups.groups = received::integer(parts[2], "number of groups");
    received::require(groups.groups >= 0 && groups.groups <= INT32_MAX, "number of groups");
    groups.keys = received::tuple(parts[0], keyTypes.size(), "keys of groups");
    for (size_t k = 0; k < keyTypes.size(); ++k) {
        const Value& key = groups.keys[k];
        const bool fits = key.type() == keyTypes[k] || (isLiteral(key.type()) && isLiteral(keyTypes[k]));
        received::require(key.isTypedVector() && fits && key.size() == groups.groups, "keys of groups");
    }
    // Groups without keys are one.
    received::require(!keyTypes.empty() || groups.groups <= 1, "number of groups");
    const auto& states = received::tuple(parts[1], aggregates.calls.size(), "states of groups");
    for (size_t i = 0; i < states.size(); ++i) {
        groups.states.push_back(aggregates.newState(i));
        groups.states.back()->load(states[i], groups.groups);
    }
    return groups;
}

PartialGroups concatenated(std::vector<PartialGroups> parts, const AggregatePlan& aggregates) {
    CHECK(!parts.empty()) << "there is a part, maybe without groups";
    PartialGroups whole = std::move(parts[0]);
    const int64_t first = whole.groups;
    for (size_t p = 1; p < parts.size(); ++p) whole.groups += parts[p].groups;
    parallelFor(static_cast<int64_t>(aggregates.calls.size() + whole.keys.size()), [&](int64_t i) {
        if (i < static_cast<int64_t>(whole.keys.size())) {
            Vector& keys = whole.keys[static_cast<size_t>(i)].vector();
            keys.reserve(whole.groups);
            for (size_t p = 1; p < parts.size(); ++p) {
                const Vector& more = parts[p].keys[static_cast<size_t>(i)].vector();
                keys.append(more, 0, more.size());
            }
            return;
        }
        GroupedState& state = *whole.states[static_cast<size_t>(i) - whole.keys.size()];
        state.resize(whole.groups);
        std::vector<int32_t> numbers;
        int64_t next = first;
        for (size_t p = 1; p < parts.size(); ++p) {
            numbers.resize(static_cast<size_t>(parts[p].groups));
            for (int32_t& number : numbers) number = static_cast<int32_t>(next++);
            state.merge(*parts[p].states[static_cast<size_t>(i) - whole.keys.size()], numbers.data(), parts[p].groups);
        }
    });
    CHECK(whole.keys.empty() || whole.keys[0].size() == whole.groups) << "each group has one key";
    return whole;
}

}  // namespace pelorus
