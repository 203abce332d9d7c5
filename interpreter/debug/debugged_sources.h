// Finds the modules that a debugged script uses, with their source texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/function/context.h"

namespace pelorus {

// A module with its file.
struct DebuggedSource {
    std::string module;  // a::b
    std::string path, text;
};

// Returns the modules that a script names after `use`, and those that they use, each once. Modules that are not found,
// or have no source text, are left out: the run reports them. Throws SyntaxError when the script does not parse.
std::vector<DebuggedSource> debuggedSources(std::string_view script, const Services& services);

}  // namespace pelorus
