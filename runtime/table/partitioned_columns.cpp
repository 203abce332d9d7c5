#include "runtime/table/partitioned_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/table/growing_table.h"
#include "runtime/table/stored_table.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"

namespace pelorus {

static Value itemsOf(const Value& elements, int64_t begin, int64_t count, const ColumnSchema& column) {
    if (elements.isScalar()) return filledColumn(column.type, column.scale, count, elements);
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < count; ++i) positions.push_back(begin + i);
    return castForStorage(gatherElements(elements, positions.data(), count), column.type, column.name, column.scale);
}

void assignColumn(PartitionedTable& table, const std::string& name, const Value& elements) {
    auto* growing = dynamic_cast<GrowingTable*>(&table);
    if (growing == nullptr)
        throw UserError("A column of a table on disk is not assigned as a whole.",
                        "Change it with an update statement.");
    const auto& keys = table.partitionColumns();
    if (std::find(keys.begin(), keys.end(), name) != keys.end())
        throw UserError(
            fmt::format("The partition column {} can't be updated: its rows would leave their partition.", name));
    const int64_t rowCount = table.rowCount();
    if (!elements.isScalar() && elements.size() != rowCount)
        throw UserError(fmt::format("{} values cannot be assigned to {} rows.", elements.size(), rowCount));
    if (elements.isVoid() && table.findColumn(name) < 0)
        throw UserError("Not allowed to create void vector. RefId: S05005", "Give the column a NULL of its type.");
    if (table.findColumn(name) < 0)
        growing->addColumn(
            {name, elements.type(), static_cast<uint8_t>(elements.isScalar() ? elements.extra() : 0), ""});
    const ColumnSchema column = table.columns()[static_cast<size_t>(table.findColumn(name))];
    for (;;) {
        const auto snapshot = table.takeSnapshot();
        std::vector<std::pair<size_t, Ref<MemoryTable>>> changed;
        int64_t at = 0;
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            Ref<MemoryTable> rows = readRows(*snapshot->open(p), table.columns());
            if (!elements.isScalar() && at + rows->rowCount() > elements.size())
                throw UserError(fmt::format("Rows were added to {} while its column {} was set.", table.name, name));
            rows->setColumn(name, itemsOf(elements, at, rows->rowCount(), column));
            at += rows->rowCount();
            changed.emplace_back(p, std::move(rows));
        }
        if (table.replace(*snapshot, changed)) return;
    }
}

}  // namespace pelorus
