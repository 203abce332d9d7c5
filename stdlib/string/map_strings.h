// Elementwise functions of strings: one walk over every form for all of them.
#pragma once

#include <string>
#include <string_view>

#include "common/thread/cancellation.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"

namespace pelorus {

// A CHAR counts as a string of one letter.
inline bool isStringOrChar(Type type) {
    return isLiteral(type) || type == Type::Char;
}

inline Value stringsOf(const Value& x, int argument) {
    if (!isStringOrChar(x.type()))
        throw UserError(argument, fmt::format("X must be a string, but it is {}.", typeString(x)));
    return x.type() == Type::Char ? cast(x, Type::String) : x;
}

// Maps strings: f(string of an element) → std::string or string_view. The result is STRING for STRING, SYMBOL for
// SYMBOL; the empty string is the NULL.
template <class F>
Value mapStrings(const Value& x, F f, int argument = 0) {
    return mapContainer(
        x,
        [&](const Value& given) -> Value {
            const Value v = stringsOf(given, argument);
            if (v.isScalar()) return Value::ofString(f(v.string()), v.type());
            const Vector& in = v.isMatrix() ? *v.matrix().cells : v.vector();
            Ref<Vector> out = Vector::make(in.type(), in.size());
            inPieces(in.size(), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) out->setString(i, f(in.string(i)));
            });
            if (v.isMatrix()) return Value::of(v.matrix().withCells(out));
            return Value::of(out, v.form());
        },
        isStringOrChar);
}

// Maps strings to numbers: f(string of an element) → a number of the stored type T.
template <class T, class F>
Value mapStringsTo(Type type, const Value& x, F f, int argument = 0) {
    return mapContainer(
        x,
        [&](const Value& given) -> Value {
            const Value v = stringsOf(given, argument);
            if (v.isScalar()) return Value::scalar(type, f(v.string()));
            const Vector& in = v.isMatrix() ? *v.matrix().cells : v.vector();
            Ref<Vector> out = Vector::make(type, in.size());
            T* y = out->mutableData<T>();
            inPieces(in.size(), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) y[i] = static_cast<T>(f(in.string(i)));
            });
            return v.isMatrix() ? Value::of(v.matrix().withCells(out)) : Value::of(out);
        },
        isStringOrChar);
}

// Maps strings to values: f(string of an element) → a scalar of `type`.
template <class F>
Value mapStringsToValues(Type type, const Value& x, F f) {
    return mapElements(x, [&](const Vector& given) {
        const Value elements = stringsOf(Value::of(Ref<Vector>(const_cast<Vector*>(&given))), 0);
        const Vector& v = elements.vector();
        Ref<Vector> out = Vector::make(type, v.size());
        inPieces(v.size(), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out->set(i, f(v.string(i)));
        });
        return out;
    });
}

// Combines the elements of two strings or vectors pairwise: either may be a scalar.
template <class Combine>
Value mapStringPairs(const Value& a, const Value& b, Combine combine) {
    auto stringAt = [](const Value& v, int64_t i) -> std::string {
        if (v.isScalar()) return toString(v);
        return toString(v.at(i));
    };
    if (a.isScalar() && b.isScalar()) return combine(stringAt(a, 0), stringAt(b, 0));
    int64_t n = a.isScalar() ? b.size() : a.size();
    if (!a.isScalar() && !b.isScalar() && a.size() != b.size()) {
        throw UserError(1, fmt::format("The vectors don't have the same length: {} and {}.", a.size(), b.size()));
    }
    Ref<Vector> out;
    for (int64_t i = 0; i < n; ++i) {
        checkCancelled();
        Value element = combine(stringAt(a, i), stringAt(b, i));
        if (!out) out = Vector::make(element.type(), n);
        out->set(i, element);
    }
    return Value::of(out ? out : Vector::make(combine("", "").type(), 0));
}

}  // namespace pelorus
