// Scan of a source, block by block through the conditions of a query, on all threads, in an order that depends on the
// data only.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/thread/mutex.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/expression/constraint.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Elementwise conditions joined by and. Thread-safe once built.
class Filter {
public:
    Filter(const NodeList& conditions, const TableSchema& columns, Context& context);

    const std::vector<ColumnConstraint>& constraints() const { return constraints_; }
    bool empty() const { return conditions_.empty(); }
    // Returns all columns that the conditions name.
    std::vector<int> columns(Context& context);

    // Positions of the rows of a block that pass. `all` when every row does, `none` when the bounds exclude all.
    struct Selection {
        bool all = false;
        std::vector<int32_t> positions;
        Ref<Vector> mask;                            // BOOL, one element for each row; null unless some are chosen
        std::vector<std::pair<int, Value>> columns;  // whole columns of the block that the conditions read
    };
    Selection select(const PartitionReader& reader, int block, Context& context);

private:
    // Reduces the selection to the rows for which the condition is true.
    static void narrow(Selection& selection, const ExpressionProgram& condition, const PartitionReader& reader,
                       int block, Context& context);
    struct Condition {
        NodeRef node;
        bool constrained = false;
        ColumnConstraint constraint;
    };
    // Returns the conditions that the bounds of a block leave open, as one expression.
    const ExpressionProgram& combined(uint64_t open, Context& context);

    TableSchema columns_;
    std::vector<Condition> conditions_;
    std::vector<ColumnConstraint> constraints_;
    Mutex mutex_;
    std::vector<std::pair<uint64_t, std::unique_ptr<ExpressionProgram>>> combined_ GUARDED_BY(mutex_);
};

// Makes a selection of these rows of a block of `rows`, in ascending order.
Filter::Selection selectionOf(std::vector<int32_t> positions, int64_t rows);

// The rows of one block that passed the filter. Columns are read when first asked for, and once.
class BlockRows {
public:
    BlockRows(const PartitionReader& reader, int block, const Filter::Selection& selection)
        : reader_(reader), block_(block), selection_(selection), columns_(selection.columns) {}

    int64_t rows() const {
        return selection_.all ? reader_.blockRows(block_) : static_cast<int64_t>(selection_.positions.size());
    }
    // Returns the position of a row in the block.
    int32_t blockRow(int32_t row) const {
        return selection_.all ? row : selection_.positions[static_cast<size_t>(row)];
    }
    // `first`: a selection of the first so many of them; `only`: the chosen rows, as a block without others.
    Filter::Selection first(int64_t count) const;
    BlockRows only(const Filter::Selection& chosen) const { return {reader_, block_, chosen}; }
    // Returns a column, or an expression, over the rows that passed.
    Value column(int column) { return filtered(fullColumn(column)); }
    Value evaluate(const ExpressionProgram& expression, Context& context);
    // Returns the bounds of a column that are known without reading it: for a block whose rows all passed.
    BlockBounds bounds(int column) const { return selection_.all ? reader_.bounds(block_, column) : BlockBounds{}; }

private:
    Value fullColumn(int column);
    Value filtered(const Value& whole) const;

    const PartitionReader& reader_;
    int block_;
    const Filter::Selection& selection_;
    std::vector<std::pair<int, Value>> columns_;
};

// Morsel: a run of blocks that one task processes; its bounds depend on the data, never on the number of threads.
struct Morsel {
    std::shared_ptr<const PartitionReader> reader;
    int firstBlock = 0, endBlock = 0;
    size_t partition = 0;  // in the order of the partitions read
};
// `enough`: rows after so many are not read, so that partitions with such rows only need not be opened.
std::vector<Morsel> morselsOf(const RowSource& source, const std::vector<ColumnConstraint>& constraints,
                              int64_t enough = INT64_MAX);

// Returns the columns that the filter and the expressions read.
std::vector<int> readColumns(Filter& filter, const std::vector<const ExpressionProgram*>& expressions,
                             Context& context);

// Calls f(number, morsel, context) for all morsels on the pool; each call has a separate context. Storage prefetches
// `columns`.
void forEachMorsel(const std::vector<Morsel>& morsels, const std::vector<int>& columns, Context& context,
                   const std::function<void(size_t, const Morsel&, Context&)>& f);

// Returns the named columns of the rows that pass, all partitions in order.
Ref<MemoryTable> scanColumns(const RowSource& source, Filter& filter, const std::vector<int>& columns,
                             Context& context);

}  // namespace pelorus
