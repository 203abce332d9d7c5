#include "storage/table/entry_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/table/column_advice.h"
#include "storage/table/row_facts.h"

namespace pelorus {

void giveStoredNames(TableEntry& table) {
    if (!table.storedNames.empty()) return;
    for (const ColumnSchema& column : table.schema) table.storedNames.push_back(column.name);
}

size_t positionOf(const TableEntry& table, const std::string& name) {
    for (size_t c = 0; c < table.schema.size(); ++c) {
        if (table.schema[c].name == name) return c;
    }
    throw unknownColumn(name, table.schema);
}

static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

static void refuseKnown(const TableEntry& table, const std::string& name) {
    for (const ColumnSchema& column : table.schema) {
        if (column.name == name) throw UserError(fmt::format("The column [{}] already exists. RefId: S05017", name));
    }
}

void refusePartitionColumn(const TableEntry& table, const std::string& name, std::string_view change) {
    if (!contains(table.partitionColumns, name)) return;
    throw UserError(fmt::format("The column {} can't be {}: rows are placed by it. RefId: S01065", name, change));
}

static void refuseIndexedColumn(const TableEntry& table, const std::string& stored, const std::string& name) {
    if (!table.rowTable) return;
    for (const RowTableIndex& index : table.rowTable->indexes) {
        if (contains(index.columns, stored))
            throw UserError(fmt::format("The column {} can't be dropped: the index {} has it.", name, index.name));
    }
}

void addColumnsTo(TableEntry& table, const TableSchema& columns) {
    for (const ColumnSchema& column : columns) {
        refuseKnown(table, column.name);
        std::string stored = column.name;
        for (int n = 2; contains(table.storedNames, stored) || contains(table.retiredNames, stored); ++n)
            stored = fmt::format("{}#{}", column.name, n);
        table.schema.push_back(column);
        table.storedNames.push_back(std::move(stored));
        table.compressMethods.emplace_back("lz4");
        ++table.newColumns;
    }
}

void dropColumnFrom(TableEntry& table, const std::string& name) {
    const size_t at = positionOf(table, name);
    refusePartitionColumn(table, name, "dropped");
    if (contains(table.sortColumns, name))
        throw UserError(fmt::format("The column {} can't be dropped: rows are ordered by it.", name));
    refuseIndexedColumn(table, table.storedNames[at], name);
    const auto place = static_cast<std::ptrdiff_t>(at);
    forgetColumn(table, table.storedNames[at]);
    table.newColumns -= at + table.newColumns >= table.schema.size() ? 1 : 0;
    table.retiredNames.push_back(table.storedNames[at]);
    table.schema.erase(table.schema.begin() + place);
    table.storedNames.erase(table.storedNames.begin() + place);
    if (at < table.compressMethods.size()) table.compressMethods.erase(table.compressMethods.begin() + place);
}

void renameColumnIn(TableEntry& table, const std::string& name, const std::string& newName) {
    const size_t at = positionOf(table, name);
    refuseKnown(table, newName);
    refusePartitionColumn(table, name, "renamed");
    table.schema[at].name = newName;
    std::replace(table.sortColumns.begin(), table.sortColumns.end(), name, newName);
}

}  // namespace pelorus
