// `create sequence`, `alter sequence` and `drop sequence`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "postgres/definition/definition_scope.h"

namespace pelorus::postgres {

void createSequence(const nlohmann::json& body, DefinitionScope& scope);
void changeSequence(const nlohmann::json& body, DefinitionScope& scope);
// Drops sequences; all are found before the first one goes. Throws SqlError 2BP01 for one whose numbers a column takes.
void dropSequences(const nlohmann::json& body, DefinitionScope& scope);

}  // namespace pelorus::postgres
