// Types of literals, as PostgreSQL's parser decides them.
#pragma once

#include <string>

#include "postgres/parse/literal_rows.h"
#include "postgres/typing/typed.h"

namespace pelorus::postgres {

// Returns a number beyond integer, or with a fraction: bigint where it is whole and fits, else numeric. Throws SqlError
// 22003 for one with too many digits.
Typed typedNumber(const std::string& digits);
// Returns what stood in quotes, whose type what is next to it decides.
Typed typedText(std::string text);
// Returns a literal of a row of values. REQUIRES: it is not DEFAULT.
Typed typedLiteral(const RowLiteral& literal);

}  // namespace pelorus::postgres
