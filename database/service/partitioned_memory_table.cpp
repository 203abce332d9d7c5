#include "database/service/partitioned_memory_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/mutex.h"
#include "runtime/table/table_keys.h"
#include "storage/commit/write_batch.h"
#include "storage/table/local_table.h"
#include "storage/version/version_set.h"
#include "storage/version/write_cache.h"

namespace pelorus {

namespace {

class MemorySnapshot final : public TableSnapshot {
public:
    MemorySnapshot(uint64_t number, const TableSchema& schema) : number_(number), schema_(schema) {}

    void add(PartitionEntry entry, ChunkVersionRef version) {
        partitions_.push_back(std::move(entry));
        versions_.push_back(std::move(version));
    }
    const ChunkVersionRef& version(size_t partition) const { return versions_[partition]; }

    uint64_t number() const override { return number_; }
    const std::vector<PartitionEntry>& partitions() const override { return partitions_; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override {
        CHECK(partition < versions_.size()) << "partitions are opened by their places in the snapshot";
        return makeChunkReader(versions_[partition], schema_, SortRule());
    }

private:
    const uint64_t number_;
    const TableSchema schema_;
    std::vector<PartitionEntry> partitions_;
    std::vector<ChunkVersionRef> versions_;
};

std::shared_ptr<ChunkVersion> versionOf(Ref<MemoryTable> rows) {
    auto version = std::make_shared<ChunkVersion>();
    version->rowCount = rows->rowCount();
    version->parts.push_back({nullptr, rows, version->rowCount, 0});
    return version;
}

// A copy shares its columns with the table until one of them is written.
bool isUnchanged(const MemoryTable& table, const MemoryTable& copy) {
    for (int c = 0; c < table.columnCount(); ++c) {
        if (table.column(c).as<Object>() != copy.column(c).as<Object>()) return false;
    }
    return true;
}

}  // namespace

PartitionedMemoryTable::PartitionedMemoryTable(const DatabaseEntry& database, TableEntry entry,
                                               const MemoryTable& sample)
    : database_(database), entry_(std::move(entry)) {
    entry_.schema = sample.columns();
    schemas_.push_back(entry_.schema);
    schema_ = &schemas_.back();
    name = entry_.name;
    checkPartitionColumns(entry_, database_);
    sample_ = MemoryTable::empty(entry_.schema);
    if (sample.keys()) sample_->setKeys(sample.keys()->withoutRows());
}

PartitionedMemoryTable::PartitionedMemoryTable(const DatabaseEntry& database, TableEntry entry,
                                               const std::vector<Ref<MemoryTable>>& partitions)
    : PartitionedMemoryTable(database, std::move(entry), *partitions.at(0)) {
    int64_t count = 1;
    for (const PartitionLevel& level : scheme().levels()) count *= level.count();
    if (static_cast<int64_t>(partitions.size()) != count) {
        throw UserError(
            1, fmt::format("The scheme has {} partitions, but {} tables are given.", count, partitions.size()));
    }
    for (size_t i = 0; i < partitions.size(); ++i) {
        if (!sameColumns(partitions[i]->columns(), entry_.schema)) {
            throw UserError(1, fmt::format("Table {} has other columns than the first one.", i));
        }
        if (!partitions[i]->lock) partitions[i]->lock = std::make_shared<RecursiveMutex>();
        partitionFor(scheme().unflatten(static_cast<int64_t>(i))).external = partitions[i];
    }
    isExternal_ = true;
}

std::vector<PartitionedMemoryTable::Partition> PartitionedMemoryTable::partitionList() const {
    const MutexLock guard(mutex_);
    return partitions_;
}

int64_t PartitionedMemoryTable::rowCount() const {
    int64_t rows = 0;
    for (const Partition& partition : partitionList()) {
        if (partition.external) {
            const OptionalLock own(partition.external->lock.get());
            rows += partition.external->rowCount();
        } else if (partition.version) {
            rows += partition.version->rowCount;
        }
    }
    return rows;
}

std::shared_ptr<TableSnapshot> PartitionedMemoryTable::takeSnapshot(uint64_t) const {
    auto snapshot = std::make_shared<MemorySnapshot>(++snapshots_, columns());
    for (Partition& partition : partitionList()) {
        ChunkVersionRef version = std::move(partition.version);
        if (partition.external) {
            const OptionalLock own(partition.external->lock.get());
            version = versionOf(partition.external->copy());
        }
        if (version && version->rowCount > 0) snapshot->add(std::move(partition.entry), std::move(version));
    }
    return snapshot;
}

void PartitionedMemoryTable::addColumn(const ColumnSchema& column) {
    const MutexLock guard(mutex_);
    if (findColumn(column.name) >= 0)
        throw UserError(fmt::format("The column [{}] already exists. RefId: S05017", column.name));
    // Partitions that are separate tables, and keyed ones, have the column in their rows.
    if (isExternal_) {
        for (const Partition& partition : partitions_) {
            const OptionalLock own(partition.external->lock.get());
            partition.external->setColumn(column.name,
                                          filledColumn(column.type, column.scale, partition.external->rowCount()));
        }
    }
    if (sample_->keys()) {
        for (Partition& partition : partitions_) {
            if (!partition.version) continue;
            Ref<MemoryTable> rows = partition.version->parts[0].rows->copyWithKeys();
            rows->setColumn(column.name, filledColumn(column.type, column.scale, rows->rowCount()));
            partition.version = versionOf(std::move(rows));
        }
    }
    const Ref<MemoryTable> sample = sample_->copyWithKeys();
    sample->setColumn(column.name, filledColumn(column.type, column.scale, 0));
    sample_ = sample;
    schemas_.push_back(columns());
    schemas_.back().push_back(column);
    schema_.store(&schemas_.back(), std::memory_order_release);
}

PartitionedMemoryTable::Partition& PartitionedMemoryTable::partitionFor(const std::vector<int>& index) {
    const auto at = std::lower_bound(partitions_.begin(), partitions_.end(), index,
                                     [](const Partition& p, const std::vector<int>& i) { return p.entry.index < i; });
    if (at != partitions_.end() && at->entry.index == index) return *at;
    return *partitions_.insert(at, {{scheme().path(index), index, ""}, nullptr, nullptr});
}

Ref<MemoryTable> PartitionedMemoryTable::withKeys(Ref<MemoryTable> rows) const {
    if (sample_->keys()) rows->setKeys(sample_->keys()->withoutRows());
    return rows;
}

void PartitionedMemoryTable::addRows(Partition& partition, Ref<MemoryTable> rows) {
    if (!sample_->keys()) {
        partition.version =
            partition.version ? std::make_shared<ChunkVersion>(*partition.version) : std::make_shared<ChunkVersion>();
        appendToWriteCache(*partition.version, std::move(rows));
        return;
    }
    CHECK(!partition.version || partition.version->parts.size() == 1) << "rows with keys are one run";
    // Changed in place while no snapshot shows the version.
    Ref<MemoryTable> all = !partition.version                   ? sample_->copyWithKeys()
                           : partition.version.use_count() == 1 ? partition.version->parts[0].rows
                                                                : partition.version->parts[0].rows->copyWithKeys();
    all->append(*rows);
    partition.version = versionOf(std::move(all));
}

AppendReport PartitionedMemoryTable::append(const MemoryTable& given) {
    Ref<MemoryTable> rows = MemoryTable::empty(columns(), given.rowCount());
    rows->append(given);
    PartitionedRows cut = cutByPartition(*rows, entry_, scheme(), false);
    MutexLock guard(mutex_);
    for (ChunkRows& chunk : cut.chunks) {
        if (!isExternal_) {
            addRows(partitionFor(chunk.index), std::move(chunk.rows));
            continue;
        }
        const Ref<MemoryTable> external = partitionFor(chunk.index).external;
        guard.unlock();
        {
            const OptionalLock own(external->lock.get());
            external->append(*chunk.rows);
            external->keep();
        }
        guard.lock();
    }
    return cut.report;
}

bool PartitionedMemoryTable::replace(const TableSnapshot& seen,
                                     const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) {
    if (isExternal_) return replaceExternal(seen, partitions);
    const auto& snapshot = dynamic_cast<const MemorySnapshot&>(seen);
    std::vector<std::shared_ptr<ChunkVersion>> replaced;
    const MutexLock guard(mutex_);
    for (const auto& [position, rows] : partitions) replaced.push_back(versionOf(withKeys(rows)));
    for (const auto& [position, rows] : partitions) {
        const ChunkVersionRef now = partitionFor(snapshot.partitions()[position].index).version;
        if (now != snapshot.version(position)) return false;
    }
    for (size_t i = 0; i < partitions.size(); ++i) {
        partitionFor(snapshot.partitions()[partitions[i].first].index).version = std::move(replaced[i]);
    }
    return true;
}

// Their locks are taken in the order of the scheme, as by every other call of this table.
bool PartitionedMemoryTable::replaceExternal(const TableSnapshot& seen,
                                             const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) {
    const auto& snapshot = dynamic_cast<const MemorySnapshot&>(seen);
    std::vector<Ref<MemoryTable>> tables, replacing;
    for (const auto& [position, rows] : partitions) {
        const MutexLock guard(mutex_);
        tables.push_back(partitionFor(snapshot.partitions()[position].index).external);
        replacing.push_back(withKeys(rows));
    }
    std::deque<OptionalLock> locks;
    for (size_t i = 0; i < tables.size(); ++i) {
        locks.emplace_back(tables[i]->lock.get());
        if (!isUnchanged(*tables[i], *snapshot.version(partitions[i].first)->parts[0].rows)) return false;
    }
    for (size_t i = 0; i < tables.size(); ++i) {
        tables[i]->restore(*replacing[i]);
        tables[i]->keep();
    }
    return true;
}

}  // namespace pelorus
