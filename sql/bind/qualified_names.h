// Names of columns with those of their tables in front: t.x, t.*.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// The names by which `name.column` may mean a table of a query.
enum class Qualifiers : uint8_t {
    Strict,      // its alias, or its name when it has none
    WithHidden,  // both: an alias does not hide the name
};
// Returns the qualifiers of a query's tables, those of its joins and of the tables in ej(a, b, …) included.
std::vector<std::string> qualifiersOf(const Query& query, Qualifiers which);

// Whether this is `t.*` in a select list.
bool isQualifiedStar(const Node& node);
// Replaces `t.*` in the select list by the columns of that table. Throws UserError when no table is called so.
Ref<Query> expandQualifiedStars(const Query& query, const RowSource& source);

// Replaces `alias.column` by the name of the source's column, and constants with the name of a column, such as e, by
// that column.
Ref<Query> resolveQualifiedNames(const Query& query, const RowSource& source);

}  // namespace pelorus
