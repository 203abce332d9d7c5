// Formats the output of help().
#pragma once

#include <string>
#include <string_view>

#include "runtime/registry/registry.h"
#include "stdlib/console/help_topics.h"

namespace pelorus {

// The overview, for help() without a name: which topics there are, and how to go on.
std::string helpOverview();
std::string helpOfFunction(const BuiltinFunction& function);
std::string helpOfTopic(const HelpTopic& topic);

// Help for an operator's sign, a type or a theme of functions; empty when the name is none of these.
std::string helpOfOperator(std::string_view sign);
std::string helpOfType(std::string_view name);
std::string helpOfTheme(std::string_view name);

// Returns suggestions for a name that has no help.
std::string helpAdvice(std::string_view name);

}  // namespace pelorus
