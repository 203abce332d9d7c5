// Names of the tables of a query, and snapshots of their rows.
#pragma once

#include <string>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Returns the name by which a query calls what a part of its `from` denotes; empty when it has none.
std::string nameOfSource(const NodeRef& node, const std::string& alias);
// Returns the name by which a query calls the table that an argument of ej, lj … denotes, as b of `u as b`.
std::string nameOfArgument(const NodeRef& argument);

// Whether a call is ej, lj, aj … of tables.
bool isJoinFunction(const Call& call);

// Makes the table the source's, with a snapshot of its rows, which the whole query sees. Nothing is read. Throws
// UserError where the user may not do with its rows what the statement does.
void takeTable(RowSource& source, Ref<Table> table, QueryVerb verb, Context& context);

}  // namespace pelorus
