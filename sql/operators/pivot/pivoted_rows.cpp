// pivot by: the last key determines the columns, the others the rows.
#include "sql/operators/pivot/pivoted_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "common/error.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/index/index.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/keys/row_groups.h"

namespace pelorus {

namespace {

// Returns the row and the column that each row of the table of cells goes to.
std::vector<int32_t> numbersOf(const RowGroups& groups, int64_t rows) {
    std::vector<int32_t> numbers(static_cast<size_t>(rows));
    for (size_t g = 0; g < groups.rows.size(); ++g) {
        for (int32_t r : groups.rows[g]) numbers[static_cast<size_t>(r)] = static_cast<int32_t>(g);
    }
    return numbers;
}

// REQUIRES: columns that are equally long.
Value makeMatrix(const std::vector<Value>& columns) {
    for (const Value& c : columns) {
        if (c.isTypedVector() && c.type() == columns[0].type()) continue;
        const std::string types = c.type() == columns[0].type()
                                      ? typeString(c)
                                      : fmt::format("{} and {}", typeString(columns[0]), typeString(c));
        throw UserError(fmt::format("The columns of a matrix must be of one type, but they are {}.", types),
                        "Use select instead of exec: it returns a table.");
    }
    Ref<Vector> all = Vector::make(columns[0].type(), 0);
    if (isDecimal(all->type())) all->setScale(columns[0].vector().scale());
    for (const Value& c : columns) all->append(c.vector(), 0, c.size());
    return Value::of(makeRef<Matrix>(all, columns[0].size(), static_cast<int64_t>(columns.size())));
}

std::vector<Value> columnsOf(const Value& v) {
    std::vector<Value> columns;
    if (!v.isMatrix()) return {v};
    for (int64_t c = 0; c < v.matrix().columns; ++c) columns.push_back(v.at(c));
    return columns;
}

// Returns the column of an item's values, one for each row of the table of cells.
const Value& valuesOf(const PivotNode& node, const PivotNode::Item& item, const MemoryTable& cells) {
    const bool isOneEach = cells.columnCount() == node.cellColumns;
    if (isOneEach && cells.column(item.cells).isVector() && cells.column(item.cells).size() == cells.rowCount())
        return cells.column(item.cells);
    throw UserError(fmt::format("pivot by needs one value a cell, but {} returns something else.", item.name),
                    "Use an aggregate, or a function of each row.");
}

// A function of whole columns must return as many columns, one of whole rows a single column.
void requireColumns(const std::vector<Value>& columns, size_t before, size_t rows, const std::string& name) {
    const bool isOfRows = std::all_of(columns.begin(), columns.end(), [&](const Value& c) {
        return c.isVector() && c.size() == static_cast<int64_t>(rows);
    });
    if (isOfRows && (columns.size() == before || columns.size() == 1)) return;
    throw UserError(
        fmt::format("pivot by takes functions of whole rows or columns around its cells, but {} returns "
                    "something else.",
                    name));
}

std::string columnName(const Value& key) {
    std::string string = toString(key);
    return string.empty() ? "NULL" : string;
}

// Columns of a table, of which there may be thousands.
class NamedColumns {
public:
    // Column names are values, which may equal those of keys, too, or each other: they are made distinct like the names
    // of a select list.
    void add(const std::string& name, Value column) {
        std::string free = name;
        for (int suffix = 1; !taken_.insert(free).second; ++suffix) free = fmt::format("{}_{}", name, suffix);
        names_.push_back(std::move(free));
        columns_.push_back(std::move(column));
    }
    Ref<MemoryTable> table() const { return makeRef<MemoryTable>(names_, columns_); }

private:
    std::vector<std::string> names_;
    std::vector<Value> columns_;
    std::unordered_set<std::string> taken_;
};

}  // namespace

PivotedRows pivotedRows(const PivotNode& node, const MemoryTable& cells, Context& context) {
    for (const PivotNode::Item& item : node.items) valuesOf(node, item, cells);
    std::vector<Value> rowKeys;
    for (size_t k = 0; k + 1 < node.keys.size(); ++k) rowKeys.push_back(cells.column(node.keyColumns[k]));
    const RowGroups rows = groupRows(rowKeys, cells.rowCount());
    const RowGroups columns = groupRows({cells.column(node.keyColumns.back())}, cells.rowCount());
    const std::vector<int32_t> rowOf = numbersOf(rows, cells.rowCount());
    const std::vector<int32_t> columnOf = numbersOf(columns, cells.rowCount());
    // Several rows in a cell: the last one stays.
    std::vector<std::vector<int32_t>> positions;
    for (size_t c = 0; c < columns.rows.size(); ++c) {
        context.checkCancelled();  // as many cells as rows times columns
        positions.emplace_back(rows.rows.size(), -1);
    }
    for (size_t r = 0; r < rowOf.size(); ++r) {
        positions[static_cast<size_t>(columnOf[r])][static_cast<size_t>(rowOf[r])] = static_cast<int32_t>(r);
    }
    PivotedRows result;
    NamedColumns named;
    for (size_t k = 0; k + 1 < node.keys.size(); ++k) named.add(node.keys[k].names[0], rows.keys[k]);
    result.keyColumns = static_cast<int>(node.keys.size()) - 1;
    result.columnKeys = columns.keys[0];
    for (size_t i = 0; i < node.items.size(); ++i) {
        const PivotNode::Item& item = node.items[i];
        const Value source = valuesOf(node, item, cells);
        std::vector<Value> values;
        for (const auto& column : positions) {
            context.checkCancelled();
            values.push_back(takeRows(source, *Vector::of(Type::Int, column)));
        }
        bool isReduced = false;
        for (const Ref<Function>& f : item.after) {
            if (values.empty()) break;
            std::vector<Value> whole{makeMatrix(values)};
            const Value given = f->call(context, whole);
            isReduced = isReduced || !given.isMatrix();
            values = columnsOf(given);
            requireColumns(values, positions.size(), rows.rows.size(), item.name);
        }
        if (isReduced || values.size() != positions.size()) {
            named.add(item.name, values[0]);
            result.columns.push_back({i, -1});
            result.reduced = true;
            continue;
        }
        for (size_t c = 0; c < values.size(); ++c) {
            const std::string key = columnName(result.columnKeys.at(static_cast<int64_t>(c)));
            named.add(node.items.size() == 1 ? key : fmt::format("{}_{}", item.written.names[0], key), values[c]);
            result.columns.push_back({i, static_cast<int64_t>(c)});
        }
    }
    result.table = named.table();
    return result;
}

void unifyColumns(std::vector<PivotedRows>& parts) {
    if (parts.size() < 2) return;
    // The keys of all parts in one order; `numbers` maps each key of each part to it.
    auto allKeys = makeRef<MemoryTable>();
    for (const PivotedRows& part : parts) {
        auto keys = makeRef<MemoryTable>();
        keys->setColumn("key", part.columnKeys);
        if (allKeys->columnCount() == 0) {
            allKeys = keys->copy();
        } else {
            allKeys->append(*keys);
        }
    }
    const RowGroups groups = groupRows({allKeys->column(0)}, allKeys->rowCount());
    const std::vector<int32_t> numbers = numbersOf(groups, allKeys->rowCount());
    // Columns by output expression and key, from the first part that has them.
    std::map<std::pair<size_t, int64_t>, std::pair<std::string, Value>> wanted;
    std::vector<std::map<std::pair<size_t, int64_t>, Value>> held(parts.size());
    int64_t firstKey = 0;
    for (size_t p = 0; p < parts.size(); ++p) {
        const MemoryTable& table = *parts[p].table;
        for (size_t c = 0; c < parts[p].columns.size(); ++c) {
            const auto [item, key] = parts[p].columns[c];
            const std::pair<size_t, int64_t> place(item, key < 0 ? -1 : numbers[static_cast<size_t>(firstKey + key)]);
            const int at = parts[p].keyColumns + static_cast<int>(c);
            held[p][place] = table.column(at);
            wanted.try_emplace(place, table.columns()[static_cast<size_t>(at)].name, table.column(at));
        }
        firstKey += parts[p].columnKeys.size();
    }
    for (size_t p = 0; p < parts.size(); ++p) {
        NamedColumns named;
        for (int k = 0; k < parts[p].keyColumns; ++k)
            named.add(parts[p].table->columns()[static_cast<size_t>(k)].name, parts[p].table->column(k));
        for (const auto& [place, column] : wanted) {
            const auto own = held[p].find(place);
            const std::vector<int32_t> none(static_cast<size_t>(parts[p].table->rowCount()), -1);
            named.add(column.first,
                      own != held[p].end() ? own->second : takeRows(column.second, *Vector::of(Type::Int, none)));
        }
        parts[p].table = named.table();
    }
}

// exec … pivot by: a matrix with the keys as labels.
Value pivotMatrix(const PivotedRows& pivoted) {
    const MemoryTable& table = *pivoted.table;
    const int first = pivoted.keyColumns;
    if (first != 1) throw UserError("exec with pivot by takes one column of row keys, and the column of column keys.");
    if (pivoted.reduced) return table.column(first);
    if (table.columnCount() == first) return Value::of(makeRef<Matrix>(Vector::make(Type::Double, 0), 0, 0));
    Type type = table.column(first).type();
    uint8_t scale = 0;
    for (int c = first; c < table.columnCount(); ++c) {
        const Value& column = table.column(c);
        type = commonType(type, column.type());
        if (column.isTypedVector() && isDecimal(column.type()))
            scale = std::max(scale, static_cast<uint8_t>(column.vector().scale()));
    }
    std::vector<Value> columns;
    for (int c = first; c < table.columnCount(); ++c)
        columns.push_back(type == Type::Any ? table.column(c)
                                            : cast(table.column(c), type, isDecimal(type) ? scale : kSourceScale));
    Value matrix = makeMatrix(columns);
    matrix.matrix().rowLabels = table.column(0);
    if (pivoted.columnKeys.size() == matrix.matrix().columns) matrix.matrix().columnLabels = pivoted.columnKeys;
    return matrix;
}

}  // namespace pelorus
