// The operator of the conditions of a scan.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/thread/mutex.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "sql/execution/pipeline.h"
#include "sql/expression/constraint.h"

namespace pelorus {

// Keeps the rows that satisfy elementwise conditions joined by and. Thread-safe once built.
class Filter final : public BatchOperator {
public:
    // The conditions are over columns of this schema.
    Filter(const NodeList& conditions, const TableSchema& columns, Context& context);

    const std::vector<ColumnConstraint>& constraints() const { return constraints_; }
    bool empty() const { return conditions_.empty(); }
    // Returns all columns that the conditions name.
    std::vector<int> columns(Context& context);

    // Selects the rows of a batch that pass. Reads nothing where the bounds of the block decide.
    void select(Batch& batch, Context& context);
    bool push(Batch& batch, Context& worker, Consumer& next) override;

private:
    // Reduces the selection to the rows for which the condition is true.
    static void narrow(Batch& batch, const ExpressionProgram& condition, Context& context);
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

// Returns the columns that the filter and the expressions read.
std::vector<int> readColumns(Filter& filter, const std::vector<const ExpressionProgram*>& expressions,
                             Context& context);

}  // namespace pelorus
