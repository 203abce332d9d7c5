// The columns of a row table as its pages have them, and cells: the bytes of single values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// A column of a row table: its position among the table's columns is its identity, also in the log.
struct RowColumn {
    Type type = Type::Void;
    uint8_t scale = 0;  // of a DECIMAL
    friend bool operator==(const RowColumn&, const RowColumn&) = default;
};
using RowColumns = std::vector<RowColumn>;

// Returns whether a column of a row table may have the type: scalars of fixed width, STRING and BLOB. SYMBOL is kept as
// STRING.
bool isRowType(Type type);
// Returns the types in which a table with these columns keeps them.
RowColumns rowColumnsOf(const TableSchema& schema);

// Longest STRING or BLOB in a row table, in bytes: the rows of a page have room for 1,024 of them.
inline constexpr size_t kMaxCellBytes = 3 << 20;

// The bytes of a value: as many as the type is wide, or those of the text. NULL is the NULL of the type, or no bytes.
using RowCell = std::string_view;

inline bool isTextColumn(const RowColumn& column) {
    return storageOf(column.type) == Storage::String;
}
// Returns the cell of NULL in columns of the type. It is valid for ever.
RowCell nullCell(Type type);
inline bool isNullCell(Type type, RowCell cell) {
    return cell == nullCell(type);
}
// Returns the cell of a row of a column in memory. It is valid as long as the column is not changed.
RowCell cellOf(const Vector& column, int64_t row);

// Cells that own their bytes, such as those of a row. A plain value.
class RowCells {
public:
    void add(RowCell cell) {
        bytes_.append(cell);
        ends_.push_back(static_cast<uint32_t>(bytes_.size()));
    }
    // Makes room for so many cells, of some 24 bytes each.
    void reserve(size_t cells) {
        constexpr size_t kCellBytes = 24;
        ends_.reserve(ends_.size() + cells);
        bytes_.reserve(bytes_.size() + cells * kCellBytes);
    }
    void clear() {
        bytes_.clear();
        ends_.clear();
    }
    size_t size() const { return ends_.size(); }
    int64_t byteCount() const { return static_cast<int64_t>(bytes_.size() + ends_.size() * sizeof ends_[0]); }
    RowCell operator[](size_t i) const {
        const uint32_t begin = i == 0 ? 0 : ends_[i - 1];
        return RowCell(bytes_).substr(begin, ends_[i] - begin);
    }

private:
    std::string bytes_;
    std::vector<uint32_t> ends_;
};

}  // namespace pelorus
