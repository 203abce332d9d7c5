// Elementwise conversions between days since 1970.01.01 and months since year 0, on INT elements; NULL stays.
#pragma once

#include <cstdint>

namespace pelorus {

void monthOfDays(const void* days, void* months, int64_t n);
void firstDayOfMonths(const void* months, void* days, int64_t n);

}  // namespace pelorus
