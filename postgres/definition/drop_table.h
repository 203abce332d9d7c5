// `drop table` and `truncate`, which foreign keys of other tables may refuse.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "postgres/definition/definition_scope.h"

namespace pelorus::postgres {

// Drops tables, each once; all are found before the first one goes. Throws SqlError 2BP01 where foreign keys of other
// tables refer to one; with `cascade` they are dropped.
void dropTables(const nlohmann::json& body, DefinitionScope& scope);

// Empties tables, each by a transaction of its own. Throws SqlError 0A000 where another table, which is not emptied,
// refers to one; with `cascade` it is emptied, too.
void truncateTables(const nlohmann::json& body, DefinitionScope& scope);

}  // namespace pelorus::postgres
