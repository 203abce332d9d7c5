#include "postgres/steps/set_operations.h"

#include <unordered_map>

#include "runtime/table/table.h"
#include "runtime/table/value_bytes.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

constexpr int64_t kRowsBetweenChecks = 65'536;

const MemoryTable& rowsOf(const Value& table) {
    return *table.table().asMemory();
}

}  // namespace

std::string rowKey(const MemoryTable& table, int64_t row) {
    std::string key;
    for (int i = 0; i < table.columnCount(); ++i) {
        const Value cell = table.column(i).at(row);
        if (cell.isNull()) {
            key += '\0';
            continue;
        }
        key += '\1';
        if (cell.isString()) {
            const std::string_view text = cell.string();
            const auto size = static_cast<uint32_t>(text.size());
            key.append(reinterpret_cast<const char*>(&size), sizeof size);
            key += text;
        } else if (cell.hasObject()) {
            key.append(reinterpret_cast<const char*>(cell.bytes16()), 16);
        } else {
            const int64_t stored = cell.type() == Type::Double || cell.type() == Type::Float
                                       ? std::bit_cast<int64_t>(cell.real() + 0.0)
                                       : cell.integer();
            key.append(reinterpret_cast<const char*>(&stored), sizeof stored);
        }
    }
    return key;
}

Value stackedRows(const std::vector<Value>& tables) {
    int64_t rows = 0;
    for (const Value& table : tables) rows += rowsOf(table).rowCount();
    Ref<MemoryTable> all = MemoryTable::empty(rowsOf(tables.at(0)).columns(), rows);
    for (const Value& table : tables) all->append(rowsOf(table));
    return Value::of(Ref<Table>(all));
}

Value setOperation(SetOperation operation, bool isAll, const Value& left, const Value& right, Context& context) {
    const MemoryTable &a = rowsOf(left), &b = rowsOf(right);
    if (operation == SetOperation::Union && isAll) return stackedRows({left, right});
    const auto check = [&context](int64_t row) {
        if (row % kRowsBetweenChecks == 0) context.checkCancelled();
    };
    // How often the right side has each row, and whether the result has it already.
    std::unordered_map<std::string, int64_t> counts;
    std::unordered_map<std::string, bool> given;
    std::vector<int64_t> kept;
    if (operation != SetOperation::Union)
        for (int64_t row = 0; row < b.rowCount(); ++row) {
            check(row);
            ++counts[rowKey(b, row)];
        }
    const auto isFirst = [&](const std::string& key) { return given.emplace(key, true).second; };
    for (int64_t row = 0; row < a.rowCount(); ++row) {
        check(row);
        const std::string key = rowKey(a, row);
        const auto found = counts.find(key);
        const bool isThere = found != counts.end() && found->second > 0;
        if (isAll && isThere) --found->second;
        const bool isWanted = operation == SetOperation::Union || isThere == (operation == SetOperation::Intersect);
        if (isWanted && (isAll || isFirst(key))) kept.push_back(row);
    }
    std::vector<Value> columns;
    std::vector<std::string> names;
    for (int i = 0; i < a.columnCount(); ++i) {
        columns.push_back(gatherElements(a.column(i), kept.data(), static_cast<int64_t>(kept.size())));
        names.push_back(a.columns()[static_cast<size_t>(i)].name);
    }
    Ref<MemoryTable> result = makeRef<MemoryTable>(std::move(names), std::move(columns));
    if (operation == SetOperation::Union) {
        std::vector<int64_t> more;
        for (int64_t row = 0; row < b.rowCount(); ++row) {
            check(row);
            if (isFirst(rowKey(b, row))) more.push_back(row);
        }
        std::vector<Value> added;
        std::vector<std::string> addedNames;
        for (int i = 0; i < b.columnCount(); ++i) {
            added.push_back(gatherElements(b.column(i), more.data(), static_cast<int64_t>(more.size())));
            addedNames.push_back(b.columns()[static_cast<size_t>(i)].name);
        }
        result->append(*makeRef<MemoryTable>(std::move(addedNames), std::move(added)));
    }
    return Value::of(Ref<Table>(result));
}

Value stackCells(const Value& oneRow, const std::vector<std::string>& names, size_t rows) {
    const MemoryTable& cells = rowsOf(oneRow);
    std::vector<Value> columns;
    for (size_t i = 0; i < names.size(); ++i) {
        const auto first = static_cast<int>(i * rows);
        Value column = gatherElements(cells.column(first), std::vector<int64_t>{0}.data(), 1);
        for (size_t row = 1; row < rows; ++row) appendElements(column, cells.column(first + static_cast<int>(row)));
        columns.push_back(std::move(column));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(names, std::move(columns))));
}

}  // namespace pelorus::postgres
