// Collects the rows of the system catalog's tables, each showing what the user may see.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "postgres/catalog/catalog_tables.h"
#include "postgres/types/declared_type.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"

namespace pelorus::postgres {

using CatalogRows = std::vector<CatalogRow>;

// A table of users, as the catalog shows it.
struct ShownTable {
    std::string schema;
    std::string name;
    TableSchema columns;
    std::vector<DeclaredType> types;
    std::shared_ptr<const TableEntry> entry = nullptr;  // of a stored table
};
// Returns the tables that the user may read.
std::vector<ShownTable> shownTables(Context& context);

void collectNamespaces(Context& context, CatalogRows& rows);
void collectClasses(Context& context, CatalogRows& rows);
void collectAttributes(Context& context, CatalogRows& rows);
void collectTypes(Context& context, CatalogRows& rows);
void collectDatabases(Context& context, CatalogRows& rows);
void collectRoles(Context& context, CatalogRows& rows);
void collectTables(Context& context, CatalogRows& rows);
void collectSettings(Context& context, CatalogRows& rows);
void collectMethods(Context& context, CatalogRows& rows);
void collectSchemata(Context& context, CatalogRows& rows);
void collectInformationTables(Context& context, CatalogRows& rows);
void collectInformationColumns(Context& context, CatalogRows& rows);
void collectViews(Context& context, CatalogRows& rows);             // pg_views
void collectInformationViews(Context& context, CatalogRows& rows);  // information_schema.views

}  // namespace pelorus::postgres
