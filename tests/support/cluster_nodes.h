// BareNode is a node of a cluster without a server, so that one process can have several: each has a separate storage,
// and takes part in transactions by direct calls.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "distributed/cluster/cluster.h"
#include "distributed/metadata/placement.h"
#include "distributed/table/cluster_database_service.h"
#include "distributed/table/cluster_query.h"
#include "distributed/transaction/coordinator.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/stored_rows_reader.h"
#include "distributed/transaction/sync_states.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/local_storage.h"
#include "storage/version/version_set.h"
#include "tests/support/etcd_fixture.h"
#include "tests/support/temporary_folder.h"

namespace pelorus {

inline Ref<MemoryTable> rows(std::vector<int32_t> numbers) {
    return makeRef<MemoryTable>(std::vector<std::string>{"n"},
                                std::vector<Value>{Value::of(Vector::of(Type::Int, numbers))});
}

inline ChunkRows chunk(const std::string& path, std::vector<int32_t> numbers) {
    ChunkRows chunk;
    chunk.table = 1;
    chunk.path = path;
    chunk.index = {0};
    chunk.rows = rows(std::move(numbers));
    return chunk;
}

// Makes the database dfs://X, and a table in it whose number is 1 when it is the first of the cluster.
inline TableEntry makeTable(MetaStore& store, const std::string& name = "t") {
    Catalog catalog(store);
    if (!catalog.findDatabase("dfs://X")) {
        DatabaseEntry database;
        database.path = "dfs://X";
        database.scheme = PartitionScheme(
            {PartitionLevel(PartitionKind::Value, Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2, 3})))});
        catalog.createDatabase(database);
    }
    TableEntry table;
    table.database = "dfs://X";
    table.name = name;
    table.schema = {{"n", Type::Int}};
    table.partitionColumns = {"n"};
    return catalog.createTable(table);
}

// Returns a batch of rows of a table, in placed partitions.
inline PlacedBatch batchOf(Placement& placement, const TableEntry& table, std::vector<ChunkRows> chunks) {
    PlacedBatch writes;
    writes.places = placement.placesOf(table, chunks).value();
    writes.chunks = std::move(chunks);
    writes.tables[table.id] = isUnchanged(table);
    return writes;
}

// A node without a server. It announces `port` as its port to the others.
struct BareNode {
    BareNode(testing::EtcdFixture& etcd, const std::string& alias, const std::string& folder, int port = 1)
        : store(etcd.open()),
          cluster(std::make_unique<Cluster>(*store, ClusterMember{alias, "127.0.0.1", port}, "key")),
          storage(LocalStorage::open(folder + "/" + alias)),
          participant(std::make_unique<Participant>(storage, *cluster)) {}

    int64_t rowCount() const {
        TableEntry table;
        table.id = 1;
        std::set<std::string> paths;
        const auto chunks = storage->versions().chunks(1);
        for (const auto& chunk : *chunks) paths.insert(chunk->path);
        return participant->reader().visibleRows(table, paths);
    }

    std::unique_ptr<MetaStore> store;
    std::unique_ptr<Cluster> cluster;
    std::shared_ptr<LocalStorage> storage;
    std::unique_ptr<Participant> participant;
};

template <class Condition>
bool eventually(const Condition& condition, int tries = 2000) {
    for (int i = 0; i < tries; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace pelorus
