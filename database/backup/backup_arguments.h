// Reads the arguments that the built-in functions of backup and restore share.
#pragma once

#include <optional>
#include <string>

#include "database/backup/backup_folder.h"
#include "runtime/registry/registry.h"
#include "storage/catalog/catalog.h"
#include "storage/encryption/master_key.h"

namespace pelorus {

// A folder of backups, opened with the files that the user may reach.
struct BackupPlace {
    UserFiles& files;
    std::string folder;

    TableBackup backupOf(std::string database, std::string table) const {
        return {files, folder, std::move(database), std::move(table)};
    }
    std::vector<TableBackup> backups() const { return backupsIn(files, folder); }
};
// Returns the folder that the first argument names. Throws UserError when it is none.
BackupPlace backupPlace(const Context& context, Arguments arguments);
// Returns the master key in the file of the argument keyPath; nullopt when the argument is missing.
std::optional<MasterKey> masterKeyFrom(const Context& context, const Value& keyPath, int argument);
// Returns the path of a chunk as functions show it: "dfs://TAQ/20070801/A_D/7" for a table of "dfs://TAQ" and the
// partition "/20070801/A_D".
std::string chunkPathOf(const TableEntry& table, const std::string& path);
// Returns whether a pattern with % and ? matches a path within the database, with or without the database's name in
// front.
bool isLikePath(const TableEntry& table, const std::string& path, const std::string& pattern);

void registerBackup(FunctionRegistry& registry);
void registerRestore(FunctionRegistry& registry);

}  // namespace pelorus
