// Suggestions for misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// Whether two names are the same but for upper and lower case.
bool differsInCaseOnly(std::string_view a, std::string_view b);

// Returns the candidates with the fewest typing errors, one or two at most, and at most three of them. Letter case is
// no error.
std::vector<std::string_view> nearestNames(std::string_view name, const std::vector<std::string_view>& candidates);

// Returns "Did you mean a or b?", or an empty string.
std::string didYouMean(const std::vector<std::string_view>& names);

}  // namespace pelorus
