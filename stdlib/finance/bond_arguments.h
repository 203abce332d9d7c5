// Arguments that describe a bond, row by row.
#pragma once

#include "stdlib/finance/bond.h"
#include "stdlib/finance/row_arguments.h"

namespace pelorus {

// Reads dayCountConvention, argument i. Throws UserError for an unknown name.
DayCount dayCountAt(const RowArguments& rows, size_t i, size_t row);

// Reads start, maturity, issuePrice, coupon, frequency, dayCountConvention and bondType, arguments 0 to 6; without
// `hasPrice` issuePrice is not among them. `isKnown` becomes false where one is NULL.
Bond bondAt(const RowArguments& rows, size_t row, bool hasPrice, bool& isKnown);

}  // namespace pelorus
