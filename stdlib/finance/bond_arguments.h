// Arguments that describe a bond, row by row.
#pragma once

#include <optional>
#include <string_view>

#include "stdlib/finance/bond.h"
#include "stdlib/finance/row_arguments.h"

namespace pelorus {

// Returns the payments a year that a name (Once, Annual, Semiannual, Quarterly, Monthly) or a count stands for; nothing
// for others.
std::optional<int> paymentsAYear(std::string_view name);
std::optional<int> paymentsAYear(double count);
// Reads dayCountConvention, argument i. Throws UserError for an unknown name.
DayCount dayCountAt(const RowArguments& rows, size_t i, size_t row);

// Reads start, maturity, issuePrice, coupon, frequency, dayCountConvention and bondType, arguments 0 to 6; without
// `hasPrice` issuePrice is not among them. `isKnown` becomes false where one is NULL.
Bond bondAt(const RowArguments& rows, size_t row, bool hasPrice, bool& isKnown);

}  // namespace pelorus
