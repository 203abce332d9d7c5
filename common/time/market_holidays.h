// kMarketHolidays lists the holidays of markets.
#pragma once

#include <string_view>

namespace pelorus {

// Each market has a line `NAME holidays` or `NAME tradingDays`, then a line per year: `2024 0101 0209 …`, months and
// days. `NAME as OTHER from YEAR` stands for the days of another market, from a year on. The list covers 2004 to 2026,
// and mainland China from 1991.
extern const std::string_view kMarketHolidays;

}  // namespace pelorus
