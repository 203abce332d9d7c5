// The parser of PostgreSQL itself, from the library libpg_query, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pelorus::postgres {

// Returns the parse tree of a string in UTF-8 without NUL. Opens the library at the first call. Throws SqlError 42601
// with the position of a syntax error, 54001 for a string that is nested too deep, 58030 when the library is not there.
nlohmann::json parseTree(const std::string& text);

}  // namespace pelorus::postgres
