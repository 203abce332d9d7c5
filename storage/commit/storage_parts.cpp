#include "storage/commit/storage_parts.h"

#include <algorithm>

#include "storage/catalog/catalog.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/log/wal_writer.h"
#include "storage/rows/row_store.h"

namespace pelorus {

StorageParts::StorageParts(std::string dataFolder, FileSystem& fileSystem, const StorageOptions& given,
                           FolderLock folderLock, EmbeddedMetaStore::Commit commit)
    : folder(std::move(dataFolder)),
      logFolder(given.logFolder.empty() ? joinPath(folder, "wal") : given.logFolder),
      files(fileSystem),
      options(given),
      lock(std::move(folderLock)),
      cipherOf([this](uint64_t table) { return keys->of(table); }),
      blocks(options.blockCacheBytes),
      volumes(files, joinPath(folder, "segments"), options.volumes, options.volumeUsageThreshold),
      versions(files, volumes, blocks, cipherOf),
      rows(std::make_unique<RowStore>([this] { return versions.visible(); },
                                      [this](uint64_t from) { return versions.oldestPinnedFrom(from); })),
      metadata(std::move(commit)),
      catalog(std::make_unique<Catalog>(metadata)),
      keys(std::make_unique<EncryptionKeys>(metadata, files, options.keyFolder, folder)),
      locks([this] { return log->isSound(); }) {}

StorageParts::~StorageParts() = default;

std::map<uint64_t, ColumnCompression> StorageParts::compressionByTable() const {
    std::map<uint64_t, ColumnCompression> tables;
    for (const TableEntry& table : catalog->allTables()) {
        ColumnCompression columns;
        for (const std::string& method : table.compressMethods)
            columns.push_back(codec::compressionNamed(method).value_or(codec::Compression::Lz4));
        const bool isDefault = std::all_of(columns.begin(), columns.end(),
                                           [](codec::Compression c) { return c == codec::Compression::Lz4; });
        if (!isDefault) tables.emplace(table.id, std::move(columns));
    }
    return tables;
}

}  // namespace pelorus
