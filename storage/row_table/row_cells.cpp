#include "storage/row_table/row_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/append/constraint_error.h"
#include "runtime/memory/budget.h"
#include "storage/rows/row_store.h"

namespace pelorus {

constexpr int64_t kRowsBetweenChecks = 1024;
constexpr int64_t kRoomForRows = 1 << 20;  // bytes that must be free for the next rows

std::vector<int> ordinalsOf(const TableEntry& entry) {
    CHECK(entry.rowTable.has_value()) << "a row table has these facts";
    const std::vector<std::string>& known = entry.rowTable->columns;
    std::vector<int> ordinals;
    for (const ColumnSchema& column : entry.storedSchema()) {
        const auto at = std::find(known.begin(), known.end(), column.name);
        CHECK(at != known.end()) << "the facts know all columns";
        ordinals.push_back(static_cast<int>(at - known.begin()));
    }
    return ordinals;
}

std::vector<RowIndexDefinition> indexesOf(const TableEntry& entry) {
    std::vector<RowIndexDefinition> definitions;
    const std::vector<std::string>& known = entry.rowTable->columns;
    for (const RowTableIndex& index : entry.rowTable->indexes) {
        RowIndexDefinition& definition = definitions.emplace_back();
        definition.name = index.name;
        definition.isUnique = index.isUnique;
        for (const std::string& column : index.columns)
            definition.columns.push_back(
                static_cast<int>(std::find(known.begin(), known.end(), column) - known.begin()));
    }
    return definitions;
}

RowColumns pageColumns(const TableEntry& entry, const RowStore& store) {
    RowColumns columns;
    if (const auto rows = store.find(entry.id)) columns = rows->part->columns();
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowColumns types = rowColumnsOf(entry.storedSchema());
    for (size_t i = 0; i < ordinals.size(); ++i) {
        const auto place = static_cast<size_t>(ordinals[i]);
        columns.resize(std::max(columns.size(), place + 1), RowColumn{Type::Bool, 0});
        columns[place] = types[i];
    }
    return columns;
}

[[noreturn]] static void refuseDuplicate(const RowPart::Result& result, const std::string& table) {
    const std::string& index = result.index->definition().name;
    throw ConstraintError(
        ConstraintError::Kind::DuplicateKey, table, "", index,
        fmt::format("<DuplicateKey>A row of the table {} has this key of the index {} already. Nothing was written.",
                    table, index),
        "Use upsert! to replace such rows, or other values.");
}

void requireDone(const RowPart::Result& result, const std::string& table) {
    if (result.outcome == RowOutcome::Duplicate) refuseDuplicate(result, table);
    CHECK(result.outcome == RowOutcome::Done) << "who has locked a row that is there changes it";
}

void refuseConcurrent(const std::string& table) {
    throw UserError(fmt::format("<ConcurrentChange>A row of the table {} was changed since the snapshot of this "
                                "transaction of repeatable read.",
                                table),
                    "Run the transaction again.");
}

RowCell checkedCell(const TableEntry& entry, size_t column, const Vector& values, int64_t row) {
    const RowCell cell = cellOf(values, row);
    if (cell.size() > kMaxCellBytes) {
        throw UserError(fmt::format("A value of the column {} has {} bytes; a row table takes {}.",
                                    entry.schema[column].name, cell.size(), kMaxCellBytes));
    }
    if (!isNullCell(entry.schema[column].type, cell)) return cell;
    const std::vector<std::string>& required = entry.rowTable->required;
    if (std::find(required.begin(), required.end(), entry.storedNameOf(column)) == required.end()) return cell;
    const std::string& name = entry.schema[column].name;
    throw ConstraintError(
        ConstraintError::Kind::NullInRequired, entry.name, name, "",
        fmt::format("<NullInRequired>The column {} of the table {} takes no NULL. Nothing was written.", name,
                    entry.name),
        "Give each row a value there.");
}

std::vector<RowCell> pageCells(const TableEntry& entry, const std::vector<int>& ordinals, const RowColumns& columns,
                               const MemoryTable& rows, int64_t row) {
    std::vector<RowCell> cells;
    for (const RowColumn& column : columns) cells.push_back(nullCell(column.type));
    for (size_t c = 0; c < ordinals.size(); ++c) {
        cells[static_cast<size_t>(ordinals[c])] = checkedCell(entry, c, rows.column(static_cast<int>(c)).vector(), row);
    }
    return cells;
}

Ref<MemoryTable> rowsOfCells(const TableEntry& entry, const std::vector<RowCells>& cells) {
    std::vector<std::string> names;
    std::vector<Value> columns;
    const auto count = static_cast<int64_t>(cells.size());
    for (size_t c = 0; c < entry.schema.size(); ++c) {
        names.push_back(entry.schema[c].name);
        const Ref<Vector> column = Vector::make(entry.schema[c].type, count);
        column->setScale(entry.schema[c].scale);
        const bool isText = storageOf(column->type()) == Storage::String;
        const auto width = static_cast<size_t>(column->width());
        for (int64_t row = 0; row < count; ++row) {
            const RowCell cell = cells[static_cast<size_t>(row)][c];
            if (isText) {
                column->setString(row, cell);
            } else {
                std::memcpy(column->mutableRaw() + static_cast<size_t>(row) * width, cell.data(), width);
            }
        }
        columns.push_back(Value::of(column));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

void requireRoom(int64_t row) {
    if (row % kRowsBetweenChecks != 0) return;
    checkCancelled();
    memory::charge(kRoomForRows);
    memory::discharge(kRoomForRows);
}

}  // namespace pelorus
