// Collects the rows of the system catalog's tables, each showing what the user may see.
#pragma once

#include <vector>

#include "postgres/catalog/catalog_tables.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

using CatalogRows = std::vector<CatalogRow>;

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

}  // namespace pelorus::postgres
