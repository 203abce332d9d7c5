// Arguments and helpers that the functions of backup and restore share.
#pragma once

#include <optional>
#include <string>

#include "runtime/registry/registry.h"
#include "storage/catalog/catalog.h"
#include "storage/encryption/master_key.h"

namespace pelorus {

// The first argument. Throws UserError for what is no folder.
std::string backupFolder(Arguments arguments);
// The master key in the file of the argument keyPath, if it is given.
std::optional<MasterKey> masterKeyFrom(const Value& keyPath, int argument);
// "dfs://TAQ" and "/20070801/A_D" give "dfs://TAQ/20070801/A_D/7".
std::string chunkPathOf(const TableEntry& table, const std::string& path);
// Whether a pattern with % and ? meets a path within the database, with or without the database's name in front.
bool isLikePath(const TableEntry& table, const std::string& path, const std::string& pattern);

void registerBackup(FunctionRegistry& registry);
void registerRestore(FunctionRegistry& registry);

}  // namespace pelorus
