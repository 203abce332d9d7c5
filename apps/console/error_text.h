// An error as a person at a terminal reads it: place, line, caret, message, hint.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace pelorus {

// `name` is the file, or a word for where the script came from, or empty when there is nothing to name; `script` is
// what ran. With colors the place and the caret are red and what to do is cyan.
std::string errorText(const std::exception& error, std::string_view name, std::string_view script,
                      bool hasColors = false);

}  // namespace pelorus
