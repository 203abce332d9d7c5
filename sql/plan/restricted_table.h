// Table that stands for some of the partitions of another one.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// Some partitions of a table at one snapshot: replaces the table in the `from` of a partial query.
class RestrictedTable final : public Table {
public:
    RestrictedTable(Ref<Table> table, std::shared_ptr<TableSnapshot> snapshot, std::vector<size_t> partitions)
        : table(std::move(table)), snapshot(std::move(snapshot)), partitions(std::move(partitions)) {}

    const TableSchema& columns() const override { return table->columns(); }
    int64_t rowCount() const override { return table->rowCount(); }

    Ref<Table> table;
    std::shared_ptr<TableSnapshot> snapshot;
    std::vector<size_t> partitions;
};

}  // namespace pelorus
