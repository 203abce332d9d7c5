// Batches for the crash test: batch i has rowsOf(i) rows with the value i, in each of two tables and spread over their
// partitions, as one transaction. The second table is encrypted. A row table has batches of its own, of fewer rows.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "storage/catalog/catalog.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/write_batch.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/folder/local_storage.h"
#include "storage/row_table/row_table.h"
#include "storage/table/local_table.h"
#include "tests/support/master_key_file.h"

namespace pelorus {

class BatchTables {
public:
    explicit BatchTables(const std::string& folder, bool dataSync = true)
        : storage(
              LocalStorage::open(folder, FileSystem::posix(), {.dataSync = dataSync, .keyFolder = folder + ".keys"})) {
        if (!storage->catalog().findDatabase("dfs://crash")) {
            DatabaseEntry database;
            database.path = "dfs://crash";
            const Value buckets = Value::of(Vector::of<int32_t>(Type::Int, {static_cast<int32_t>(Type::Int), 5}));
            database.scheme = PartitionScheme({PartitionLevel(PartitionKind::Hash, buckets)});
            storage->catalog().createDatabase(database);
        }
        enableEncryption(*storage, FileSystem::posix(), folder + ".key");
        for (const char* name : {"a", "b"}) {
            if (!storage->catalog().findTable("dfs://crash", name)) {
                TableEntry table;
                table.database = "dfs://crash";
                table.name = name;
                table.schema = {{"key", Type::Int}, {"batch", Type::Long}, {"note", Type::String}};
                table.partitionColumns = {"key"};
                if (name == std::string_view("a")) {
                    storage->catalog().createTable(table);
                } else {
                    table.encryptMode = "aes_256_ctr";
                    storage->keys().createTable(storage->catalog(), table);
                }
            }
            tables_[name] = std::make_shared<LocalTable>(storage, storage->catalog().database("dfs://crash"),
                                                         storage->catalog().table("dfs://crash", name));
        }
        openRows();
    }

    // Inserts the rows of a batch into the row table as one statement, then changes one of them.
    void changeRows(int64_t batch) {
        const int64_t n = rowsOfRowBatch(batch);
        Ref<Vector> ids = Vector::make(Type::Long, n), batches = Vector::make(Type::Long, n);
        std::vector<std::string> notes;
        for (int64_t i = 0; i < n; ++i) {
            ids->mutableData<int64_t>()[i] = batch * 1000 + i;
            batches->mutableData<int64_t>()[i] = batch;
            notes.push_back("note " + std::to_string(i % 50));
        }
        const MemoryTable rows({"id", "batch", "note"},
                               {Value::of(ids), Value::of(batches), Value::of(Vector::ofStrings(notes))});
        rows_->append(rows);
        const RowAccess::Rows first = rows_->rowsToChange({columnEquals(0, Value::ofLong(batch * 1000))});
        rows_->changeRows(first, {{0}, false, {{2, Value::of(Vector::ofStrings({"changed"}))}}});
    }
    static int64_t rowsOfRowBatch(int64_t batch) { return 1 + batch * 37 % 60; }
    // Returns what is wrong between the rows of the row table and its index.
    std::vector<std::string> checkRows() const { return rows_->check(); }

    // Most are small; some go to column files before they commit.
    static int64_t rowsOf(int64_t batch) { return batch % 23 == 0 ? 90000 : 1 + batch * 37 % 400; }

    void append(int64_t batch) {
        const int64_t n = rowsOf(batch);
        Ref<Vector> keys = Vector::make(Type::Int, n), batches = Vector::make(Type::Long, n);
        std::vector<std::string> notes;
        for (int64_t i = 0; i < n; ++i) {
            keys->mutableData<int32_t>()[i] = static_cast<int32_t>(i);
            batches->mutableData<int64_t>()[i] = batch;
            notes.push_back("note " + std::to_string(i % 50));
        }
        const MemoryTable rows({"key", "batch", "note"},
                               {Value::of(keys), Value::of(batches), Value::of(Vector::ofStrings(notes))});
        std::vector<ChunkRows> chunks;
        for (const auto& [name, table] : tables_) {
            PartitionedRows cut = cutByPartition(rows, table->entry(), table->scheme(), false);
            for (ChunkRows& chunk : cut.chunks) chunks.push_back(std::move(chunk));
        }
        storage->commits().append(std::move(chunks));
    }

    // Rows of each batch that a table holds.
    std::map<int64_t, int64_t> counts(const std::string& name) const {
        std::map<int64_t, int64_t> counts;
        const auto snapshot = name == "rows" ? rows_->takeSnapshot() : tables_.at(name)->takeSnapshot();
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            const auto reader = snapshot->open(p);
            for (int block = 0; block < reader->blockCount(); ++block) {
                const Value batches = reader->read(block, 1);
                reader->read(block, 2);
                for (int64_t i = 0; i < batches.size(); ++i) ++counts[batches.vector().data<int64_t>()[i]];
            }
        }
        return counts;
    }

    // Returns the batches of the row table whose one row was changed.
    std::set<int64_t> changedBatches() const {
        std::set<int64_t> changed;
        const RowAccess::Rows all = rows_->rowsToChange({});
        for (int64_t i = 0; i < all.rows->rowCount(); ++i) {
            if (all.rows->column(2).vector().string(i) == "changed")
                changed.insert(all.rows->column(1).vector().data<int64_t>()[i]);
        }
        return changed;
    }

    std::shared_ptr<LocalStorage> storage;

private:
    void openRows() {
        if (!storage->catalog().findTable("dfs://crash", "rows")) {
            TableEntry table;
            table.database = "dfs://crash";
            table.name = "rows";
            table.schema = {{"id", Type::Long}, {"batch", Type::Long}, {"note", Type::String}};
            table.rowTable = RowTableFacts{{"id", "batch", "note"}, {"id"}, {{"rows_pkey", {"id"}, true, true}}};
            storage->catalog().createTable(table);
        }
        rows_ = makeRef<RowTable>(storage, storage->catalog().database("dfs://crash"),
                                  storage->catalog().table("dfs://crash", "rows"));
    }

    std::map<std::string, std::shared_ptr<LocalTable>> tables_;
    Ref<RowTable> rows_;
};

}  // namespace pelorus
