// Indentation of the lines of a script.
#pragma once

#include <vector>

#include "interpreter/parser/recovered_script.h"

namespace pelorus {

// Place of a token in the layout.
struct TokenPlace {
    int level = 0;            // levels of indentation, where the token begins a line
    int innerLevel = 0;       // of a comment that fills a line before the token
    int statement = -1;       // the statement of the top level that has the token, as a count of those before it
    bool opensBlock = false;  // a brace of statements
    bool closesBlock = false;
    char bracket = '\0';  // the innermost open bracket around the token
};

// Returns the place of each token: brackets indent by one level however many of them a line opens, and so do the
// further lines of a statement and a body without braces.
std::vector<TokenPlace> placeTokens(std::string_view text, const std::vector<Token>& tokens,
                                    const std::vector<StatementRange>& ranges);

}  // namespace pelorus
