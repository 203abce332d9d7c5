#include "storage/table/row_facts.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "storage/rows/row_layout.h"

namespace pelorus {

void placeRowColumns(TableEntry& table) {
    if (!table.rowTable) return;
    for (ColumnSchema& column : table.schema) {
        if (column.type == Type::Symbol) column.type = Type::String;
    }
    rowColumnsOf(table.schema);  // throws for types that no row has
    std::vector<std::string>& known = table.rowTable->columns;
    for (const ColumnSchema& column : table.storedSchema()) {
        if (std::find(known.begin(), known.end(), column.name) == known.end()) known.push_back(column.name);
    }
}

void forgetColumn(TableEntry& table, const std::string& storedName) {
    table.defaults.erase(storedName);
    if (!table.rowTable) return;
    std::erase(table.rowTable->required, storedName);
    const auto has = [&](const std::vector<std::string>& columns) {
        return std::find(columns.begin(), columns.end(), storedName) != columns.end();
    };
    std::erase_if(table.rowTable->foreignKeys,
                  [&](const ForeignKey& key) { return has(key.columns) || has(key.setColumns); });
    std::erase_if(table.rowTable->checks, [&](const RowTableCheck& check) {
        return std::find(check.columns.begin(), check.columns.end(), storedName) != check.columns.end();
    });
}

void refuseKnownIndex(const TableEntry& table, const std::string& name) {
    CHECK(table.rowTable.has_value()) << "a row table has these facts";
    for (const RowTableIndex& index : table.rowTable->indexes) {
        if (index.name == name)
            throw UserError("<DuplicateName>The index " + name + " exists already.", "Choose another name.");
    }
}

}  // namespace pelorus
