// JSON from outside: from clients, editors and other services. Every such text is parsed here, where its depth is
// bounded, since whatever copies, shows or walks a value of nlohmann::json uses the stack for each level.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace pelorus {

// Arrays and objects inside one another; what editors and clients send has ten at most.
constexpr int kMaxJsonDepth = 64;

// Returns how many arrays and objects lie inside one another at most, without regard to whether they end. O(length).
int jsonDepth(std::string_view string);

// Returns the value of a text; a discarded one (is_discarded) when the text is no JSON, or nested deeper than
// kMaxJsonDepth.
nlohmann::json parseJson(std::string_view string);

}  // namespace pelorus
