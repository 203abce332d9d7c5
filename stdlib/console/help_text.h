// The texts that help() prints.
#pragma once

#include <string>
#include <string_view>

#include "runtime/registry/registry.h"
#include "stdlib/console/help_topics.h"

namespace pelorus {

// Without a name: what there is, and how to go on.
std::string helpOverview();
std::string helpOfFunction(const BuiltinFunction& function);
std::string helpOfTopic(const HelpTopic& topic);

// Of an operator's sign, a type or a theme of functions; empty when the name is none of these.
std::string helpOfOperator(std::string_view sign);
std::string helpOfType(std::string_view name);
std::string helpOfTheme(std::string_view name);

// What to tell who asked for a name without help.
std::string helpAdvice(std::string_view name);

}  // namespace pelorus
