// The sink of a result: the rows of a pipeline, in the order of its morsels.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/table/table.h"
#include "sql/execution/pipeline.h"

namespace pelorus {

// Keeps the columns of each batch, which are copied once, when the size of the whole is known.
class ResultSink final : public Sink {
public:
    // A column of the result: its number in the batches, or its values, which need no batch.
    struct Column {
        ColumnSchema schema;
        int number = 0;
        Value known = Value();
    };
    // The result has the first `needed` rows.
    explicit ResultSink(std::vector<Column> columns, int64_t needed = INT64_MAX)
        : columns_(std::move(columns)), needed_(needed) {}

    void open(size_t morsels) override { parts_.resize(morsels); }
    bool push(Batch& batch, Context& worker) override;

    // Returns the rows, once. Columns are put together concurrently.
    Ref<MemoryTable> rows();

private:
    struct Part {
        std::vector<std::vector<Value>> columns;  // by column, the values of each batch
        int64_t rows = 0;
    };
    Value column(size_t number, int64_t rows);

    const std::vector<Column> columns_;
    const int64_t needed_;
    std::vector<Part> parts_;  // each written by the thread of its morsel
};

}  // namespace pelorus
