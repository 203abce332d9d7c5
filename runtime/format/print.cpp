#include "runtime/value/print.h"

#include <algorithm>

#include "common/thread/stack_room.h"
#include "runtime/format/grid.h"
#include "runtime/format/to_source.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

namespace {

constexpr int64_t kDisplayElements = 30;

enum class Cuts : uint8_t { Long, Nothing };
std::string displayWith(const Value& value, Cuts cuts);

bool spansLines(const Value& value) {
    return value.isTable() || value.isMatrix() || value.isDictionary();
}

// Returns an element of a tuple: scalars inline, blocks on separate lines.
std::string nestedString(const Value& value, Cuts cuts) {
    if (value.isScalar()) return itemString(value);
    std::string string = displayWith(value, cuts);
    return spansLines(value) ? string + "\n" : string;
}

std::string vectorString(const Vector& vector) {
    // A lone NULL would be invisible.
    if (vector.size() == 1 && vector.isNullAt(0) && !isLiteral(vector.type())) {
        return "[" + toLiteral(vector.at(0)) + "]";
    }
    std::string string = "[";
    int64_t shown = std::min(vector.size(), kDisplayElements);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) string += ',';
        string += itemString(vector.at(i));
    }
    return string + (shown < vector.size() ? "...]" : "]");
}

std::string tupleString(const Tuple& tuple, Cuts cuts) {
    std::string string = "(";
    auto shown = std::min<int64_t>(static_cast<int64_t>(tuple.elements.size()), kDisplayElements);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) string += ',';
        string += nestedString(tuple.elements[static_cast<size_t>(i)], cuts);
    }
    return string + (shown < static_cast<int64_t>(tuple.elements.size()) ? "...)" : ")");
}

// Returns a row of an array vector. An empty one is kept as a single NULL, and shown as [].
std::string rowString(const Vector& row) {
    return row.size() == 1 && row.isNullAt(0) ? "[]" : vectorString(row);
}

// Returns rows such as [[1,2],[3]].
std::string arrayVectorString(const ArrayVector& rows) {
    std::string string = "[";
    const int64_t shown = std::min(rows.size(), kDisplayElements);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) string += ',';
        string += rowString(*rows.row(i));
    }
    return string + (shown < rows.size() ? "...]" : "]");
}

// Returns a row of an array vector or of a columnar tuple in the cell of a table: its first three elements.
std::string rowCellString(const Vector& row, Cuts cuts) {
    constexpr int64_t kShown = 3;
    if (row.size() <= kShown || cuts == Cuts::Nothing) return rowString(row);
    std::string string = vectorString(*row.slice(0, kShown));
    string.pop_back();
    return string + "...]";
}

std::string pairString(const Value& pair) {
    // Strings are quoted, as in "USER" : "message" of an exception.
    const bool quoted = isLiteral(pair.type());
    auto side = [&](int64_t i) {
        const Value element = pair.vector().at(i);
        return quoted ? itemString(element) : toString(element);
    };
    return side(0) + " : " + side(1);
}

std::string setString(const Set& set) {
    std::string string = "set(";
    int64_t shown = std::min(set.index.size(), kDisplayElements);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) string += ',';
        string += itemString(set.index.key(i));
    }
    return string + (shown < set.index.size() ? "...)" : ")");
}

std::string indented(const std::string& block) {
    std::string string = "  ";
    for (char c : block) {
        string += c;
        if (c == '\n') string += "  ";
    }
    return string;
}

std::string dictionaryString(const Dictionary& dictionary, Cuts cuts) {
    std::string string;
    int64_t shown = std::min(dictionary.size(), kDisplayElements);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) string += '\n';
        Value value = dictionary.valueAt(i);
        string += toString(dictionary.keyAt(i)) + "->";
        string += spansLines(value) ? "\n" + indented(displayWith(value, cuts)) : displayWith(value, cuts);
    }
    if (shown < dictionary.size()) string += "\n...";
    return string;
}

// Returns one cell of a table: strings bare, NULL empty.
std::string cellString(const Value& column, int64_t row, Cuts cuts) {
    if (column.isTuple()) {
        const Value& element = column.tuple().elements[static_cast<size_t>(row)];
        if (element.isTypedVector()) return rowCellString(element.vector(), cuts);
        return element.isScalar() ? toString(element) : displayWith(element, cuts);
    }
    if (column.isArrayVector()) return rowCellString(*column.arrayVector().row(row), cuts);
    return toString(column.vector().at(row));
}

void cutNothing(Grid& grid, Cuts cuts) {
    if (cuts == Cuts::Nothing) grid.widestCell = grid.width = SIZE_MAX / 2;
}

std::string memoryTableString(const MemoryTable& table, Cuts cuts) {
    Grid grid;
    grid.columnCount = table.columnCount();
    grid.rowCount = static_cast<int>(std::min<int64_t>(table.rowCount(), kDisplayRows));
    grid.moreRows = table.rowCount() > kDisplayRows;
    grid.widestCell = static_cast<size_t>(kDisplayWidth / std::max(1, std::min(grid.columnCount, kDisplayColumns))) + 5;
    cutNothing(grid, cuts);
    grid.head = [&](int column) { return table.columns()[static_cast<size_t>(column)].name; };
    grid.cell = [&](int column, int row) { return cellString(table.column(column), row, cuts); };
    return gridString(grid);
}

std::string tableString(Table& table, Cuts cuts) {
    if (const Ref<MemoryTable> memory = tableToRead(table)) return memoryTableString(*memory, cuts);
    auto* partitioned = table.asPartitioned();
    std::string path = partitioned ? partitioned->databasePath() : "";
    return "Table[" + path + (path.empty() ? "" : "/") + table.name + "]";
}

std::string matrixString(const Matrix& matrix, Cuts cuts) {
    constexpr size_t kWidestCell = 25;
    Grid grid;
    grid.columnCount = static_cast<int>(matrix.columns);
    grid.rowCount = static_cast<int>(std::min<int64_t>(matrix.rows, kDisplayRows));
    grid.moreRows = matrix.rows > kDisplayRows;
    grid.widestCell = kWidestCell;
    cutNothing(grid, cuts);
    grid.head = [&](int column) {
        return matrix.columnLabels.isVoid() ? "#" + std::to_string(column) : toString(matrix.columnLabels.at(column));
    };
    grid.cell = [&](int column, int row) { return toString(matrix.cells->at(column * matrix.rows + row)); };
    if (!matrix.rowLabels.isVoid()) {
        for (int i = 0; i < grid.rowCount; ++i) grid.rowLabels.push_back(toString(matrix.rowLabels.at(i)));
    }
    return gridString(grid);
}

std::string displayWith(const Value& value, Cuts cuts) {
    requireStackRoom();
    switch (value.form()) {
        case Form::Scalar:
            return toString(value);
        case Form::Vector:
            if (value.isArrayVector()) return arrayVectorString(value.arrayVector());
            return value.isTuple() ? tupleString(value.tuple(), cuts) : vectorString(value.vector());
        case Form::Pair:
            return pairString(value);
        case Form::Matrix:
            return matrixString(value.matrix(), cuts);
        case Form::Set:
            return setString(value.set());
        case Form::Dictionary:
            return dictionaryString(value.dictionary(), cuts);
        case Form::Table:
            return tableString(value.table(), cuts);
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
