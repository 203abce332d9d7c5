// `alter … rename` and `drop index`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "postgres/definition/definition_scope.h"

namespace pelorus::postgres {

// Carries out a RenameStmt: of a table, a column, a constraint or an index.
void renameObject(const nlohmann::json& body, DefinitionScope& scope);
// Drops indexes of row tables. Throws SqlError: 42704 for none of the name, 2BP01 for that of a constraint.
void dropIndexes(const nlohmann::json& body, DefinitionScope& scope);

}  // namespace pelorus::postgres
