// A function as script text, for a server that is given nothing but scripts and data.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/function.h"

namespace pelorus {

struct FunctionText {
    std::string definitions;     // to be run there first; empty for a built-in
    std::string name;            // then called by this name
    std::vector<Value> leading;  // with these before the arguments of the call: what the function captured
};

// Throws UserError for a function that has no text: one that other code made.
FunctionText functionText(const Function& function);

}  // namespace pelorus
