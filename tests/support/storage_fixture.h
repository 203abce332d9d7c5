// StorageFixture is a storage in a separate folder, with a table of trades, for tests of this layer.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "storage/catalog/catalog.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/local_storage.h"
#include "storage/table/local_table.h"
#include "tests/support/temporary_folder.h"

namespace pelorus {

inline Value intVector(const std::vector<int32_t>& elements, Type type = Type::Int) {
    return Value::of(Vector::of<int32_t>(type, elements));
}
inline Value longVector(const std::vector<int64_t>& elements, Type type = Type::Long) {
    return Value::of(Vector::of<int64_t>(type, elements));
}
inline Value doubleVector(const std::vector<double>& elements) {
    return Value::of(Vector::of<double>(Type::Double, elements));
}
inline Value stringVector(const std::vector<std::string>& elements, Type type = Type::Symbol) {
    return Value::of(Vector::ofStrings(elements, type));
}

inline const TableSchema kTradeSchema = {
    {"sym", Type::Symbol}, {"date", Type::Date}, {"id", Type::Long}, {"price", Type::Double}};

inline DatabaseEntry tradeDatabase(const std::string& path = "dfs://trades") {
    DatabaseEntry database;
    database.path = path;
    database.scheme = PartitionScheme({PartitionLevel(PartitionKind::Value, intVector({1, 2, 3, 4}, Type::Date)),
                                       PartitionLevel(PartitionKind::Range, stringVector({"A", "M", "ZZZ"}))});
    return database;
}

inline TableEntry tradeTable(const std::string& name = "trades", const std::string& database = "dfs://trades") {
    TableEntry table;
    table.database = database;
    table.name = name;
    table.schema = kTradeSchema;
    table.partitionColumns = {"date", "sym"};
    return table;
}

// Returns `count` trades with ids from `firstId`, over all partitions in turn.
inline Ref<MemoryTable> trades(int64_t firstId, int64_t count) {
    std::vector<std::string> symbols;
    std::vector<int32_t> dates;
    std::vector<int64_t> ids;
    std::vector<double> prices;
    for (int64_t i = firstId; i < firstId + count; ++i) {
        symbols.push_back(i % 2 == 0 ? "IBM" : "XOM");
        dates.push_back(static_cast<int32_t>(1 + i / 2 % 4));
        ids.push_back(i);
        prices.push_back(static_cast<double>(i % 10000) / 100);
    }
    return makeRef<MemoryTable>(
        std::vector<std::string>{"sym", "date", "id", "price"},
        std::vector<Value>{stringVector(symbols), intVector(dates, Type::Date), longVector(ids), doubleVector(prices)});
}

// Returns all values of one column as a snapshot shows them, partition by partition.
inline std::vector<Value> columnItems(const PartitionedTable& table, int column, uint64_t number = 0) {
    std::vector<Value> elements;
    const auto snapshot = table.takeSnapshot(number);
    for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
        const auto reader = snapshot->open(p);
        for (int block = 0; block < reader->blockCount(); ++block) {
            const Value read = reader->read(block, column);
            for (int64_t i = 0; i < read.size(); ++i) elements.push_back(read.at(i));
        }
    }
    return elements;
}

inline std::vector<int64_t> sortedIds(const PartitionedTable& table) {
    std::vector<int64_t> ids;
    for (const Value& id : columnItems(table, 2)) ids.push_back(id.integer());
    std::sort(ids.begin(), ids.end());
    return ids;
}

inline std::vector<int64_t> idsFrom(int64_t first, int64_t count) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < count; ++i) ids.push_back(first + i);
    return ids;
}

// Returns `count` ids from `first` as rows of one chunk, whose table has no other column.
inline ChunkRows idRows(uint64_t table, const std::string& path, int partition, int64_t first, int64_t count) {
    return {
        table,
        path,
        {partition},
        makeRef<MemoryTable>(std::vector<std::string>{"id"}, std::vector<Value>{longVector(idsFrom(first, count))})};
}

class StorageFixture {
public:
    explicit StorageFixture(StorageOptions options = {.maintenance = false}, FileSystem& files = FileSystem::posix())
        : files_(files), options_(options) {
        reopen();
    }

    void reopen() {
        storage.reset();
        storage = LocalStorage::open(folder.path() + "/data", files_, options_);
    }

    std::shared_ptr<LocalTable> createTrades(const std::string& name = "trades") {
        if (!storage->catalog().findDatabase("dfs://trades")) storage->catalog().createDatabase(tradeDatabase());
        storage->catalog().createTable(tradeTable(name));
        return table(name);
    }

    std::shared_ptr<LocalTable> table(const std::string& name = "trades", OutsideRules rules = {}) {
        return std::make_shared<LocalTable>(storage, storage->catalog().database("dfs://trades"),
                                            storage->catalog().table("dfs://trades", name), rules);
    }

    TemporaryFolder folder;
    std::shared_ptr<LocalStorage> storage;

private:
    FileSystem& files_;
    StorageOptions options_;
};

}  // namespace pelorus
