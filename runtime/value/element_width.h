// Dispatch from the width of a vector's elements to a type of that width, for code that only moves them.
#pragma once

#include <cstdint>

namespace pelorus {

// Calls f with an integer of `width` bytes: 1, 2, 4, 8, or 16 for all else.
template <class F>
void withWidth(int width, const F& f) {
    switch (width) {
        case 1:
            return f(int8_t{});
        case 2:
            return f(int16_t{});
        case 4:
            return f(int32_t{});
        case 8:
            return f(int64_t{});
        default:
            return f(__int128{});
    }
}

}  // namespace pelorus
