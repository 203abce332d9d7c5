// Recognizes characters that look like those of the language: full-width punctuation of Chinese input methods,
// typographic quotes and dashes of word processors, blanks and invisible characters of web pages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pelorus {

// Returns the length of a blank outside ASCII (no-break, em, ideographic space, byte order mark, zero-width space …) at
// the beginning of the string, or 0.
size_t wideBlankLength(std::string_view string);

// Returns the advice for the first such character of the string, "， is a full-width character: write , instead.";
// empty when there is none. `offset` receives the byte offset of the character.
std::string lookalikeAdvice(std::string_view string, size_t* offset = nullptr);

}  // namespace pelorus
