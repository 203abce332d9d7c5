// A built-in function as a function of plain scalars: machine code and calls of scalars use it in place of the kernel.
// It is made from the functor that the kernel applies to elements, so both have the same bits:
//
//   struct Pow { double operator()(double x, double y) const { return finite(std::pow(x, y)); } };
//   inline constexpr ScalarForm kPowForms[] = {scalarForm<Pow, double, double>()};
//
// NULL in any argument maps to NULL, and the functor never sees one, unless it says `kSeesNulls = true`. One that says
// `kMayDecline = true` returns `declined` for arguments that are an error: the kernel then meets them again, and
// throws.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/type_table.h"
#include "runtime/value/value.h"

namespace pelorus {

// Marker of a declined call. It is never a result: neither NaN nor infinity is a DOUBLE of the language.
inline constexpr double declined = std::numeric_limits<double>::quiet_NaN();

// The type of elements that are such numbers in memory.
template <class T>
constexpr Type naturalType() {
    if constexpr (std::is_same_v<T, double>) return Type::Double;
    if constexpr (std::is_same_v<T, int64_t>) return Type::Long;
    if constexpr (std::is_same_v<T, int32_t>) return Type::Int;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int8_t>) return Type::Bool;
    return Type::Void;
}

// The domain of a function of a DOUBLE.
struct RealDomain {
    enum class Side : uint8_t { Everywhere, Above, AtLeast, Below, AtMost };
    Side side = Side::Everywhere;
    double bound = 0;
    bool ofMagnitude = false;  // |x| is compared

    constexpr bool holds(double x) const {
        if (ofMagnitude) x = x < 0 ? -x : x;
        switch (side) {
            case Side::Everywhere:
                return true;
            case Side::Above:
                return x > bound;
            case Side::AtLeast:
                return x >= bound;
            case Side::Below:
                return x < bound;
            default:
                return x <= bound;
        }
    }
};

// The functor of a libm function: NULL outside of its domain, and where the result is infinite or NaN. Machine code
// does the same around the bare function.
template <double (*kFunction)(double), RealDomain kDomain = RealDomain()>
struct RealFunction {
    static constexpr RealDomain kWhere = kDomain;
    static const void* bare() { return reinterpret_cast<const void*>(kFunction); }
    double operator()(double x) const {
        const double y = kDomain.holds(x) ? kFunction(x) : null<double>;
        return std::isfinite(y) ? y : null<double>;
    }
};

struct ScalarForm {
    static constexpr size_t kMax = 3;

    std::array<Type, kMax> takes = {};  // narrower numbers are converted
    uint8_t count = 0;
    Type gives = Type::Void;
    bool mayDecline = false;  // a result of NaN means declined
    // The library function below a RealFunction, and its domain.
    const void* (*bare)() = nullptr;
    RealDomain where = {};
    // Returns the address of its code: a DOUBLE is a `double`, everything else an `int64_t`, as a Value holds it.
    const void* (*code)() = nullptr;
    // Applies it to as many Values; returns false, having done nothing, when it declines.
    bool (*apply)(const Value* arguments, Value& result) = nullptr;

    // Returns whether argument i of this type can be converted. The caller must check that the form's result type is
    // the function's for such arguments.
    bool accepts(size_t i, Type type) const {
        const Type wanted = takes[i];
        if (type == wanted) return true;
        if (wanted == Type::Double) return isNumeric(type);
        const bool isWhole = isIntegral(type) || type == Type::Bool;
        return (wanted == Type::Long || wanted == Type::Int) && isWhole && widthOf(type) <= widthOf(wanted);
    }
};

namespace scalar_form {

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, int8_t, T>;
template <class T>
using Slot = std::conditional_t<std::is_same_v<T, double>, double, int64_t>;

template <class F, class... In>
struct Code {
    using Out = std::invoke_result_t<F, In...>;
    static constexpr bool kSeesNulls = requires { F::kSeesNulls; };

    static Slot<Out> call(Slot<In>... x) {
        if constexpr (!kSeesNulls) {
            if ((isNull(static_cast<Stored<In>>(x)) || ...)) return static_cast<Slot<Out>>(null<Stored<Out>>);
        }
        return static_cast<Slot<Out>>(F{}(static_cast<In>(x)...));
    }

    template <class T>
    static Slot<T> read(const Value& v) {
        if constexpr (std::is_same_v<T, double>) {
            return v.asDouble();
        } else {
            return v.isNull() ? null<Stored<T>> : v.integer();
        }
    }
    template <size_t... i>
    static Slot<Out> onValues(const Value* arguments, std::index_sequence<i...>) {
        return call(read<In>(arguments[i])...);
    }
    static bool apply(const Value* arguments, Value& result) {
        const Slot<Out> y = onValues(arguments, std::index_sequence_for<In...>());
        if constexpr (std::is_same_v<Out, double>) {
            if (std::isnan(y)) return false;
            result.assignScalar(y);
        } else {
            result.assignScalar(naturalType<Out>(), y);
        }
        return true;
    }
};

}  // namespace scalar_form

template <class F, class... In>
constexpr ScalarForm scalarForm() {
    static_assert(sizeof...(In) >= 1 && sizeof...(In) <= ScalarForm::kMax);
    using Code = scalar_form::Code<F, In...>;
    ScalarForm form;
    size_t i = 0;
    ((form.takes[i++] = naturalType<In>()), ...);
    form.count = static_cast<uint8_t>(sizeof...(In));
    form.gives = naturalType<typename Code::Out>();
    form.mayDecline = requires {
        F::kMayDecline;
    };
    if constexpr (requires { F::bare(); }) {
        form.bare = &F::bare;
        form.where = F::kWhere;
    }
    form.code = [] { return reinterpret_cast<const void*>(&Code::call); };
    form.apply = &Code::apply;
    return form;
}

}  // namespace pelorus
