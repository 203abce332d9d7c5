#include "stdlib/higher_order/states_of_function.h"

#include <algorithm>
#include <utility>

#include "runtime/function/function.h"
#include "runtime/kernel/rolling/calling_states.h"
#include "runtime/registry/registry.h"
#include "runtime/value/array_vector.h"

namespace pelorus {

namespace {

// A group's states start anew at a row with another segment. Rows are stepped together up to such a row.
class SegmentStates final : public RollingStates {
public:
    explicit SegmentStates(StatesOfFunction function) : function_(std::move(function)) {}

    void resize(int64_t groups) override {
        function_.states->resize(groups);
        segments_.resize(static_cast<size_t>(groups));
        hasRows_.resize(static_cast<size_t>(groups));
    }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Vector &x = arguments[1].vector(), &segments = arguments[2].vector();
        Ref<Vector> out = Vector::make(function_.gives, 0);
        int64_t begin = 0;
        const auto stepUpTo = [&](int64_t end) {
            if (end > begin || count == 0) {
                const Value results = function_.step(x.slice(begin, end - begin), groups + begin);
                out->append(results.vector(), 0, end - begin);
            }
            begin = end;
        };
        for (int64_t i = 0; i < count; ++i) {
            const auto group = static_cast<size_t>(groups[i]);
            Value segment = segments.at(i);
            if (hasRows_[group] && !identical(segments_[group], segment)) {
                stepUpTo(i);
                function_.states->clear(groups + i, 1);
            }
            segments_[group] = std::move(segment);
            hasRows_[group] = 1;
        }
        stepUpTo(count);
        return Value::of(out);
    }
    void clear(const int32_t* groups, int64_t count) override {
        function_.states->clear(groups, count);
        for (int64_t i = 0; i < count; ++i) hasRows_[static_cast<size_t>(groups[i])] = 0;
    }
    void keep(std::span<const int32_t> groups) override {
        function_.states->keep(groups);
        keepGroups(segments_, groups);
        keepGroups(hasRows_, groups);
    }
    int64_t memoryBytes() const override {
        return function_.states->memoryBytes() + static_cast<int64_t>(segments_.capacity() * sizeof(Value));
    }

private:
    StatesOfFunction function_;
    std::vector<Value> segments_;  // of the last row of each group
    std::vector<int8_t> hasRows_;
};

// Each place in the rows of a group has a state of its own, with a number in the order of first appearance. Rows that
// are shorter than those before count as NULL there.
class ColumnwiseStates final : public RollingStates {
public:
    explicit ColumnwiseStates(StatesOfFunction function) : function_(std::move(function)) {}

    void resize(int64_t groups) override { groups_.resize(static_cast<size_t>(groups)); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const ArrayVector& x = arguments[1].arrayVector();
        Ref<Vector> elements = Vector::make(x.values()->type(), 0);
        elements->setScale(x.scale());
        std::vector<int32_t> places;  // the state of each element
        std::vector<int64_t> begin;   // the first element of each row
        for (int64_t i = 0; i < count; ++i) {
            Group& group = groups_[static_cast<size_t>(groups[i])];
            const int64_t width = x.rowSize(i);
            addStates(group, width, *elements, places);
            begin.push_back(elements->size());
            elements->append(*x.values(), x.begin(i), width);
            for (int64_t c = width; c < std::ssize(group.states); ++c) elements->append(Value());
            places.insert(places.end(), group.states.begin(), group.states.end());
            ++group.rows;
        }
        function_.states->resize(stateCount_);
        const Value results = function_.step(std::move(elements), places.data());
        auto out = makeRef<ArrayVector>(function_.gives, results.vector().scale());
        for (int64_t i = 0; i < count; ++i)
            out->appendRow(*results.vector().slice(begin[static_cast<size_t>(i)], x.rowSize(i)));
        return Value::of(std::move(out));
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) {
            Group& group = groups_[static_cast<size_t>(groups[i])];
            function_.states->clear(group.states.data(), std::ssize(group.states));
            group.rows = 0;
        }
    }
    void keep(std::span<const int32_t> groups) override {
        keepGroups(groups_, groups);
        std::vector<int32_t> kept;
        for (const Group& group : groups_) kept.insert(kept.end(), group.states.begin(), group.states.end());
        std::sort(kept.begin(), kept.end());
        function_.states->keep(kept);
        for (Group& group : groups_) {
            for (int32_t& state : group.states)
                state = static_cast<int32_t>(std::lower_bound(kept.begin(), kept.end(), state) - kept.begin());
        }
        stateCount_ = static_cast<int32_t>(kept.size());
    }
    int64_t memoryBytes() const override {
        return function_.states->memoryBytes() + static_cast<int64_t>(groups_.capacity() * sizeof(Group)) +
               stateCount_ * static_cast<int64_t>(sizeof(int32_t));
    }

private:
    struct Group {
        std::vector<int32_t> states;  // by place in a row
        int64_t rows = 0;
    };

