// Row source of a query: the table that its `from` names, joined and with its aliases.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/operators/join/joined_rows.h"

namespace pelorus {

// `qualifier.column` of a query, and its name in the source.
struct QualifiedColumn {
    std::string qualifier, column, name;
};

struct RowSource {
    Ref<Table> table;
    Ref<MemoryTable> memory;                  // a table in memory; a snapshot of one that sessions share
    Ref<MemoryTable> shared;                  // then the table itself, to which a change is applied
    uint64_t seenChanges = 0;                 // its change count at the snapshot
    PartitionedTable* partitioned = nullptr;  // otherwise
    Ref<JoinedRows> joined;                   // the rows of a join, materialized when they are read
    std::shared_ptr<TableSnapshot> snapshot;  // of a partitioned table: the one that the whole query sees
    // Set if the query is `restricted` to some partitions of the snapshot: a data source, or a partial query on this
    // node.
    std::vector<size_t> partitions;
    bool restricted = false;
    std::vector<QualifiedColumn> qualified;  // of joins by `join … on`
    // Left keys of a right join: a name without a qualifier is first looked up in the left table.
    std::vector<QualifiedColumn> leftKeys;

    const TableSchema& columns() const { return table->columns(); }
};

// Resolves table and joins. Throws UserError when a name is no table.
RowSource resolveSource(const Query& query, Context& context);

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
Ref<Query> expandQualifiedStars(const Query& query, const RowSource& source, Context& context);

// Replaces `alias.column` by the name of the source's column, and constants with the name of a column, such as e, by
// that column.
Ref<Query> resolveQualifiedNames(const Query& query, const RowSource& source);

// Materializes all rows and columns of a table in memory, the partitions' in order.
Ref<MemoryTable> materialise(const Value& table, Context& context);

// Whether a call is ej, lj, aj … of tables.
bool isJoinFunction(const Call& call);

// Returns the table that a part of `from` denotes: a variable, a query, a call that returns a table.
Value tableValue(const NodeRef& node, Context& context);

}  // namespace pelorus
