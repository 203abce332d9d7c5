// Spilled rows of a source, partitioned by a hash of keys, so that a query can process one hash partition at a time.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/spill_file.h"
#include "sql/keys/key_hash.h"

namespace pelorus {

class Batch;
class ExpressionProgram;
class Filter;
struct Morsel;

// Estimates the memory of a row of these columns; strings are assumed to have some twenty bytes.
int64_t estimatedRowBytes(const TableSchema& columns);

// Sets the hash partition of each row of a block, below SpilledParts::kCount. Called on several threads.
using RowCut = std::function<void(Batch& rows, Context& context, uint8_t* parts)>;
// Puts all rows with equal keys in one hash partition. Refers to `keys`.
RowCut cutByKeys(const std::vector<ExpressionProgram>& keys);

// Spilled hash partitions. Their rows are in the order, the runs of blocks and the partitions in which they were read.
class SpilledParts {
public:
    static constexpr size_t kCount = kKeyParts;

    // Whether rows of these columns can be spilled.
    static bool canHold(const TableSchema& columns);

    // Runs a pipeline of the rows that pass the filter. Of each the given columns of the source are kept, in ascending
    // order; with `numbered` also its number among all that pass.
    SpilledParts(const SpillFolder& folder, const TableSchema& source, const RowCut& cut, std::vector<int> columns,
                 bool numbered, const std::vector<Morsel>& morsels, Filter& filter, Context& context);

    // Returns the rows of a hash partition as blocks under the column numbers of the source. They are read from this
    // object.
    std::vector<Morsel> morsels(size_t part) const;
    // Returns the rows as a table, with the row numbers, from 0 on in the order of the source, as LONG column " row".
    Ref<MemoryTable> rows(size_t part) const;
    // Returns the number of all rows that passed.
    int64_t rowCount() const { return rowCount_; }

private:
    class Writer;

    std::vector<int> columns_;
    TableSchema schema_;
    bool numbered_;
    std::vector<std::unique_ptr<SpillFile>> files_;
    std::vector<size_t> partitions_;               // of the morsels
    std::vector<std::array<int, kCount>> places_;  // by morsel and hash partition, the block of its rows, or -1
    // By morsel and its block, how many rows pass in front of those of the block.
    std::vector<std::vector<int64_t>> firstRows_;
    int64_t rowCount_ = 0;
};

}  // namespace pelorus
