// A bound of how deep the tree of a statement can be, before any parser has seen it.
#pragma once

#include <string_view>

namespace pelorus::postgres {

// The most that nestingBound may say of a statement that is parsed.
constexpr int kMaxNesting = 40'000;

// Returns a number that the depth of the syntax tree cannot exceed: operators and words of all open parentheses'
// levels, where the elements of a list count apart. Strings, quoted names and comments count as one word. O(length).
int nestingBound(std::string_view text);

}  // namespace pelorus::postgres
