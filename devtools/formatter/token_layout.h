// Computes the indentation of the lines of a script.
#pragma once

#include <vector>

#include "interpreter/parser/recovered_script.h"

namespace pelorus {

// The place of a token in the layout.
struct TokenPlace {
    int level = 0;            // levels of indentation if the token begins a line
    int innerLevel = 0;       // level of a comment that fills a line before the token
    int statement = -1;       // index of the top-level statement that contains the token; -1: none
    bool opensBlock = false;  // the token is a brace that opens a block of statements
    bool closesBlock = false;
    char bracket = '\0';  // the innermost open bracket around the token
};

// Returns the place of each token: the brackets that a line opens indent by one level together, and so do the further
// lines of a statement and a body without braces. `ranges` are the top-level statements.
std::vector<TokenPlace> placeTokens(std::string_view text, const std::vector<Token>& tokens,
                                    const std::vector<StatementRange>& ranges);

}  // namespace pelorus
