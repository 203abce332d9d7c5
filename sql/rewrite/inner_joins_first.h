// The order of the joins of a query: inner ones before those that only add columns.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/table/table.h"

namespace pelorus {

// A table of a list of joins: its name in the query, which may be empty, and its columns.
struct JoinedTable {
    std::string qualifier;
    const TableSchema* columns = nullptr;
};

// Returns the positions of the clauses in an order in which inner and cross joins come before left joins whose columns
// they do not read: a left join keeps the rows that they leave, so that both orders give the same rows, and the tables
// of inner joins can be joined in any order. tables[i + 1] is joined by clauses[i]. Clauses stay where they are when a
// name in the query would mean a column of another table, and when a join keeps rows of its right side. O(clauses² ·
// columns).
std::vector<size_t> innerJoinsFirst(const Query& query, const std::vector<JoinClause>& clauses,
                                    const std::vector<JoinedTable>& tables);

}  // namespace pelorus
