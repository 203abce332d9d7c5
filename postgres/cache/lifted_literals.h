// Literals of a statement that only its parameters need to know: statements that differ by these alone are prepared
// once.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/types/oids.h"

namespace pelorus::postgres {

// A literal that was taken out of a text: an integer, or a string that is not empty.
struct LiftedLiteral {
    size_t begin = 0;  // its first byte in the text
    bool isText = false;
    std::string value;  // without quotes
};

// A text without the literals that are compared with something.
struct LiftedText {
    std::string shape;  // the text with a mark of its kind for each of them
    std::vector<LiftedLiteral> literals;
};

// Takes the literals behind comparisons, of `between` and of lists of `in` out of a text of one statement. Returns
// nothing for a text that is not read as simply as it is written: with comments, parameters, escapes, several
// statements.
std::optional<LiftedText> liftLiterals(std::string_view text);

// Makes $1, $2 … of these literals in the tree of the text, in their order. Returns false, and leaves a tree of no use,
// unless each of them is compared with a column in a condition.
bool putParameters(nlohmann::json& tree, const std::vector<LiftedLiteral>& literals);

// Returns whether parameters of these types mean what the literals did: an integer beside a string, and a string beside
// a type whose values depend on more than its own type, do not.
bool areLiftable(const std::vector<LiftedLiteral>& literals, const std::vector<Oid>& types);

}  // namespace pelorus::postgres
