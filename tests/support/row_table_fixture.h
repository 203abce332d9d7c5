// RowTableFixture is a storage in memory that fails on command, with a row table of accounts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/folder/maintenance.h"
#include "storage/row_table/row_table.h"
#include "storage/table/row_facts.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

namespace pelorus {

inline TableEntry accountTable(const std::string& name = "accounts") {
    TableEntry table;
    table.database = "dfs://bank";
    table.name = name;
    table.schema = {{"id", Type::Long}, {"name", Type::String}, {"balance", Type::Double}};
    table.rowTable.emplace();
    placeRowColumns(table);
    table.rowTable->required = {"id"};
    table.rowTable->indexes = {{"accounts_pkey", {"id"}, true, true}};
    return table;
}

inline Ref<MemoryTable> accounts(const std::vector<int64_t>& ids, const std::vector<std::string>& names,
                                 const std::vector<double>& balances) {
    return makeRef<MemoryTable>(
        std::vector<std::string>{"id", "name", "balance"},
        std::vector<Value>{longVector(ids), stringVector(names, Type::String), doubleVector(balances)});
}

// The rows of a table of accounts by id.
using AccountRows = std::map<int64_t, std::pair<std::string, double>>;

inline AccountRows accountRows(const PartitionedTable& table, uint64_t number = 0) {
    const std::vector<Value> ids = columnItems(table, 0, number), names = columnItems(table, 1, number),
                             balances = columnItems(table, 2, number);
    AccountRows rows;
    for (size_t i = 0; i < ids.size(); ++i)
        rows[ids[i].integer()] = {std::string(names[i].string()), balances[i].asDouble()};
    return rows;
}

class RowTableFixture {
public:
    RowTableFixture() {
        open();
        DatabaseEntry database;
        database.path = "dfs://bank";
        storage->catalog().createDatabase(database);
        storage->catalog().createTable(accountTable());
    }
    // Opens the folder as the process after this one would; handles from before are of a process that has ended.
    void open() {
        storage.reset();
        files.endProcess();
        storage = LocalStorage::open("/data", files, options);
    }
    Ref<RowTable> table(const std::string& name = "accounts") const {
        return makeRef<RowTable>(storage, storage->catalog().database("dfs://bank"),
                                 storage->catalog().table("dfs://bank", name));
    }

    FaultyFileSystem files;
    StorageOptions options{.maintenance = false};
    std::shared_ptr<LocalStorage> storage;
};

}  // namespace pelorus
