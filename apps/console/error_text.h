// Formats an error for a person at a terminal: place, line, caret, message, hint.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace pelorus {

// Returns the lines of the error. `name` is the file, another origin of the script, or empty; `script` is the source
// text that ran. With colors the place and the caret are red and the hint is cyan.
std::string errorText(const std::exception& error, std::string_view name, std::string_view script,
                      bool hasColors = false);

}  // namespace pelorus
