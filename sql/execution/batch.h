// The rows of one block on their way through a pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "interpreter/expression/expression_program.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/execution/scan_profile.h"

namespace pelorus {

// The rows of a block that count.
struct Selection {
    bool all = true;
    std::vector<int32_t> positions;  // unless all: in ascending order
    Ref<Vector> mask;                // BOOL, one element for each row of the block; null for all and for none
};

// Makes a selection of these rows of a block of `rows`. REQUIRES: positions ascend.
Selection selectionOf(std::vector<int32_t> positions, int64_t rows);

// A batch is the selected rows of a block. Columns are read when first asked for, and once. It belongs to the thread of
// its morsel, and lives while that pushes it.
class Batch {
public:
    Batch(const PartitionReader& reader, int block, size_t morsel = 0, Selection selection = {})
        : reader_(reader), block_(block), morsel_(morsel), selection_(std::move(selection)) {}

    const PartitionReader& reader() const { return reader_; }
    int block() const { return block_; }
    size_t morsel() const { return morsel_; }
    // Returns the number of selected rows.
    int64_t rows() const {
        return selection_.all ? reader_.blockRows(block_) : static_cast<int64_t>(selection_.positions.size());
    }
    // Returns the position of a selected row in the block.
    int32_t blockRow(int32_t row) const {
        return selection_.all ? row : selection_.positions[static_cast<size_t>(row)];
    }
    const Selection& selection() const { return selection_; }

    // Reduces the selection to the rows for which `passes`, BOOL with one element for each selected row, is true; to
    // the first so many; to none.
    void keep(const Ref<Vector>& passes);
    void keepFirst(int64_t count);
    void keepNone() { selection_ = {false, {}, {}}; }
    // Replaces the columns by these expressions over them, which are computed when first asked for.
    // REQUIRES: expressions and worker outlive the batch, whose selection stays.
    void project(std::span<const ExpressionProgram> columns, Context& worker);

    // Counts reads in this profile from now on.
    void measure(ScanProfile& profile) { profile_ = &profile; }
    // Returns the time of reads so far, in nanoseconds; 0 unless they are measured.
    int64_t readNanos() const { return readNanos_; }
    bool isRead() const { return !columns_.empty(); }

    // Returns the values of a column in the selected rows.
    Value column(int column);
    // Evaluates an expression over the selected rows. REQUIRES of this and of bounds: no projection.
    Value evaluate(const ExpressionProgram& expression, Context& context);
    // Returns the bounds of a column that are known without reading it: where all rows of the block are selected.
    BlockBounds bounds(int column) const { return selection_.all ? reader_.bounds(block_, column) : BlockBounds{}; }

private:
    const Value& wholeColumn(int column);
    Value selected(const Value& whole) const;

    const PartitionReader& reader_;
    const int block_;
    const size_t morsel_;
    Selection selection_;
    std::vector<std::pair<int, Value>> columns_;  // those read so far, with all rows of the block
    std::span<const ExpressionProgram> projection_;
    std::vector<Value> projected_;  // VOID for those not yet asked for
    Context* worker_ = nullptr;     // of the projection
    ScanProfile* profile_ = nullptr;
    int64_t readNanos_ = 0;
};

}  // namespace pelorus
