// Formats the documentation of a function from the registry as Markdown.
#pragma once

#include <string>

#include "runtime/registry/registry.h"

namespace pelorus {

// Returns signature, summary, parameters, units, NULL rule, errors, complexity, source and examples.
std::string markdownOf(const BuiltinFunction& function);

// Returns the summary and the parameters only, for a list.
std::string shortMarkdownOf(const BuiltinFunction& function);

}  // namespace pelorus
