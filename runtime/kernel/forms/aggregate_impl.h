// From a struct with add, merge and result (aggregate.h) to a built-in: over a vector, a matrix's columns, a table, a
// tuple's rows, and as the grouped states of a query.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "common/error.h"
#include "runtime/kernel/aggregate/reusable_state.h"
#include "runtime/kernel/forms/aggregate_forms.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/value/print.h"

namespace pelorus {

// Calls f(0) … f(count - 1), in four ranges at once: neighbouring rows mostly belong to one group, and each would wait
// for the sum of the one before.
template <class F>
[[gnu::always_inline]] inline void inFourPlaces(int64_t count, F f) {
    const int64_t part = count / 4;
    for (int64_t i = 0; i < part; ++i) {
        f(i);
        f(part + i);
        f(2 * part + i);
        f(3 * part + i);
    }
    for (int64_t i = 4 * part; i < count; ++i) f(i);
}

// States of struct S, whose `add` takes one value of type In per argument (one or two arguments); its result must not
// depend on the order of rows but by rounding, unless it says S::kInOrder. States are trivially copyable, so that they
// travel as bytes. Rows in which any argument is NULL are skipped unless S::kSeesNulls. `addAll`, if it has one, adds
// many values of one group, NULLs among them.
template <class S, class In, int kArguments = 1>
class GroupedStateOf final : public ReusableState {
    static_assert(std::is_trivially_copyable_v<S>);
    using Out = decltype(std::declval<S>().result());
    using Stored = std::conditional_t<std::is_same_v<Out, bool>, int8_t, Out>;

public:
    explicit GroupedStateOf(Type resultType) : resultType_(resultType) {}

    void resize(int64_t groups) override { states_.resize(static_cast<size_t>(groups)); }

    // Arguments that need a conversion are converted in pieces that fit the cache.
    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        constexpr int64_t kPiece = int64_t{1} << 16;
        const bool converts = std::any_of(arguments.begin(), arguments.end(), [](const Value& v) {
            return !v.isScalar() && v.vector().type() != naturalType<In>();
        });
        if (!converts || count <= kPiece) return addPiece(arguments, groups, count);
        for (int64_t begin = 0; begin < count; begin += kPiece) {
            const int64_t rows = std::min(kPiece, count - begin);
            std::vector<Value> piece;
            for (const Value& v : arguments)
                piece.push_back(v.isScalar() ? v : Value::of(v.vector().slice(begin, rows)));
            addPiece(piece, groups ? groups + begin : nullptr, rows);
        }
    }

    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const GroupedStateOf&>(other).states_;
        for (int64_t i = 0; i < count; ++i) {
            states_[groups ? static_cast<size_t>(groups[i]) : static_cast<size_t>(i)].merge(
                from[static_cast<size_t>(i)]);
        }
    }

    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        std::array<S*, UINT8_MAX + 1> targets;
        for (size_t p = 0; p < parts.size(); ++p) targets[p] = static_cast<GroupedStateOf*>(parts[p])->states_.data();
        for (int64_t i = 0; i < count; ++i) targets[part[i]][place[i]] = states_[static_cast<size_t>(i)];
    }

    void assign(const GroupedState& from, const int32_t* fromGroups, const int32_t* groups, int64_t count) override {
        const auto& other = static_cast<const GroupedStateOf&>(from).states_;
        for (int64_t i = 0; i < count; ++i)
            states_[static_cast<size_t>(groups[i])] = other[static_cast<size_t>(fromGroups[i])];
    }

    int64_t memoryBytes() const override { return static_cast<int64_t>(states_.capacity() * sizeof(S)); }

    Value results() const override {
        Ref<Vector> out = Vector::make(resultType_, static_cast<int64_t>(states_.size()));
        auto* y = out->mutableData<Stored>();
        for (size_t i = 0; i < states_.size(); ++i) y[i] = static_cast<Stored>(states_[i].result());
        return Value::of(out);
    }

    Value save() const override {
        std::string_view bytes(reinterpret_cast<const char*>(states_.data()), states_.size() * sizeof(S));
        Ref<Vector> packed = Vector::make(Type::Char, static_cast<int64_t>(bytes.size()));
        if (!bytes.empty()) std::memcpy(packed->mutableRaw(), bytes.data(), bytes.size());
        return Value::of(packed);
    }

    void load(const Value& saved, int64_t groups) override {
        const int64_t sizeBytes = groups * static_cast<int64_t>(sizeof(S));
        const Vector& bytes = received::vector(saved, Type::Char, sizeBytes, "states of an aggregate");
        states_.resize(static_cast<size_t>(groups));
        if (sizeBytes > 0) std::memcpy(static_cast<void*>(states_.data()), bytes.raw(), static_cast<size_t>(sizeBytes));
    }

