// Descriptions of instruments and market data for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stdlib/named_results.h"
#include "tests/unit/stdlib/lambda_function.h"

namespace pelorus::testing {

using Members = std::vector<std::pair<std::string, Value>>;

inline Value dictionaryOf(const Members& members) {
    auto d = orderedResult();
    for (const auto& [name, value] : members) addMember(*d, name, value);
    return Value::of(d);
}
inline Value day(int date) {
    return Value::scalar(Type::Date, date);
}
inline Value days(const std::vector<int32_t>& dates) {
    return Value::of(Vector::of(Type::Date, dates));
}

// A bond of 4 % from day 20000 for four years, paid once a year.
inline Value bondOf(Members more = {}) {
    Members all = {{"productType", text("Cash")},
                   {"assetType", text("Bond")},
                   {"bondType", text("FixedRateBond")},
                   {"start", day(20089)},  // 2025.01.01
                   {"maturity", day(21550)},
                   {"coupon", Value::ofDouble(0.04)},
                   {"frequency", text("Annual")},
                   {"dayCountConvention", text("ActualActualISMA")}};
    all.insert(all.end(), more.begin(), more.end());
    return dictionaryOf(all);
}
// A flat curve from 2025.01.01 on.
inline Value flatCurve(double rate, Members more = {}) {
    Members all = {{"mktDataType", text("Curve")},      {"curveType", text("IrYieldCurve")},
                   {"referenceDate", day(20089)},       {"dayCountConvention", text("Actual365")},
                   {"compounding", text("Continuous")}, {"interpMethod", text("Linear")},
                   {"extrapMethod", text("Flat")},      {"dates", days({20454, 21915})},
                   {"values", numbers({rate, rate})},   {"currency", text("CNY")}};
    all.insert(all.end(), more.begin(), more.end());
    return dictionaryOf(all);
}

}  // namespace pelorus::testing
