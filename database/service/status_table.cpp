#include "database/service/status_table.h"

namespace pelorus {

Value statusTable(const TableSchema& schema, const std::vector<std::vector<Value>>& rows) {
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (size_t c = 0; c < schema.size(); ++c) {
        Ref<Vector> column = Vector::make(schema[c].type, 0, static_cast<int64_t>(rows.size()));
        for (const std::vector<Value>& row : rows) column->append(row[c]);
        names.push_back(schema[c].name);
        columns.push_back(Value::of(std::move(column)));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
}

}  // namespace pelorus
