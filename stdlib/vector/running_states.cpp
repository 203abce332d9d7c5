#include "stdlib/vector/running_states.h"

#include <algorithm>

#include "runtime/value/vector.h"

namespace pelorus {

namespace {

class CommonStartStates final : public RollingStates {
public:
    void resize(int64_t groups) override { hasBegun_.resize(static_cast<size_t>(groups)); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        std::vector<int32_t> rows(static_cast<size_t>(count), -1);
        for (int64_t i = 0; i < count; ++i) {
            int8_t& hasBegun = hasBegun_[static_cast<size_t>(groups[i])];
            hasBegun |= std::none_of(arguments.begin(), arguments.end(),
                                     [&](const Value& column) { return column.vector().isNullAt(i); });
            if (hasBegun) rows[static_cast<size_t>(i)] = static_cast<int32_t>(i);
        }
        std::vector<Value> results;
        for (const Value& column : arguments) results.push_back(Value::of(column.vector().gather(rows.data(), count)));
        return results.size() == 1 ? results[0] : Value::of(makeRef<Tuple>(std::move(results)));
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) hasBegun_[static_cast<size_t>(groups[i])] = 0;
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(hasBegun_, groups); }
    int64_t memoryBytes() const override { return static_cast<int64_t>(hasBegun_.capacity()); }

private:
    std::vector<int8_t> hasBegun_;  // whether a row of the group had all values
};

}  // namespace

std::unique_ptr<RollingStates> commonStartStates(std::span<const Type> types, std::span<const Value> constants) {
    const bool areColumns =
        !types.empty() && std::all_of(constants.begin(), constants.end(), [](const Value& v) { return v.isVoid(); });
    return areColumns ? std::make_unique<CommonStartStates>() : nullptr;
}

}  // namespace pelorus