    // Makes the states of places that a group has not had; its rows so far were NULL there.
    void addStates(Group& group, int64_t width, Vector& elements, std::vector<int32_t>& places) {
        while (std::ssize(group.states) < width) {
            group.states.push_back(stateCount_++);
            for (int64_t row = 0; row < group.rows; ++row) elements.append(Value());
            places.insert(places.end(), static_cast<size_t>(group.rows), group.states.back());
        }
    }

    StatesOfFunction function_;
    std::vector<Group> groups_;
    int32_t stateCount_ = 0;
};

}  // namespace

StatesOfFunction statesOfFunction(const Value& function, Type type) {
    StatesOfFunction result;
    if (!function.isFunction()) return result;
    const Function* f = &function.function();
    std::vector<Value> fixed;
    if (const auto* partial = dynamic_cast<const PartialFunction*>(f)) {
        fixed = partial->fixed();
        f = partial->function().get();
    }
    const auto* builtin = dynamic_cast<const BuiltinFunction*>(f);
    if (!builtin || !builtin->declaration().rolling) return result;
    const bool isOpen = fixed.empty() || isOmitted(fixed[0]) || fixed[0].isVoid();
    if (!isOpen) return result;
    std::vector<Value> constants(std::max(builtin->signature().parameters.size(), fixed.size()));
    std::vector<Type> types(constants.size(), Type::Void);
    for (size_t i = 1; i < fixed.size(); ++i) {
        if (isOmitted(fixed[i])) continue;
        constants[i] = fixed[i];
        types[i] = fixed[i].type();
    }
    types[0] = type;
    result.states = withoutCalls(builtin->declaration().rolling(types, constants));
    result.arguments = std::move(constants);
    if (!result.states) return result;
    const Value none = result.step(Vector::make(type, 0), nullptr);
    if (none.isTypedVector()) {
        result.gives = none.type();
    } else {
        result.states.reset();
    }
    return result;
}

std::unique_ptr<RollingStates> segmentStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kData = 1, kSegment = 2;
    if (types.size() <= kSegment || types[kData] == Type::Void || types[kSegment] == Type::Void) return nullptr;
    if (isArrayType(types[kData]) || isArrayType(types[kSegment])) return nullptr;
    StatesOfFunction function = statesOfFunction(constants[0], types[kData]);
    return function.states ? std::make_unique<SegmentStates>(std::move(function)) : nullptr;
}

std::unique_ptr<RollingStates> columnwiseStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kRows = 1, kOther = 2;
    const bool isOfOne =
        types.size() > kRows && isArrayType(types[kRows]) && (types.size() <= kOther || types[kOther] == Type::Void);
    if (!isOfOne) return nullptr;
    StatesOfFunction function = statesOfFunction(constants[0], elementTypeOf(types[kRows]));
    return function.states ? std::make_unique<ColumnwiseStates>(std::move(function)) : nullptr;
}

}  // namespace pelorus
