// Names of sub-queries that mean columns of the query around them, where there are no rows around them: after `from`
// and `join`, and in changes of partitioned tables. Such a query is refused instead of being computed over whole
// columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "runtime/code/query.h"
#include "runtime/table/table.h"

namespace pelorus {

// The columns of an outer query that its sub-queries may seem to name, and where they do.
class OuterColumns {
public:
    // Looks at the sub-queries in expressions and joined sources of `query`. A sub-query's own tables and aliases come
    // first. Nothing is computed. `columns` are those of the rows that `query` reads. Linear in the size of the query.
    OuterColumns(const Query& query, const TableSchema& columns);

    // Throws UserError, with the place and the name, when one names `table.column` of a table of `query`.
    void requireNone() const;

    // Returns the error that a failed sub-query should end with, if it failed at a name that only the outer query has.
    std::optional<UserError> explain(const UserError& error) const;

private:
    struct Use {
        SourcePosition place;
        std::string column;
    };
    std::optional<UserError> refusal_;
    std::vector<Use> unqualified_;  // names within sub-queries that are columns of the outer query
};

}  // namespace pelorus
