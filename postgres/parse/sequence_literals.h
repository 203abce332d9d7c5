// Calls of nextval, currval, lastval and setval in trees.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pelorus::postgres {

bool isSequenceFunction(std::string_view name);
// Returns the name in quotes, with or without a cast to regclass; nothing for any other expression.
std::optional<std::string> sequenceLiteral(const nlohmann::json& expression);
// Returns the sequence that nextval('…') takes numbers of; nothing for any other expression.
std::optional<std::string> numberedBy(const nlohmann::json& expression);

}  // namespace pelorus::postgres
