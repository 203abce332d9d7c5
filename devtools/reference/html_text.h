// Pieces of HTML out of the texts of documentation.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Returns the text with the signs of HTML written as entities; it may stand in an attribute, too.
std::string htmlEscaped(std::string_view text);
// Returns the text as prose: words between backticks are code, blank lines begin paragraphs.
std::string htmlProse(std::string_view text);

}  // namespace pelorus
