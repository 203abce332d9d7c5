// The range of the values of a key: where it is small, they are looked up in a direct-address table over it.
#pragma once

#include "common/thread/mutex.h"
#include "runtime/value/value_range.h"
#include "runtime/value/vector.h"
#include "sql/keys/row_pieces.h"

namespace pelorus {

// Runs on all threads.
template <class T>
ValueRange<T> rangeOf(const Vector& items, NullValues nulls = NullValues::Count) {
    ValueRange<T> all;
    Mutex mutex;  // guards all
    forEachPiece(items.size(), [&](int64_t begin, int64_t end) {
        const ValueRange<T> range = rangeOf(items.data<T>() + begin, end - begin, nulls);
        const MutexLock guard(mutex);
        all.include(range);
    });
    return all;
}

}  // namespace pelorus
