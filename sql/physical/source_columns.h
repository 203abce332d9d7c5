// Columns of what a query reads, without its rows: for a query that is only explained.
#pragma once

#include "runtime/function/context.h"
#include "sql/bind/correlation.h"
#include "sql/plan/row_source.h"
#include "sql/plan/source_node.h"

namespace pelorus {

// Returns the nodes with every call after `from` replaced by the table that it gives, and the columns of files, so that
// all tables are there that are not inner queries. Throws UserError for a call that may change something: its columns
// are unknown without it.
SourceRef knownSource(const SourceRef& source, Context& context);

// Returns nodes that give the same columns as those of a `knownSource` and read no row: inner queries are bound, and
// joins are of tables without rows. A single table stays as it is.
SourceRef sourceWithoutRows(const SourceRef& source, Context& context);

// Returns the source of a query with all its columns and their names, and no row of a join or an inner query.
RowSource columnsOf(const Query& query, const SourceRef& source, Context& context);
// Returns the rows of a query as its sub-queries see them. The result refers to both.
OuterRows asOuterRows(const Query& query, const RowSource& source);

}  // namespace pelorus
