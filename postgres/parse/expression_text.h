// Expressions of a table's definition as text: the catalog keeps defaults and checks in this form.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pelorus::postgres {

// Returns text that parses to the same tree as the expression, but for places in the text. Throws SqlError 0A000 for
// what no definition may hold, as sub-queries and parameters. In files: the result of parseExpression never changes.
std::string expressionText(const nlohmann::json& expression);

// Returns the tree of an expression. Throws SqlError 42601.
nlohmann::json parseExpression(std::string_view text);

// Returns the columns that an expression names, each once, in the order of their first use.
std::vector<std::string> columnsOf(const nlohmann::json& expression);
// Renames columns in the expression, all at once, and drops the names of tables before them.
void renameColumns(nlohmann::json& expression, const std::vector<std::pair<std::string, std::string>>& names);
// Returns whether it calls a function of one of these names.
bool callsAny(const nlohmann::json& expression, const std::vector<std::string_view>& functions);

}  // namespace pelorus::postgres
