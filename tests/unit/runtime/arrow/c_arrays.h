// Arrays of Arrow's C data interface, for the tests of their reader and writer.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "runtime/arrow/c_export.h"
#include "runtime/arrow/c_import.h"
#include "runtime/arrow/c_schema.h"

namespace pelorus::testing {

// Returns all columns of a stream that the process exports.
inline Ref<MemoryTable> importedAgain(const Ref<MemoryTable>& rows) {
    arrow::CStream stream{};
    arrow::exportStream(rows, stream);
    arrow::ImportedStream imported(stream);
    std::vector<int> columns(imported.columns().schema().size());
    std::iota(columns.begin(), columns.end(), 0);
    return imported.readAll(columns);
}

// One column of a batch that is made by hand.
class HandMadeBatch {
public:
    HandMadeBatch(arrow::ArrowField field, int64_t length, std::vector<const void*> buffers)
        : buffers_(std::move(buffers)) {
        schema_.fields.push_back(std::move(field));
        const auto release = [](arrow::CArray* array) { array->release = nullptr; };
        column.length = batch.length = length;
        column.nullCount = -1;
        column.bufferCount = static_cast<int64_t>(buffers_.size());
        column.buffers = buffers_.data();
        column.release = batch.release = release;
        batch.childCount = 1;
        batch.children = &child_;
    }

    Value imported() { return arrow::importRows(batch, schema_, arrow::TableColumns(schema_), {0})->column(0); }

    arrow::CArray column{}, batch{};

private:
    std::vector<const void*> buffers_;
    arrow::ArrowSchema schema_;
    arrow::CArray* child_ = &column;
};

inline arrow::ArrowField fieldOf(const ColumnSchema& column) {
    return arrow::fieldOf(column, 0, arrow::SymbolForm::Text);
}

}  // namespace pelorus::testing
