// Foreign keys: from a statement into the catalog, and what a dropped table or key leaves of those that refer to it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "postgres/definition/definition_scope.h"
#include "postgres/definition/new_table.h"
#include "storage/catalog/catalog.h"

namespace pelorus {
class Transaction;
}

namespace pelorus::postgres {

// Returns the foreign key of a table that is made or altered; the entry has the table's database, name and indexes, and
// may be its own parent. Throws SqlError as PostgreSQL does: 42P01, 42703, 42704, 42710, 42804, 42830.
ForeignKey foreignKeyOf(const NewForeignKey& key, const TableEntry& child, const std::string& schema,
                        DefinitionScope& scope);
// Locks the parents of foreign keys, but for the table itself, until the result is dropped, so that no row of theirs
// changes unseen. Throws UserError (<LockNotAvailable>).
std::vector<std::unique_ptr<Transaction>> lockParents(const NewTable& table, const std::string& schema,
                                                      DefinitionScope& scope);

// A foreign key of a table to another one, or to itself.
struct ReferringKey {
    std::string schema, table;
    ForeignKey key;
};
// Returns the foreign keys of other tables to a table.
std::vector<ReferringKey> referringKeys(const TableEntry& parent, DefinitionScope& scope);
// Drops a key, with a remark.
void dropReferringKey(const ReferringKey& key, DefinitionScope& scope);
// Throws SqlError for a constraint that `set constraints` names: 42704 where no row table has one of the name, and
// 42809 where it is to be deferred and cannot be.
void requireDeferrable(const std::string& constraint, bool isDeferred, Context& context);
// Returns whether a table has a unique index of exactly these columns, by their stored names.
bool hasUniqueIndex(const TableEntry& table, std::vector<std::string> columns);

}  // namespace pelorus::postgres
