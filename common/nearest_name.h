// Suggests names in place of misspelt ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// Returns whether two names differ in letter case alone.
bool differsInCaseOnly(std::string_view a, std::string_view b);

// Returns the candidates that differ from the name by the fewest typing errors, at most two, and at most three
// candidates. Letter case is no error.
std::vector<std::string_view> nearestNames(std::string_view name, const std::vector<std::string_view>& candidates);

// Returns "Did you mean a or b?", or an empty string.
std::string didYouMean(const std::vector<std::string_view>& names);

}  // namespace pelorus
