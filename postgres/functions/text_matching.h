// Patterns of like, and regular expressions.
#pragma once

#include <memory>
#include <string_view>

namespace re2 {
class RE2;
}

namespace pelorus::postgres {

// Returns whether the whole string is like the pattern: % is any string, _ any character; `escape` (one character, or
// none) takes the meaning from the next. Throws SqlError 22025 for a pattern that ends with its escape.
bool matchesLike(std::string_view text, std::string_view pattern, std::string_view escape, bool isCaseless);

// Returns whether a part of the string matches. Throws SqlError 2201B for a pattern that is none.
bool matchesRegex(std::string_view text, std::string_view pattern, bool isCaseless);

// Returns a compiled expression; the last ones of a thread are kept. Throws SqlError 2201B.
std::shared_ptr<const re2::RE2> compiledRegex(std::string_view pattern, bool isCaseless);

}  // namespace pelorus::postgres
