#include "runtime/value/print.h"

#include <algorithm>

#include "common/thread/stack_room.h"
#include "runtime/code/to_source.h"
#include "runtime/format/grid.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

namespace {

constexpr int64_t kDisplayItems = 30;

enum class Cuts : uint8_t { Long, Nothing };
std::string displayWith(const Value& value, Cuts cuts);

bool spansLines(const Value& value) {
    return value.isTable() || value.isMatrix() || value.isDictionary();
}

// Returns an element of a tuple: scalars inline, blocks on separate lines.
std::string nestedText(const Value& value, Cuts cuts) {
    if (value.isScalar()) return itemText(value);
    std::string text = displayWith(value, cuts);
    return spansLines(value) ? text + "\n" : text;
}

std::string vectorText(const Vector& vector) {
    // A lone NULL would be invisible.
    if (vector.size() == 1 && vector.isNullAt(0) && !isLiteral(vector.type())) {
        return "[" + literalText(vector.at(0)) + "]";
    }
    std::string text = "[";
    int64_t shown = std::min(vector.size(), kDisplayItems);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) text += ',';
        text += itemText(vector.at(i));
    }
    return text + (shown < vector.size() ? "...]" : "]");
}

std::string tupleText(const Tuple& tuple, Cuts cuts) {
    std::string text = "(";
    auto shown = std::min<int64_t>(static_cast<int64_t>(tuple.items.size()), kDisplayItems);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) text += ',';
        text += nestedText(tuple.items[static_cast<size_t>(i)], cuts);
    }
    return text + (shown < static_cast<int64_t>(tuple.items.size()) ? "...)" : ")");
}

// Returns a row of an array vector. An empty one is kept as a single NULL, and shown as [].
std::string rowText(const Vector& row) {
    return row.size() == 1 && row.isNullAt(0) ? "[]" : vectorText(row);
}

// Returns rows such as [[1,2],[3]].
std::string arrayVectorText(const ArrayVector& rows) {
    std::string text = "[";
    const int64_t shown = std::min(rows.size(), kDisplayItems);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) text += ',';
        text += rowText(*rows.row(i));
    }
    return text + (shown < rows.size() ? "...]" : "]");
}

// Returns a row of an array vector or of a columnar tuple in the cell of a table: its first three elements.
std::string rowCellText(const Vector& row, Cuts cuts) {
    constexpr int64_t kShown = 3;
    if (row.size() <= kShown || cuts == Cuts::Nothing) return rowText(row);
    std::string text = vectorText(*row.slice(0, kShown));
    text.pop_back();
    return text + "...]";
}

std::string pairText(const Value& pair) {
    // Strings are quoted, as in "USER" : "message" of an exception.
    const bool quoted = isLiteral(pair.type());
    auto side = [&](int64_t i) {
        const Value item = pair.vector().at(i);
        return quoted ? itemText(item) : scalarText(item);
    };
    return side(0) + " : " + side(1);
}

std::string setText(const Set& set) {
    std::string text = "set(";
    int64_t shown = std::min(set.index.size(), kDisplayItems);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) text += ',';
        text += itemText(set.index.key(i));
    }
    return text + (shown < set.index.size() ? "...)" : ")");
}

std::string indented(const std::string& block) {
    std::string text = "  ";
    for (char c : block) {
        text += c;
        if (c == '\n') text += "  ";
    }
    return text;
}

std::string dictionaryText(const Dictionary& dictionary, Cuts cuts) {
    std::string text;
    int64_t shown = std::min(dictionary.size(), kDisplayItems);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) text += '\n';
        Value value = dictionary.valueAt(i);
        text += scalarText(dictionary.keyAt(i)) + "->";
        text += spansLines(value) ? "\n" + indented(displayWith(value, cuts)) : displayWith(value, cuts);
    }
    if (shown < dictionary.size()) text += "\n...";
    return text;
}

// Returns one cell of a table: strings bare, NULL empty.
std::string cellText(const Value& column, int64_t row, Cuts cuts) {
    if (column.isTuple()) {
        const Value& item = column.tuple().items[static_cast<size_t>(row)];
        if (item.isTypedVector()) return rowCellText(item.vector(), cuts);
        return item.isScalar() ? scalarText(item) : displayWith(item, cuts);
    }
    if (column.isArrayVector()) return rowCellText(*column.arrayVector().row(row), cuts);
    return scalarText(column.vector().at(row));
}

void cutNothing(Grid& grid, Cuts cuts) {
    if (cuts == Cuts::Nothing) grid.widestCell = grid.width = SIZE_MAX / 2;
}

std::string memoryTableText(const MemoryTable& table, Cuts cuts) {
    Grid grid;
    grid.columnCount = table.columnCount();
    grid.rowCount = static_cast<int>(std::min<int64_t>(table.rowCount(), kDisplayRows));
    grid.moreRows = table.rowCount() > kDisplayRows;
    grid.widestCell = static_cast<size_t>(kDisplayWidth / std::max(1, std::min(grid.columnCount, kDisplayColumns))) + 5;
    cutNothing(grid, cuts);
    grid.head = [&](int column) { return table.columns()[static_cast<size_t>(column)].name; };
    grid.cell = [&](int column, int row) { return cellText(table.column(column), row, cuts); };
    return gridText(grid);
}

std::string tableText(Table& table, Cuts cuts) {
    if (const Ref<MemoryTable> memory = tableToRead(table)) return memoryTableText(*memory, cuts);
    auto* partitioned = table.asPartitioned();
    std::string path = partitioned ? partitioned->databasePath() : "";
    return "Table[" + path + (path.empty() ? "" : "/") + table.name + "]";
}

std::string matrixText(const Matrix& matrix, Cuts cuts) {
    constexpr size_t kWidestCell = 25;
    Grid grid;
    grid.columnCount = static_cast<int>(matrix.columns);
    grid.rowCount = static_cast<int>(std::min<int64_t>(matrix.rows, kDisplayRows));
    grid.moreRows = matrix.rows > kDisplayRows;
    grid.widestCell = kWidestCell;
    cutNothing(grid, cuts);
    grid.head = [&](int column) {
        return matrix.columnLabels.isVoid() ? "#" + std::to_string(column) : scalarText(matrix.columnLabels.at(column));
    };
    grid.cell = [&](int column, int row) { return scalarText(matrix.cells->at(column * matrix.rows + row)); };
    if (!matrix.rowLabels.isVoid()) {
        for (int i = 0; i < grid.rowCount; ++i) grid.rowLabels.push_back(scalarText(matrix.rowLabels.at(i)));
    }
    return gridText(grid);
}

std::string displayWith(const Value& value, Cuts cuts) {
    requireStackRoom();
    switch (value.form()) {
        case Form::Scalar:
            return scalarText(value);
        case Form::Vector:
            if (value.isArrayVector()) return arrayVectorText(value.arrayVector());
            return value.isTuple() ? tupleText(value.tuple(), cuts) : vectorText(value.vector());
        case Form::Pair:
            return pairText(value);
        case Form::Matrix:
            return matrixText(value.matrix(), cuts);
        case Form::Set:
            return setText(value.set());
        case Form::Dictionary:
            return dictionaryText(value.dictionary(), cuts);
        case Form::Table:
            return tableText(value.table(), cuts);
        case Form::Chart:
            return "CHART";
        default:
            return std::string(typeName(value.type()));
    }
}

}  // namespace

std::string display(const Value& value) {
    return displayWith(value, Cuts::Long);
}

std::string displayWhole(const Value& value) {
    return displayWith(value, Cuts::Nothing);
}

}  // namespace pelorus
