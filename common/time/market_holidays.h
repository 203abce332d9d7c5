// The holidays of markets, as text.
#pragma once

#include <string_view>

namespace pelorus {

// For each market a line `NAME holidays` or `NAME tradingDays`, then a line per year: `2024 0101 0209 …`, months and
// days. `NAME as OTHER from YEAR` has the days of another market, from a year on. Covers 2004 to 2026, and mainland
// China from 1991.
extern const std::string_view kMarketHolidays;

}  // namespace pelorus
