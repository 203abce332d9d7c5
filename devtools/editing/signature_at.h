// Finds the call whose argument is being typed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "devtools/editing/session_names.h"
#include "interpreter/parser/lexer.h"

namespace pelorus {

inline constexpr size_t kNoToken = static_cast<size_t>(-1);

// Returns the index of the token that names the function whose bracket is open after the last token, or kNoToken;
// `argument` receives the number of the argument at the end of the tokens, from 0.
size_t openCall(const std::vector<Token>& tokens, size_t* argument = nullptr);

// Returns the names of the parameters in a signature: a, b and c for "f(a, [b=1], mutable c)". A variadic one ends in
// "...".
std::vector<std::string> parametersOfSignature(std::string_view signature);

// Returns the signature of the function that `names` knows by this name, else that of the built-in function; empty when
// there is none.
std::string signatureOfFunction(std::string_view function, const SessionNames& names);

// An open call, its signature, and the parameter that is being typed.
struct SignatureAtCursor {
    std::string function;
    std::string signature;  // empty: no call is open, or its function is unknown
    std::vector<std::string> parameters;
    size_t active = 0;  // index of the parameter; parameters.size() when there are more arguments
    std::string line;   // line of the documentation on the active parameter; or empty
};

// Returns the call that is open after the last token. O(tokens).
SignatureAtCursor signatureAt(const std::vector<Token>& tokens, const SessionNames& names);

// Returns the offset of a parameter in its signature, or npos.
size_t placeInSignature(std::string_view signature, std::string_view parameter);

}  // namespace pelorus
