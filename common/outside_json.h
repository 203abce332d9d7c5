// Parses JSON from outside: from clients, editors and other services. All of it is parsed here, where its depth is
// bounded, since copying, printing and visiting a value of nlohmann::json use the stack for each level.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace pelorus {

// Maximum nesting of arrays and objects; messages of editors and clients have ten levels at most.
constexpr int kMaxJsonDepth = 64;

// Returns the maximum nesting of arrays and objects in a string, whether or not they are closed. O(length).
int jsonDepth(std::string_view string);

// Returns the parsed value; a discarded one (is_discarded) when the string is no JSON, or is nested deeper than
// kMaxJsonDepth.
nlohmann::json parseJson(std::string_view string);

}  // namespace pelorus
