// Columns of numbers, as functions that fit models read them from tables, matrices, tuples and vectors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

// What a NULL among the numbers means.
enum class NullCells : uint8_t {
    Refused,  // throws UserError
    Zero,     // counts as 0
    Kept,     // stays null<double>
};

// Equally long columns of DOUBLE. `names` are those of a table, or col0, col1 …
struct NumberColumns {
    std::vector<std::vector<double>> columns;
    std::vector<std::string> names;
    size_t rows = 0;

    size_t width() const { return columns.size(); }
    // Returns the cells of a row.
    std::vector<double> row(size_t i) const;
    Value asMatrix() const;
};

// Reads a table in memory, a matrix, a tuple of vectors, or a vector, which is one column. Throws UserError for other
// values, and for columns that are not numeric or differ in length. Copies the cells.
NumberColumns columnsArgument(Arguments arguments, size_t i, std::string_view name, NullCells nulls);
// Returns them as DOUBLE with NULL, the vectors themselves where they are DOUBLE already. Throws as columnsArgument
// does.
std::vector<Ref<Vector>> columnVectors(Arguments arguments, size_t i, std::string_view name);
// Reads them as factors of `rows` observations: a matrix with so many columns, but another number of rows, is
// transposed.
NumberColumns factorsArgument(Arguments arguments, size_t i, std::string_view name, size_t rows, NullCells nulls);
// Reads one column.
std::vector<double> columnArgument(Arguments arguments, size_t i, std::string_view name, NullCells nulls);
// Reads the columns of these names, in this order, from a table.
NumberColumns namedColumns(const Value& table, size_t argument, const std::vector<std::string>& names, NullCells nulls);
// Returns the columns of these names as columnVectors does.
std::vector<Ref<Vector>> namedVectors(const Value& table, size_t argument, const std::vector<std::string>& names);

// Returns the rows of a data source as a table in memory: those of a table themselves, those of one or several data
// sources (sqlDS) one after the other.
Value gatheredTable(Context& context, Arguments arguments, size_t i);

// Makes a matrix of cells that stand column by column.
Value matrixOf(const std::vector<double>& cells, size_t rows, size_t columns);
// Reads a matrix of numbers without NULL; a vector is one row if `vectorIsRow`, else one column.
struct NumberMatrix {
    std::vector<double> cells;  // column by column
    size_t rows = 0, columns = 0;

    double& at(size_t r, size_t c) { return cells[c * rows + r]; }
    double at(size_t r, size_t c) const { return cells[c * rows + r]; }
};
NumberMatrix matrixArgument(Arguments arguments, size_t i, std::string_view name, bool vectorIsRow);

}  // namespace pelorus