private:
    void addPiece(std::span<const Value> arguments, const int32_t* groups, int64_t count) {
        Ref<Vector> first = column(arguments[0], count);
        const In* x = first->template data<In>();
        if constexpr (kArguments == 1 && requires(S s) { s.addAll(x, count); }) {
            if (!groups) return states_[0].addAll(x, count);
        }
        if constexpr (kArguments == 1) {
            addRows(groups, count, [&](S& s, int64_t i) {
                if (!isNull(x[i])) s.add(x[i]);
            });
        } else {
            Ref<Vector> second = column(arguments[1], count);
            const In* y = second->template data<In>();
            addRows(groups, count, [&](S& s, int64_t i) {
                if (!isNull(x[i]) && !isNull(y[i])) s.add(x[i], y[i]);
            });
        }
    }

    static Ref<Vector> column(const Value& v, int64_t count) {
        Ref<Vector> elements =
            v.isScalar() ? Vector::filled(v.isVoid() ? Type::Int : v.type(), count, v) : Ref<Vector>(&v.vector());
        // Temporal columns are counted by their stored unit; a state never mixes types.
        if (isTemporal(elements->type()))
            return cast(*cast(*elements, widthOf(elements->type()) == 8 ? Type::Long : Type::Int), naturalType<In>());
        return numbersAs<In>(*elements);
    }

    template <class F>
    void addRows(const int32_t* groups, int64_t count, F f) {
        if (!groups) {
            S s = states_[0];  // in registers for the whole run
            for (int64_t i = 0; i < count; ++i) f(s, i);
            states_[0] = s;
        } else {
            S* states = states_.data();
            const auto one = [&](int64_t i) { f(states[groups[i]], i); };
            if constexpr (requires { S::kInOrder; }) {
                for (int64_t i = 0; i < count; ++i) one(i);
            } else {
                inFourPlaces(count, one);
            }
        }
    }

    Type resultType_;
    std::vector<S> states_;
};

// The type of the result for an argument of this type: fixed, or the argument's own.
enum class StateResult : uint8_t { Double, Long, Int, Argument };

constexpr TypeRule typeOfResult(StateResult result) {
    return result == StateResult::Double ? is(Type::Double)
           : result == StateResult::Long ? is(Type::Long)
           : result == StateResult::Int  ? is(Type::Int)
                                         : same(0);
}

template <class S, class In, int kArguments, StateResult kResult>
std::unique_ptr<GroupedState> makeStateOf(std::span<const Type> types) {
    Type type = kResult == StateResult::Double ? Type::Double
                : kResult == StateResult::Long ? Type::Long
                : kResult == StateResult::Int  ? Type::Int
                                               : types[0];
    return std::make_unique<GroupedStateOf<S, In, kArguments>>(type);
}

// Registers an aggregate whose arguments are all seen as In.
template <class S, class In, int kArguments = 1, StateResult kResult = StateResult::Double>
void addAggregate(FunctionRegistry& registry, std::string_view syntax, const FunctionDoc& doc, Role role = Role::None) {
    constexpr MakeState make = makeStateOf<S, In, kArguments, kResult>;
    Declaration declaration{.gives = typeOfResult(kResult),
                            .kind = FunctionKind::Aggregate,
                            .nulls = NullRule::Skip,
                            .role = role,
                            .state = make};
    for (int i = 0; i < kArguments; ++i) declaration.takes[static_cast<size_t>(i)] = kNumberOrTime;
    registry.add(
        syntax, [](Context&, Arguments arguments) { return aggregateForms(make, arguments); }, doc, declaration);
}

}  // namespace pelorus
