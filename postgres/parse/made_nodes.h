// Makes nodes of PostgreSQL's parse tree, for statements that are bound as others.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pelorus::postgres {

// Returns a reference to a column by its names, as {"t", "a"} for t.a.
nlohmann::json columnReference(const std::vector<std::string>& names);
// Returns a reference to all columns of a table: t.*.
nlohmann::json starReference(const std::string& table);
// Returns an element of a select list; without a name that of the expression is left to the translator.
nlohmann::json selectTarget(nlohmann::json value, const std::string& name = "");

}  // namespace pelorus::postgres
