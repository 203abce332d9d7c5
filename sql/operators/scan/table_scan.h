// The source of the blocks of partitions: those of a table, of rows in memory, of rows that were spilled.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/execution/pipeline.h"
#include "sql/expression/constraint.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// A run of blocks that one task processes; its bounds depend on the data, never on the number of threads.
struct Morsel {
    std::shared_ptr<const PartitionReader> reader;
    int firstBlock = 0, endBlock = 0;
    size_t partition = 0;            // in the order of the partitions read
    ScanProfile* profile = nullptr;  // of the source, which lives longer; null where nobody asked

    int64_t rows() const {
        int64_t rows = 0;
        for (int block = firstBlock; block < endBlock; ++block) rows += reader->blockRows(block);
        return rows;
    }
};

// Cuts the partitions of a source that may have rows which satisfy the constraints. `enough`: rows after so many are
// not read, so that partitions with such rows only need not be opened.
std::vector<Morsel> morselsOf(const RowSource& source, const std::vector<ColumnConstraint>& constraints,
                              int64_t enough = INT64_MAX);

// Gives the blocks of morsels, each as a batch.
class TableScan final : public Source {
public:
    // `columns`: those that will be read, which storage prefetches.
    TableScan(std::vector<Morsel> morsels, std::vector<int> columns)
        : morsels_(std::move(morsels)), columns_(std::move(columns)) {}

    size_t morsels() const override { return morsels_.size(); }
    int64_t rows(size_t morsel) const override { return morsels_[morsel].rows(); }
    ScanProfile* profile() const override { return morsels_.empty() ? nullptr : morsels_[0].profile; }
    void announce(size_t morsel) const override;
    void read(size_t morsel, Context& worker, Consumer& consumer) const override;
    const Morsel& morsel(size_t number) const { return morsels_[number]; }

private:
    const std::vector<Morsel> morsels_;
    const std::vector<int> columns_;
};

}  // namespace pelorus
