// The operator that computes columns of batches.
#pragma once

#include <utility>
#include <vector>

#include "sql/execution/pipeline.h"

namespace pelorus {

// Replaces the columns of each batch by expressions over them. Each is computed when a consumer asks for it.
class Projection final : public BatchOperator {
public:
    explicit Projection(std::vector<ExpressionProgram> columns) : columns_(std::move(columns)) {}

    bool push(Batch& batch, Context& worker, Consumer& next) override {
        batch.project(columns_, worker);
        return next.push(batch, worker);
    }

private:
    const std::vector<ExpressionProgram> columns_;
};

}  // namespace pelorus
