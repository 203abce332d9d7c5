// Sub-queries that name columns of the rows of the query around them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/row_source.h"

namespace pelorus {

class WithScope;

// The rows of a query as its sub-queries see them: `query` names its tables, `source` its columns.
struct OuterRows {
    const Query& query;
    const RowSource& source;
    // Returns the names of the columns of a sub-query's own tables, and adds its `with` to the scope; nothing where
    // they are unknown unless it runs. Computes nothing.
    std::optional<std::vector<std::string>> (*ownColumns)(const Query& query, WithScope& scope, Context& context);
};

// A sub-query that names columns of outer rows, each by its name in domainName().
struct CorrelatedQuery {
    Ref<Query> query;
    std::vector<std::string> columns;  // of the outer source; distinct, in the order of their first use
};

// Returns the sub-query with outer columns renamed, in the sub-queries within it, too; nothing where it names none, or
// where its own columns are unknown unless it runs. A name is first a column of the innermost query that has one, then
// a variable or function. Nothing is computed.
std::optional<CorrelatedQuery> correlated(const Query& query, const OuterRows& outer, Context& context);

// Whether a sub-query in the expression does.
bool namesOuterColumns(const NodeRef& expression, const OuterRows& outer, Context& context);

// The name of an outer column, and of the number of an outer row, in the domain of a sub-query. Both begin with a
// blank, so that no script can write them, and * does not mean them.
std::string domainName(const std::string& column);
inline constexpr const char* kDomainRow = " outer row";

// Returns the sub-query over a domain, a table of outer rows, beside its own tables.
Ref<Query> overDomain(const Query& query, const Ref<MemoryTable>& domain);
// Returns a domain without rows, of columns of the outer source.
Ref<MemoryTable> emptyDomain(const std::vector<std::string>& columns, const TableSchema& outer);

}  // namespace pelorus
