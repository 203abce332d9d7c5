// Registers the built-in functions that create, open, describe, fill and drop databases and their tables.
#pragma once

#include <string>

#include "runtime/function/context.h"
#include "runtime/registry/registry.h"

namespace pelorus {

void registerDatabaseBuiltins(FunctionRegistry& registry);

// registerDatabaseBuiltins calls these, one for each family of functions.
void registerSchema(FunctionRegistry& registry);
void registerLocalFolders(FunctionRegistry& registry);
void registerChunkBuiltins(FunctionRegistry& registry);
void registerDirectoryBuiltins(FunctionRegistry& registry);
void registerSortKeys(FunctionRegistry& registry);
void registerPartitionBuiltins(FunctionRegistry& registry);
void registerCatalogBuiltins(FunctionRegistry& registry);
void registerLoadTextEx(FunctionRegistry& registry);
void registerLoadParquetEx(FunctionRegistry& registry);
void registerDatabaseAdministration(FunctionRegistry& registry);
void registerEncryption(FunctionRegistry& registry);

// Returns the path of the database that `create database` names: the path itself, or that of a schema. For a new schema
// it returns a new path and sets `isNew`; nameSchema names the schema when the database exists.
std::string pathForSchema(Context& context, const std::string& path, bool& isNew);
void nameSchema(Context& context, const std::string& path, const std::string& database);
// Returns whether a table has rows in the partition of a path such as "dfs://TAQ/20240102"; any table when `table` is
// empty.
bool hasPartition(Context& context, const std::string& path, const std::string& table);
// Removes the schemas that name a dropped database.
void forgetSchemas(Context& context, const std::string& database);

}  // namespace pelorus
