#include "streaming/engine/engine_columns.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/table/column_lookup.h"

namespace pelorus {

std::vector<int> columnsNamed(const TableSchema& columns, const std::vector<std::string>& names, int argument) {
    std::vector<int> found;
    for (const std::string& name : names) {
        const int column = findColumn(columns, name);
        if (column < 0) throw UserError(argument, fmt::format("dummyTable has no column {}.", name));
        found.push_back(column);
    }
    return found;
}

TableSchema columnsAt(const TableSchema& columns, const std::vector<int>& numbers) {
    TableSchema schema;
    for (const int c : numbers) schema.push_back(columns[static_cast<size_t>(c)]);
    return schema;
}

}  // namespace pelorus
