// Literals of a statement that only its parameters need to know: statements that differ by these alone are prepared
// once.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/types/oids.h"

namespace pelorus::postgres {

// A literal that was taken out of a text: an integer, a number with a fraction, or a string that is not empty.
struct LiftedLiteral {
    enum class Kind : uint8_t { Integer, Fraction, Text };
    size_t begin = 0;  // its first byte in the text, which is that of its sign
    Kind kind = Kind::Integer;
    std::string value;  // without quotes, with its sign
};

// A text without those literals.
struct LiftedText {
    std::string shape;  // the text with a mark of its kind for each of them
    std::vector<LiftedLiteral> literals;
};

// Takes the literals behind comparisons, of `between` and of lists of `in` out of a text of one statement; of an
// insert, update or delete those of rows of `values`, of assignments, and of sums and products too. Returns nothing for
// a text that is not read as simply as it is written: with comments, parameters, escapes, several statements; and for
// one with very many literals.
std::optional<LiftedText> liftLiterals(std::string_view text);

// What a literal is for its statement.
enum class LiteralUse : uint8_t {
    Missing,   // it is nowhere in the tree
    Compared,  // with a column: its type is the column's
    Assigned,  // to a column: its type is the column's
    Operand    // of a sum, product or the like: its type is its own
};

// Makes $1, $2 … of these literals in the tree of the text, in their order, and returns the use of each. Returns
// nothing, and leaves a tree of no use, unless each of them is found where it may be a parameter.
std::optional<std::vector<LiteralUse>> putParameters(nlohmann::json& tree, const std::vector<LiftedLiteral>& literals);

// Returns whether parameters of these types mean what the literals did: an integer beside a string, and a string that
// is compared with a type whose values depend on more than its own type, do not.
bool areLiftable(const std::vector<LiftedLiteral>& literals, const std::vector<LiteralUse>& uses,
                 const std::vector<Oid>& types);

}  // namespace pelorus::postgres
