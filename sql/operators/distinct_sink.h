// The sink of select distinct.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/table/table.h"
#include "sql/execution/pipeline.h"
#include "sql/keys/group_table.h"

namespace pelorus {

// Groups rows by all of their columns, each at its first occurrence: those of each morsel by themselves, which are few
// or become so. Once as many are found as are needed, later morsels are not read.
class DistinctSink final : public Sink {
public:
    // `columns`: those of the batches.
    DistinctSink(TableSchema columns, int64_t needed);

    void open(size_t morsels) override;
    bool wants(const Batch& batch) override;
    bool push(Batch& batch, Context& worker) override;
    void close(size_t morsel) override;

    // Returns the first `needed` distinct rows, once.
    Ref<MemoryTable> rows();

private:
    // The state of a morsel: the table of its distinct rows, and once it is closed their columns; or the columns of
    // its blocks, where most rows differ.
    struct Part {
        std::unique_ptr<GroupTable> table;
        std::vector<int32_t> numbers;
        std::vector<std::vector<Value>> pieces;
        int64_t rows = 0;  // of the pieces
    };

    bool hasEnough(const Part& part) const { return part.table && part.table->size() >= needed_; }
    void keep(Part& part, std::vector<Value> values, int64_t rows);
    std::vector<std::vector<Value>> allPieces();
    std::vector<Value> oneAfterAnother();

    const TableSchema columns_;
    const int64_t needed_;
    std::vector<Type> types_;
    std::vector<Part> parts_;  // each of the thread of its morsel
    std::atomic<int64_t> keptRows_{0};
    std::atomic<size_t> end_{0};  // morsels from here on do not matter
};

}  // namespace pelorus
