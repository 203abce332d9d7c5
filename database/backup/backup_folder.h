// TableBackup reads and writes the backups of a table: rows of partitions in self-describing files.
//
//   <folder>/<database>/<table>/table.meta     scheme, columns and options of the table
//   <folder>/<database>/<table>/<path>.chunk   the rows of one partition
//
// A name or path is written with %XX for all but letters, digits and _ . -. Each file is replaced atomically, so that
// an interrupted backup has complete partitions only, and can be continued. docs/formats/backup.md describes the bytes.
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

// The method by which a backup was made. On disk: append, never renumber.
enum class BackupKind : uint8_t { Partitions = 1, Query = 2 };

// The header of the backup of one partition.
struct ChunkBackup {
    BackupKind kind = BackupKind::Partitions;
    std::string path;      // path within the database, "/20070801/A_D"
    uint64_t version = 0;  // version of the partition when it was read
    int64_t rows = 0;
    int64_t updatedMillis = 0;  // local time
};

// The catalog's entries of a table and its database when the backup was made.
struct TableDescription {
    DatabaseEntry database;
    TableEntry table;
};

// The backup of one table in a folder. One writer at a time, whose threads may store different chunks concurrently.
class TableBackup {
public:
    // Does not open anything yet. `files` outlives the object.
    TableBackup(UserFiles& files, const std::string& folder, std::string database, std::string table);

    const std::string& database() const { return database_; }
    const std::string& table() const { return table_; }

    // Return the description of the table, and the headers of all chunks. They throw SystemError naming a damaged file;
    // `description` throws UserError when there is no backup of the table.
    TableDescription description() const;
    std::vector<ChunkBackup> chunks() const;
    // Prepares to load encrypted chunks; does nothing for a backup that is not encrypted. Throws UserError when another
    // key is needed, naming its version.
    void unlock(const std::optional<MasterKey>& key);
    // Returns the rows of a chunk. Throws SystemError when its file is damaged.
    Ref<MemoryTable> load(const ChunkBackup& chunk) const;

    // Returns the paths of all chunks, also of damaged ones; empty when there is no backup.
    std::vector<std::string> paths() const;
    // Returns whether the chunk can be read and its checksums are right. Needs no key.
    bool isWhole(const std::string& path) const;

    // Stores the description of the table. With a key, chunks stored from here on are encrypted. Throws UserError when
    // existing ones were stored with another key, or without one.
    void describe(const TableDescription& description, const std::optional<MasterKey>& key = std::nullopt);
    // Replaces the chunk of this path atomically. REQUIRES: `describe` was called.
    void store(const ChunkBackup& chunk, const MemoryTable& rows);
    // Removes the chunk of this path.
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
    TableCipherRef cipher_;  // null: the backup is not encrypted, or not unlocked
};

// Returns the backups of all tables in the folder.
std::vector<TableBackup> backupsIn(UserFiles& files, const std::string& folder);

}  // namespace pelorus
