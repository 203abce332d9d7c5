// Comparisons of rows of values: (a, b) = (1, 2) and (a, b) in ((1, 2), (3, 4)).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace pelorus::postgres {

// Returns a comparison of rows by =, <> or `in`, an A_Expr, as comparisons of their values; nothing for any other
// expression. Throws SqlError: 42601 for rows of different sizes, 0A000 for other operators.
std::optional<nlohmann::json> comparedByValues(const nlohmann::json& body);

}  // namespace pelorus::postgres
