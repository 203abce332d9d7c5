// Two tables, a and b, of one engine in a storage over a disk that breaks; b is encrypted where there is a key folder.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/commit/commit_path.h"
#include "storage/commit/write_batch.h"
#include "storage/encryption/encryption_keys.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/master_key_file.h"
#include "tests/support/storage_fixture.h"

namespace pelorus {

inline const StorageOptions kNoMaintenance = {.keyFolder = "/keys", .maintenance = false};

struct TwoTables {
    explicit TwoTables(FaultyFileSystem& files, const StorageOptions& options = kNoMaintenance,
                       const std::string& engine = "OLAP")
        : storage(LocalStorage::open("/data", files, options)) {
        Catalog& catalog = storage->catalog();
        if (!catalog.findDatabase("dfs://trades")) {
            DatabaseEntry database = tradeDatabase();
            database.engine = engine;
            catalog.createDatabase(database);
        }
        if (!options.keyFolder.empty()) enableEncryption(*storage, files, "/first.key");
        for (const char* name : {"a", "b"}) {
            if (catalog.findTable("dfs://trades", name)) continue;
            TableEntry table = tradeTable(name);
            if (engine != "OLAP") table.sortColumns = {"sym", "date", "id"};
            if (engine != "OLAP") table.keepDuplicates = "LAST";
            if (name == std::string_view("a") || options.keyFolder.empty()) {
                catalog.createTable(table);
            } else {
                table.encryptMode = "aes_128_cbc";
                storage->keys().createTable(catalog, table);
            }
        }
    }

    std::shared_ptr<LocalTable> table(const std::string& name) const {
        return std::make_shared<LocalTable>(storage, storage->catalog().database("dfs://trades"),
                                            storage->catalog().table("dfs://trades", name));
    }

    // One transaction over both tables and all partitions.
    void append(int64_t firstId, int64_t count) const {
        std::vector<ChunkRows> chunks;
        for (const char* name : {"a", "b"}) {
            const auto target = table(name);
            PartitionedRows cut = cutByPartition(*trades(firstId, count), target->entry(), target->scheme(), false);
            for (ChunkRows& chunk : cut.chunks) chunks.push_back(std::move(chunk));
        }
        storage->commits().append(std::move(chunks));
    }

    std::shared_ptr<LocalStorage> storage;
};

}  // namespace pelorus
