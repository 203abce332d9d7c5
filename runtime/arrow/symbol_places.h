// The dictionary of a SYMBOL column that is written as Arrow.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus::arrow {

// The places of symbols in a dictionary to which later columns add. One thread uses it.
class SymbolPlaces {
public:
    // Returns the symbols of a column that the dictionary does not have yet, in the order of their places.
    std::vector<std::string_view> add(const Vector& symbols);
    // Returns by the code of a symbol its place; that of NULL is not looked at.
    const std::vector<int32_t>& places() const { return places_; }

private:
    std::vector<int32_t> places_{0};
    int32_t count_ = 0;
};

}  // namespace pelorus::arrow
