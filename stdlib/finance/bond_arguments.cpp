#include "stdlib/finance/bond_arguments.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "common/error.h"

namespace pelorus {

static constexpr std::array<std::pair<std::string_view, int>, 5> kFrequencies = {
    {{"Once", 0}, {"Annual", 1}, {"Semiannual", 2}, {"Quarterly", 4}, {"Monthly", 12}}};

std::optional<int> paymentsAYear(std::string_view name) {
    for (const auto& [known, count] : kFrequencies) {
        if (known == name) return count;
    }
    return std::nullopt;
}

std::optional<int> paymentsAYear(double count) {
    for (const auto& [known, own] : kFrequencies) {
        if (own == count) return own;
    }
    return std::nullopt;
}

static int frequencyAt(const RowArguments& rows, size_t i, size_t row) {
    const std::optional<int> count = rows.isText(i)
                                         ? paymentsAYear(rows.text(i, row, "frequency"))
                                         : paymentsAYear(static_cast<double>(rows.integer(i, row, "frequency")));
    if (count) return *count;
    throw UserError(static_cast<int>(i),
                    "frequency must be 0, 1, 2, 4 or 12, or Once, Annual, Semiannual, Quarterly or Monthly.");
}

DayCount dayCountAt(const RowArguments& rows, size_t i, size_t row) {
    const std::string name = rows.text(i, row, "dayCountConvention");
    if (const auto convention = dayCountOf(name)) return *convention;
    throw UserError(static_cast<int>(i),
                    fmt::format("dayCountConvention must be Thirty360US, ActualActualISMA, Actual360, Actual365, "
                                "Thirty360EU or ActualActualISDA, but it is {}.",
                                name));
}

static BondType typeAt(const RowArguments& rows, size_t i, size_t row) {
    const std::string name = rows.text(i, row, "bondType");
    if (name == "FixedRate") return BondType::FixedRate;
    if (name == "Discount") return BondType::Discount;
    if (name == "ZeroCoupon") return BondType::ZeroCoupon;
    throw UserError(static_cast<int>(i),
                    fmt::format("bondType must be FixedRate, Discount or ZeroCoupon, but it is {}.", name));
}

Bond bondAt(const RowArguments& rows, size_t row, bool hasPrice, bool& isKnown) {
    size_t i = 2;
    Bond bond{};
    bond.start = rows.date(0, row, "start");
    bond.maturity = rows.date(1, row, "maturity");
    bond.issuePrice = hasPrice ? rows.number(i++, row, "issuePrice") : 100;
    bond.coupon = rows.number(i++, row, "coupon");
    bond.frequency = frequencyAt(rows, i++, row);
    bond.dayCount = dayCountAt(rows, i++, row);
    bond.type = typeAt(rows, i++, row);
    isKnown = !isNull(bond.start) && !isNull(bond.maturity) && !isNull(bond.coupon) && !isNull(bond.issuePrice);
    if (isKnown && bond.start >= bond.maturity) throw UserError(1, "maturity must be after start.");
    constexpr int64_t kLongestDays = 366 * 1000;
    if (isKnown && bond.maturity - bond.start > kLongestDays)
        throw UserError(1, "The bond lives longer than 1000 years.");
    return bond;
}

}  // namespace pelorus
