// The built-in functions that make, open, describe, fill and drop databases and their tables.
#pragma once

#include <string>

#include "runtime/function/context.h"
#include "runtime/registry/registry.h"

namespace pelorus {

void registerDatabaseBuiltins(FunctionRegistry& registry);

// One per family; called by the above.
void registerSchema(FunctionRegistry& registry);
void registerLocalFolders(FunctionRegistry& registry);
void registerChunkBuiltins(FunctionRegistry& registry);
void registerDirectoryBuiltins(FunctionRegistry& registry);
void registerStreamingBuiltins(FunctionRegistry& registry);
void registerSortKeys(FunctionRegistry& registry);
void registerPartitionBuiltins(FunctionRegistry& registry);
void registerCatalogBuiltins(FunctionRegistry& registry);
void registerLoadTextEx(FunctionRegistry& registry);
void registerDatabaseAdministration(FunctionRegistry& registry);
void registerEncryption(FunctionRegistry& registry);

// Returns the database that `create database` means: the path itself, or that of a schema. A new schema gets a new
// path, and its name when the database is there.
std::string pathForSchema(Context& context, const std::string& path, bool& isNew);
void nameSchema(Context& context, const std::string& path, const std::string& database);
// Whether a table has rows in the partition of a path such as "dfs://TAQ/20240102"; any table when no name is given.
bool hasPartition(Context& context, const std::string& path, const std::string& table);
void forgetSchemas(Context& context, const std::string& database);

}  // namespace pelorus
