// The columns of a table that Arrow data are read into.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/arrow/arrow_schema.h"
#include "runtime/table/table.h"

namespace pelorus::arrow {

// The columns of a schema as tables have them: each name once. Immutable.
class TableColumns {
public:
    TableColumns() = default;
    explicit TableColumns(const ArrowSchema& schema);

    // Columns that no table can hold are STRING.
    const TableSchema& schema() const { return schema_; }
    // Throws UserError, naming the column and what it is, when no table can hold it.
    void requireReadable(int column) const;
    // Returns the rows of all batches in one table of these columns. `next` returns a batch, and null at the end.
    Ref<MemoryTable> join(const std::vector<int>& columns, const std::function<Ref<MemoryTable>()>& next) const;
    // Returns the type of the elements that are read.
    TypeSpec type(int column) const {
        const ColumnSchema& of = schema_[static_cast<size_t>(column)];
        return {of.type, of.scale};
    }

private:
    TableSchema schema_;
    std::vector<std::string> obstacles_;  // empty for columns that can be read
};

}  // namespace pelorus::arrow
