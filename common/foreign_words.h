// Translates words of other languages (SQL dialects, Python with numpy and pandas, R, kdb+, C) that newcomers write to
// their counterparts here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// Returns the sentence for an error's hint about an undefined word; empty for words of none of these languages. Letter
// case is ignored unless two words differ in it alone.
std::string foreignWordAdvice(std::string_view word);
// Returns the advice for a name that is called, or read as a member.
std::string foreignFunctionAdvice(std::string_view name);
// Returns the advice for a name that is used as a type.
std::string foreignTypeAdvice(std::string_view name);

// Returns the functions that foreignFunctionAdvice knows.
std::vector<std::string_view> foreignFunctions();

}  // namespace pelorus
