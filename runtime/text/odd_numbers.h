// Ways in which numbers and truth values are written: those that no numeric type reads, or reads with a loss.
#pragma once

#include <optional>
#include <string_view>

namespace pelorus::text {

// Returns whether the text is digits and nothing else, of which the first is a zero and not the only one: a code such
// as 000001, which a number would not give back.
bool hasLeadingZeros(std::string_view text);

// Returns whether the text is digits, with a sign or without.
bool isInteger(std::string_view text);

// Returns whether the text is a number whose fraction follows a comma: 1,5 or 1.234,50.
bool hasDecimalComma(std::string_view text);

// Returns whether the text is a number whose thousands are set off by commas: 1,234 or 1,234,567.50.
bool hasThousandsCommas(std::string_view text);

// Returns the value of true, True, TRUE, false, False and FALSE; nullopt for any other text.
std::optional<bool> truthOf(std::string_view text);

}  // namespace pelorus::text
