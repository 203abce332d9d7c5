// The constraints and indexes of tables, and what the catalog shows of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postgres/catalog/collectors.h"
#include "runtime/function/context.h"
#include "storage/catalog/catalog.h"

namespace pelorus::postgres {

// A constraint or index of a table that the user sees.
struct TableKey {
    enum class Kind { Primary, Unique, Check, Index, UniqueIndex, Foreign };
    Kind kind = Kind::Primary;
    std::string schema, table;
    std::string name;                  // of the constraint, and of the index under it: orders_pkey
    std::vector<std::string> columns;  // in the key's order; of a check those that it reads
    std::vector<int> places;           // of these columns in the table, from 1
    std::string expression = {};       // of a check

    // Of a foreign key: the parent, whose columns have other names where the user may not see it, and no places then.
    struct Parent {
        ForeignKey key;
        std::string schema, table;
        std::vector<std::string> columns;
        std::vector<int> places;
        std::string uniqueName;  // of the constraint that the key is of
    };
    std::optional<Parent> parent = {};

    bool isConstraint() const { return kind != Kind::Index && kind != Kind::UniqueIndex; }
    bool hasIndex() const { return kind != Kind::Check && kind != Kind::Foreign; }
    bool isUnique() const { return hasIndex() && kind != Kind::Index; }
};

// Returns those of all tables: of each its primary key, indexes, checks and foreign keys. Those of one table do not
// know more of parents than their names.
std::vector<TableKey> tableKeys(Context& context);
std::vector<TableKey> keysOf(const ShownTable& table);

// Return the numbers that the catalog has for an index and a constraint.
int64_t indexNumber(const TableKey& key);
int64_t constraintNumber(const TableKey& key);
// Return how a statement would define a constraint, "PRIMARY KEY (id)", and an index, "CREATE UNIQUE INDEX …".
std::string constraintDefinition(const TableKey& key);
std::string indexDefinition(const TableKey& key);

void collectIndexes(Context& context, CatalogRows& rows);            // pg_index
void collectConstraints(Context& context, CatalogRows& rows);        // pg_constraint
void collectIndexDefinitions(Context& context, CatalogRows& rows);   // pg_indexes
void collectTableConstraints(Context& context, CatalogRows& rows);   // information_schema.table_constraints
void collectKeyColumns(Context& context, CatalogRows& rows);         // information_schema.key_column_usage
void collectReferences(Context& context, CatalogRows& rows);         // information_schema.referential_constraints
void collectConstraintColumns(Context& context, CatalogRows& rows);  // information_schema.constraint_column_usage

}  // namespace pelorus::postgres
