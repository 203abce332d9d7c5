#include "runtime/arrow/table_columns.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "common/error.h"
#include "common/thread/cancellation.h"

namespace pelorus::arrow {

TableColumns::TableColumns(const ArrowSchema& schema) {
    std::unordered_set<std::string> taken;
    for (const ArrowField& field : schema.fields) {
        std::string obstacle, name = field.name;
        const TypeSpec type = typeOf(field, obstacle);
        for (int number = 1; !taken.insert(name).second; ++number) name = fmt::format("{}_{}", field.name, number);
        schema_.push_back({name, obstacle.empty() ? type.type : Type::String, type.scale, ""});
        obstacles_.push_back(std::move(obstacle));
    }
}

void TableColumns::requireReadable(int column) const {
    const auto at = static_cast<size_t>(column);
    if (obstacles_[at].empty()) return;
    throw UserError(
        fmt::format("The column {} is {}, which no column of a table can hold.", schema_[at].name, obstacles_[at]),
        "Name the columns to read and leave it out.");
}

Ref<MemoryTable> TableColumns::join(const std::vector<int>& columns,
                                    const std::function<Ref<MemoryTable>()>& next) const {
    for (const int c : columns) requireReadable(c);
    Ref<MemoryTable> all;
    while (Ref<MemoryTable> rows = next()) {
        checkCancelled();
        if (!all) {
            all = std::move(rows);
            continue;
        }
        for (size_t c = 0; c < columns.size(); ++c)
            appendElements(all->mutableColumns()[c], rows->column(static_cast<int>(c)));
    }
    if (all) return all;
    TableSchema schema;
    for (const int c : columns) schema.push_back(schema_[static_cast<size_t>(c)]);
    return MemoryTable::empty(schema);
}

}  // namespace pelorus::arrow
