// The primary keys that tables declare, and what the catalog shows of them: constraints, and the indexes under them.
#pragma once

#include <string>
#include <vector>

#include "postgres/catalog/collectors.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// A primary key of a table that the user sees.
struct PrimaryKey {
    std::string schema, table;
    std::string name;                  // of constraint and index: orders_pkey
    std::vector<std::string> columns;  // in the key's order
    std::vector<int> places;           // of these columns in the table, from 1
};

std::vector<PrimaryKey> primaryKeys(Context& context);
// Returns the key of a table; one without columns when it has none.
PrimaryKey primaryKeyOf(const ShownTable& table);

// Return the numbers that the catalog has for a key.
int64_t indexNumber(const PrimaryKey& key);
int64_t constraintNumber(const PrimaryKey& key);
// Return how a statement would define a key: "PRIMARY KEY (id)", "CREATE UNIQUE INDEX …".
std::string constraintDefinition(const PrimaryKey& key);
std::string indexDefinition(const PrimaryKey& key);

void collectIndexes(Context& context, CatalogRows& rows);            // pg_index
void collectConstraints(Context& context, CatalogRows& rows);        // pg_constraint
void collectIndexDefinitions(Context& context, CatalogRows& rows);   // pg_indexes
void collectTableConstraints(Context& context, CatalogRows& rows);   // information_schema.table_constraints
void collectKeyColumns(Context& context, CatalogRows& rows);         // information_schema.key_column_usage
void collectConstraintColumns(Context& context, CatalogRows& rows);  // information_schema.constraint_column_usage

}  // namespace pelorus::postgres
