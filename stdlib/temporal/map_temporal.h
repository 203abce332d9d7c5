// Elementwise functions of dates and of times of day.
#pragma once

#include "common/thread/thread_pool.h"
#include "common/time/calendar.h"
#include "runtime/kernel/forms/elementwise.h"

namespace pelorus {

// The part of a temporal value that a function reads: days since 1970, or nanoseconds since midnight.
enum class Needs : uint8_t { Date, Clock };

// Reads the parts of `count` stored elements of a temporal vector, from `begin`. NULL stays NULL.
void readParts(const Vector& elements, Needs needs, int64_t begin, int64_t count, int64_t* parts);
// Returns the part of one value that is not NULL.
int64_t partOf(int64_t stored, Type type, Needs needs);

// Throws UserError, naming the first argument, for a type without that part.
void requirePart(const Value& x, Needs needs);

// Computes f(part) for each element that is not NULL. Several threads call f; equal adjacent parts, such as the days of
// rows in the order of their times, call it once.
template <class T, class F>
void mapParts(const Vector& elements, Needs needs, T* results, const F& f) {
    constexpr int64_t kPiece = int64_t{1} << 17, kStrip = 1024;
    parallelFor((elements.size() + kPiece - 1) / kPiece, [&](int64_t piece) {
        const int64_t end = std::min(elements.size(), (piece + 1) * kPiece);
        int64_t parts[kStrip], known = null<int64_t>;
        T result = null<T>;
        for (int64_t begin = piece * kPiece; begin < end; begin += kStrip) {
            const int64_t count = std::min(kStrip, end - begin);
            readParts(elements, needs, begin, count, parts);
            for (int64_t i = 0; i < count; ++i) {
                if (parts[i] != known) {
                    known = parts[i];
                    result = isNull(known) ? null<T> : static_cast<T>(f(known));
                }
                results[begin + i] = result;
            }
        }
    });
}

// Maps a value of any form in this way, with results of DATE, INT or BOOL.
template <class F>
Value mapTemporal(const Value& x, Needs needs, Type resultType, const F& f) {
    return mapContainer(
        x,
        [&](const Value& v) -> Value {
            if (v.isVoid()) return Value::nullOf(resultType);
            requirePart(v, needs);
            if (v.isScalar()) {
                if (v.isNull()) return Value::nullOf(resultType);
                return Value::scalar(resultType, f(partOf(v.integer(), v.type(), needs)));
            }
            const Vector& in = v.isMatrix() ? *v.matrix().cells : v.vector();
            Ref<Vector> out = Vector::make(resultType, in.size());
            if (storageOf(resultType) == Storage::Int8) {
                mapParts(in, needs, out->mutableData<int8_t>(), f);
            } else {
                mapParts(in, needs, out->mutableData<int32_t>(), f);
            }
            if (v.isMatrix()) return Value::of(v.matrix().withCells(out));
            return Value::of(out);
        },
        isTemporal);
}

}  // namespace pelorus
