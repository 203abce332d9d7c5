// A folder of backups: rows of partitions in self-describing files.
//
//   <folder>/<database>/<table>/table.meta     scheme, columns and options of the table
//   <folder>/<database>/<table>/<path>.chunk   the rows of one partition
//
// A name or path is written with %XX for all but letters, digits and _ . -. Each file is replaced atomically, so that
// an interrupted backup holds whole partitions, and can be continued. Bytes: docs/formats/backup.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/user_files.h"
#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"
#include "storage/encryption/master_key.h"
#include "storage/encryption/table_cipher.h"

namespace pelorus {

// Method by which a backup was made. On disk: append, never renumber.
enum class BackupKind : uint8_t { Partitions = 1, Query = 2 };

struct ChunkBackup {
    BackupKind kind = BackupKind::Partitions;
    std::string path;      // within the database, as in "/20070801/A_D"
    uint64_t version = 0;  // of the partition, when it was read
    int64_t rows = 0;
    int64_t updatedMillis = 0;  // local time
};

struct TableDescription {
    DatabaseEntry database;
    TableEntry table;
};

// Backups of one table. One writer at a time; different chunks may be stored by several threads.
class TableBackup {
public:
    // `files` lives longer.
    TableBackup(UserFiles& files, const std::string& folder, std::string database, std::string table);

    const std::string& database() const { return database_; }
    const std::string& table() const { return table_; }

    // Throw SystemError naming a file that is damaged, and UserError when there is no backup of the table.
    TableDescription description() const;
    std::vector<ChunkBackup> chunks() const;
    // Encrypted chunks can be loaded only after this. Throws UserError when another key is needed, naming its version.
    void unlock(const std::optional<MasterKey>& key);
    Ref<MemoryTable> load(const ChunkBackup& chunk) const;

    // Paths of all chunks, also of damaged ones; empty when there is no backup.
    std::vector<std::string> paths() const;
    bool isWhole(const std::string& path) const;

    // With a key, chunks stored from here on are encrypted. Throws UserError when existing ones were stored with
    // another key, or without.
    void describe(const TableDescription& description, const std::optional<MasterKey>& key = std::nullopt);
    void store(const ChunkBackup& chunk, const MemoryTable& rows);
    void remove(const std::string& path);
    // Removes the table and all its chunks.
    void removeAll();

private:
    std::string fileOf(const std::string& path) const;
    ChunkBackup readHeader(const std::string& path, int64_t& segmentAt,
                           std::optional<uint32_t>* checksum = nullptr) const;
    struct Sealing;
    std::optional<Sealing> sealing() const;

    UserFiles* files_;
    std::string database_;
    std::string table_;
    std::string folder_;
    TableCipherRef cipher_;  // null: not encrypted, or not unlocked
};

// Returns all tables of which the folder has a backup, in order.
std::vector<TableBackup> backupsIn(UserFiles& files, const std::string& folder);

}  // namespace pelorus
