// Source text of a function, for a server that accepts only scripts and data.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/function.h"

namespace pelorus {

struct FunctionText {
    std::string definitions;     // to be run on the server first; empty for a built-in
    std::string name;            // the name to call afterwards
    std::vector<Value> leading;  // captured values, passed before the arguments of the call
};

// Throws UserError for a function without source text: one that other code made.
FunctionText functionText(const Function& function);

}  // namespace pelorus
