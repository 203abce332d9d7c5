// `alter table`.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "postgres/definition/definition_scope.h"

namespace pelorus::postgres {

// Carries out an AlterTableStmt: all of its commands, or none. Throws SqlError.
void alterTable(const nlohmann::json& body, DefinitionScope& scope);

// Finds the table that a statement alters; null for none, where one may miss.
std::shared_ptr<const TargetTable> alteredTable(const nlohmann::json& body, DefinitionScope& scope);

}  // namespace pelorus::postgres
