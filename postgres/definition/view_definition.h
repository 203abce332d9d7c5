// `create view` and `drop view`.
//
// A view is its query's text, with the search path and the columns of that moment; who reads it needs the rights on the
// tables that the query reads. Rows are not changed through it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "postgres/definition/definition_scope.h"
#include "postgres/parse/parsed_statement.h"
#include "storage/catalog/views.h"

namespace pelorus::postgres {

// Throws SqlError 42P07 for a name that is taken, 42P16 for a replacement whose first columns are others, and what the
// query throws when it is bound.
void createView(const Statement& statement, DefinitionScope& scope);
// Drops views; all are found before the first one goes. Throws SqlError 2BP01 for one that another view reads, without
// `cascade`.
void dropViews(const nlohmann::json& body, DefinitionScope& scope);

// Throws SqlError 2BP01 where a view reads the table, whose kind `what` says, and is none of `besides`; with `cascades`
// these views are dropped, and those that read them.
void releaseFromViews(const std::string& what, const ViewSource& source, bool cascades,
                      const std::vector<ViewSource>& besides, DefinitionScope& scope);

}  // namespace pelorus::postgres
