// Finds the tables that a statement names: databases are schemas; `public` has shared tables and those of dfs://public.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "postgres/session_facts.h"
#include "postgres/types/declared_type.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {
struct TableEntry;
}

namespace pelorus::postgres {

// A table as a statement found it.
struct FoundTable {
    std::string schema;
    std::string name;
    TableSchema columns;
    std::vector<DeclaredType> types;              // of the columns
    std::string database;                         // the path of a stored table's; empty for a shared one
    std::function<Value(Context& context)> open;  // asks the rights of that moment
    bool isRowTable = false;
    std::shared_ptr<const TableEntry> entry = nullptr;  // of a stored table
};

// Finds a table by name, whatever the case of its letters where only one fits; without a schema along the search path.
// Throws SqlError 42P01 for none (also for one that the user may not see), 3F000 for an unknown schema.
FoundTable findTable(const std::string& schema, const std::string& name, const SessionFacts& session, Context& context,
                     int place);

// What a name of a table, as a statement writes it, has found.
struct TableFinding {
    TableName written;
    FoundTable found;
};

// Returns whether all of the names find the same tables still.
bool areStillFound(const std::vector<TableFinding>& findings, const SessionFacts& session, Context& context);

// Returns whether both are the same name with the same columns, declared in the same way.
bool isSameTable(const FoundTable& a, const FoundTable& b);

// Returns whether a name of a statement finds the same table still. Looks at other tables only where it has to. Throws
// as findTable.
bool isStillFound(const FoundTable& found, const std::string& schema, const std::string& name,
                  const SessionFacts& session, Context& context);

// Opens a table of the columns that it had when it was found. Throws StaleStatement when they are others now.
Value openAsFound(const std::function<Value(Context& context)>& open, const TableSchema& columns, Context& context);

// Returns the schemas that the user may see: databases without "dfs://".
std::vector<std::string> visibleSchemas(Context& context);
// Returns the schema of this name, whatever the case of its letters where only one fits.
std::optional<std::string> findSchema(const std::string& name, Context& context);
// Returns the schemas of the search path that are there, which the user may see.
std::vector<std::string> schemasOfPath(const SessionFacts& session, Context& context);
// Returns the database of a schema: "dfs://market" for "market".
std::string databaseOfSchema(std::string_view schema);
// Returns the schema of a database.
std::string schemaOfDatabase(std::string_view path);
std::vector<std::string> visibleTables(const std::string& schema, Context& context);

}  // namespace pelorus::postgres
