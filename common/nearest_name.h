// Names that a misspelt one may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// Of the candidates those within one or two typing errors, nearest first, at most three. Letter case is no error.
std::vector<std::string_view> nearestNames(std::string_view name, const std::vector<std::string_view>& candidates);

// "Did you mean a or b?", or nothing.
std::string didYouMean(const std::vector<std::string_view>& names);

}  // namespace pelorus
