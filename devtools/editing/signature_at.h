// The call whose argument is being typed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "devtools/editing/session_names.h"
#include "interpreter/parser/lexer.h"

namespace pelorus {

inline constexpr size_t kNoToken = static_cast<size_t>(-1);

// Returns the index of the token that names the function whose bracket is open behind the last token, or kNoToken;
// `argument` receives the number of the argument that begins or goes on there, from 0.
size_t openCall(const std::vector<Token>& tokens, size_t* argument = nullptr);

// Returns the names in a signature: of "f(a, [b=1], mutable c)" a, b and c. A variadic one ends in "...".
std::vector<std::string> parametersOfSignature(std::string_view signature);

// Returns the signature of a function: of a script's if `names` knows it, else the built-in's; empty when there is
// none.
std::string signatureOfFunction(std::string_view function, const SessionNames& names);

struct SignatureAtCursor {
    std::string function;
    std::string signature;  // empty: no call is open, or nobody knows its function
    std::vector<std::string> parameters;
    size_t active = 0;  // of the parameters; at their end when there are more arguments
    std::string line;   // of the documentation, on the active parameter; or empty
};

// Returns the call that is open behind the last token. O(tokens).
SignatureAtCursor signatureAt(const std::vector<Token>& tokens, const SessionNames& names);

// Returns the offset of a parameter in its signature, or npos.
size_t placeInSignature(std::string_view signature, std::string_view parameter);

}  // namespace pelorus
