// Periods of the calendar: weeks, months, quarters and their relations, numbered in turn.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace pelorus {

// A numbering of periods: which period holds a day, and which day marks a period. Days are counted from 1970.01.01.
struct Periods {
    enum class Side : uint8_t { Begin, End };

    std::function<int64_t(int64_t day)> numberOf;
    std::function<int64_t(int64_t number)> dayOf;
    Side side = Side::Begin;  // whether the mark begins the period or ends it
};

// Returns the periods of a rule such as B, W, MS or Q, or the days of a trading calendar; false when there is none of
// that name.
bool periodsByRule(std::string_view rule, Periods& periods);

}  // namespace pelorus
