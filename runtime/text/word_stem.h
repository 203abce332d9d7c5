// The stem of an English word, by Porter's algorithm of 1980: "walking" and "walked" give "walk".
#pragma once

#include <string>

namespace pelorus {

// Returns the stem of a word in lower case; words with other letters than a to z, and those of one or two letters,
// stay.
std::string stemOf(std::string word);

}  // namespace pelorus
