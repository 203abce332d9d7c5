// Names of the columns of joins: by which a query may call them, and which hidden ones it needs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/table/table.h"
#include "sql/bind/read_names.h"
#include "sql/keys/join_keys.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Names that a query may use for columns of a join by a function, and the prefix of the hidden columns that keep keys
// which the join would leave out; empty when there are none.
struct JoinFunctionNames {
    std::vector<QualifiedColumn> names;
    std::string hiddenPrefix;
};
// Names the keys of the right table of lj, lsj, aj, wj and pwj, which the result of these does not show. Those of the
// first three are kept in hidden columns when the query reads one: where a row has no partner they are NULL, and not
// the left key. `arguments` are those of the call, by parameter.
JoinFunctionNames namesOfRightKeys(std::string_view function, const std::string& right,
                                   std::span<const Value> arguments, const ReadNames& read);
// ej(t, u, `a, `k) shows the key under the name it has on the left: k of u is a.
std::vector<QualifiedColumn> namesOfEquiJoinKeys(std::string_view function, const std::string& right,
                                                 std::span<const Value> arguments);

// Returns the columns of a table under the name that the query gives it; none without a name.
std::vector<QualifiedColumn> qualifiedColumns(const TableSchema& columns, const std::string& qualifier);

// The two sides of a join by a clause: the rows so far, and the table that is joined to them.
struct ClauseSides {
    const TableSchema& left;
    const TableSchema& right;
    const std::string& rightName;
};
// Returns the prefix under which the join keeps the keys that it would leave out, because the query reads one: of the
// right table in a left join, of the left one in a right join. Empty when it reads none.
std::string hiddenKeysOfClause(JoinKind kind, const ClauseSides& sides, const JoinColumns& keys, const ReadNames& read);
// Adds the names of the right table's columns to those of the source, and gives the hidden keys their names.
void nameColumnsOfClause(JoinKind kind, const ClauseSides& sides, const JoinColumns& keys,
                         const std::string& hiddenPrefix, RowSource& source);

// Whether a column of one of these tables is read, under its name or with the prefix that a join adds; `qualifiers`
// are the names of the tables from left to right.
bool isColumnRead(const ReadNames& read, const std::vector<std::string>& qualifiers, const std::string& column);

}  // namespace pelorus
