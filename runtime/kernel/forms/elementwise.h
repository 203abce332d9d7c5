// One functor over every form of value: what is the same for all elementwise functions is done once, here.
//
//   struct Asin { double operator()(double x) const { return std::abs(x) > 1 ? null<double> : std::asin(x); } };
//   registry.add("asin(X)", elementwise<Asin, double>(), {…}, kElementwise);
//
// Scalars map to scalars, vectors to vectors, matrices to matrices; tuples, dictionaries and numeric table columns are
// walked. NULL maps to NULL, and the functor never sees one. A non-numeric argument is a UserError that names the
// parameter.
#pragma once

#include <fmt/format.h>

#include <type_traits>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/registry/registry.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

inline constexpr Declaration kElementwise{.kind = FunctionKind::Elementwise};

// Applies `f` (Ref<Vector>(const Vector&)) to the elements of any form and keeps the form.
template <class F>
Value mapElements(const Value& x, F f) {
    return mapContainer(x, [&](const Value& v) -> Value {
        switch (v.form()) {
            case Form::Scalar: {
                Ref<Vector> one = Vector::filled(v.isVoid() ? Type::Int : v.type(), 1, v);
                one->setScale(v.extra());
                return f(*one)->at(0);
            }
            case Form::Pair:
                return Value::of(f(v.vector()), Form::Pair);
            case Form::Matrix:
                return Value::of(v.matrix().withCells(f(*v.matrix().cells)));
            case Form::Vector:
                return Value::of(f(v.vector()));
            default:
                throw UserError(0, fmt::format("X must be numeric, but it is {}.", typeString(v)));
        }
    });
}

// Returns the elements of a numeric vector as T, converted when they are of another type.
template <class T>
Ref<Vector> numbersAs(const Vector& v, int argument = 0, std::string_view parameter = "X") {
    if (!isNumeric(v.type()) && v.type() != Type::Void && !isTemporal(v.type()) && !isDecimal(v.type())) {
        throw UserError(argument, fmt::format("{} must be numeric, but it is {}.", parameter, typeName(v.type())));
    }
    return cast(v, naturalType<T>());
}

template <class F, class In, class Out = std::invoke_result_t<F, In>>
Value elementwiseKernel(Context&, Arguments arguments) {
    return mapElements(arguments[0], [](const Vector& v) {
        if (isTemporal(v.type())) {
            throw UserError(0, fmt::format("X must be numeric, but it is {}.", typeName(v.type())));
        }
        Ref<Vector> in = numbersAs<In>(v);
        using Stored = std::conditional_t<std::is_same_v<Out, bool>, int8_t, Out>;
        Ref<Vector> out = Vector::make(naturalType<Out>(), v.size());
        const In* x = in->data<In>();
        auto* y = out->mutableData<Stored>();
        inPieces(v.size(), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) y[i] = isNull(x[i]) ? null<Stored> : static_cast<Stored>(F{}(x[i]));
        });
        return out;
    });
}

template <class F, class In>
inline constexpr ScalarForm kElementwiseForms[] = {scalarForm<F, In>()};

template <class F, class In>
constexpr ElementwiseKernel elementwise() {
    return {elementwiseKernel<F, In>, kElementwiseForms<F, In>, kNumber,
            is(naturalType<std::invoke_result_t<F, In>>())};
}

}  // namespace pelorus
