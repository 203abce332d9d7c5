// The tables of pg_catalog and information_schema: computed from our catalog, showing what the user may see.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/types/oids.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

struct CatalogColumn {
    std::string name;
    Oid type;
};

// Rows are collected cell by cell, in the order of the columns; VOID is NULL.
using CatalogRow = std::vector<Value>;

struct SystemTable {
    std::string schema;  // pg_catalog or information_schema
    std::string name;
    std::vector<CatalogColumn> columns;
    void (*collect)(Context& context, std::vector<CatalogRow>& rows);  // null: always empty
};

// Finds a table; without a schema in pg_catalog alone. Returns nullptr when there is none.
const SystemTable* findSystemTable(std::string_view schema, std::string_view name);
std::span<const SystemTable> catalogTables();

// Returns the rows as a table whose columns have the kept types of theirs.
Value catalogRows(const SystemTable& table, Context& context);

}  // namespace pelorus::postgres
