#include "sql/operators/scan/table_scan.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/append/indexed_snapshot.h"
#include "runtime/partition/value_filters.h"
#include "sql/plan/rules/prune.h"

namespace pelorus {

constexpr int kMorselBlocks = 8;  // about half a million rows

// Returns whether the filters of a partition, if it has some, leave rows that satisfy all constraints. They are asked
// only where bounds do not decide: a filter has to be read.
static bool mayHaveRows(const PartitionReader& reader, const std::vector<ColumnConstraint>& constraints) {
    const auto* filters = dynamic_cast<const ValueFilters*>(&reader);
    if (filters == nullptr) return true;
    return std::all_of(constraints.begin(), constraints.end(), [&](const ColumnConstraint& c) {
        if (c.anyOf.empty()) return true;
        bool isOpen = false;
        for (int block = 0; block < reader.blockCount() && !isOpen; ++block)
            isOpen = decide(c, reader.bounds(block, c.column)) != Selects::None;
        return isOpen && filters->mayHaveAny(c.column, c.anyOf);
    });
}

std::vector<Morsel> morselsOf(const RowSource& source, const std::vector<ColumnConstraint>& constraints,
                              int64_t enough) {
    // The binder takes it, and asks for the right to read it.
    if (!source.snapshot) throw InternalError("a query reads a table without a snapshot");
    const std::shared_ptr<TableSnapshot>& snapshot = source.snapshot;
    const std::vector<size_t> partitions = partitionsToRead(source, constraints);
    const auto* const indexed = dynamic_cast<const IndexedSnapshot*>(snapshot.get());
    const auto open = [&](size_t partition) {
        std::unique_ptr<PartitionReader> reader;
        if (indexed != nullptr && !constraints.empty()) reader = indexed->find(partition, constraints);
        if (!reader) reader = snapshot->open(partition);
        // The reader keeps the snapshot's files alive as long as it lives.
        return std::shared_ptr<const PartitionReader>(reader.release(),
                                                      [snapshot](const PartitionReader* r) { delete r; });
    };
    std::vector<std::shared_ptr<const PartitionReader>> readers;
    if (enough < INT64_MAX || partitions.size() == 1) {
        int64_t rows = 0;
        for (size_t p = 0; p < partitions.size() && rows < enough; ++p) {
            readers.push_back(open(partitions[p]));
            rows += readers.back()->rowCount();
            if (!mayHaveRows(*readers.back(), constraints)) readers.back() = nullptr;
        }
    } else {
        readers.resize(partitions.size());
        // Opening a partition of a table with sort columns may have to find the order of its rows.
        parallelFor(static_cast<int64_t>(partitions.size()), [&](int64_t i) {
            auto& reader = readers[static_cast<size_t>(i)];
            reader = open(partitions[static_cast<size_t>(i)]);
            if (!mayHaveRows(*reader, constraints)) reader = nullptr;
        });
    }
    std::vector<Morsel> morsels;
    for (size_t p = 0; p < readers.size(); ++p) {
        if (!readers[p]) continue;
        int blocks = readers[p]->blockCount();
        for (int b = 0; b < blocks; b += kMorselBlocks) {
            morsels.push_back({readers[p], b, std::min(b + kMorselBlocks, blocks), p, source.profile.get()});
        }
    }
    return morsels;
}

void TableScan::announce(size_t morsel) const {
    const Morsel& own = morsels_[morsel];
    if (!columns_.empty()) own.reader->willRead(own.firstBlock, own.endBlock, columns_);
}

void TableScan::read(size_t morsel, Context& worker, Consumer& consumer) const {
    const Morsel& own = morsels_[morsel];
    CHECK(own.endBlock <= own.reader->blockCount()) << "a morsel ends within its partition";
    for (int block = own.firstBlock; block < own.endBlock; ++block) {
        Batch batch(*own.reader, block, morsel);
        if (batch.rows() == 0 || !consumer.wants(batch)) continue;
        if (!consumer.push(batch, worker)) return;
    }
}

}  // namespace pelorus
