// FunctionText is the source text of a function, for a server that accepts only scripts and data.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/function.h"

namespace pelorus {

// The text, and how to call the function with it.
struct FunctionText {
    std::string definitions;     // script that the server must run first; empty for a built-in
    std::string name;            // the name to call afterwards
    std::vector<Value> leading;  // captured values, passed before the arguments of the call
};

// Returns the source text of a function. Throws UserError for a function without one, which other code has made.
FunctionText functionText(const Function& function);

}  // namespace pelorus
