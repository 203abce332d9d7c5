// ColumnBuilder collects one column of a batch of lines: cells of eight bytes, and the bytes of strings and arrays.
//
// Fields may come in any order and be missing: a row without a value has NULL, and a column that is shorter than the
// table is filled up when a later row has a value. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/value/value.h"
#include "server/line_protocol/line_value.h"

namespace pelorus {

// The values of one field over the rows of a batch. LineBatch::TableRows owns it; `build` makes the column that is
// stored.
class ColumnBuilder {
public:
    // Begins an empty column of this type. `isNew`: the table does not have it yet.
    ColumnBuilder(std::string name, Type type, bool isNew);

    const std::string& name() const { return name_; }
    Type type() const { return type_; }
    // Returns whether the table has no such column yet.
    bool isNew() const { return isNew_; }

    // Sets the value of a row; rows come in ascending order. Throws LineError when the row has a value already, or the
    // value does not fit the column's type: the column is unchanged.
    void set(int64_t row, const LineValue& value) {
        if (isPlain_ && value.kind == own_ && static_cast<int64_t>(cells_.size()) == row) {
            cells_.push_back(value.bits);
        } else {
            setSlowly(row, value);
        }
    }
    // Returns whether any row has a value.
    bool hasValues() const { return cells_.size() > firstRow_; }
    // Removes the values of the rows from `rows` on.
    void truncate(int64_t rows);

    // Returns a vector of `rows` elements; element i is that of row order[i], or of row i when `order` is empty.
    Value build(int64_t rows, const std::vector<int32_t>& order) const;

private:
    void setSlowly(int64_t row, const LineValue& value);
    size_t cutPlace(size_t row) const;
    int64_t cellOf(const LineValue& value);
    // Returns the cell of a string or array: the position and size of its bytes in `bytes_`.
    static int64_t packed(size_t begin, size_t size) { return static_cast<int64_t>(begin << kSizeBits | size); }
    std::string_view bytesAt(int64_t cell) const;
    template <class T>
    Value buildNumbers(int64_t rows, const std::vector<int32_t>& order) const;
    Value buildStrings(int64_t rows, const std::vector<int32_t>& order) const;
    Value buildArrays(int64_t rows, const std::vector<int32_t>& order) const;

    static constexpr int kSizeBits = 24;

    std::string name_;
    Type type_;
    LineKind own_;
    bool isPlain_;  // a value's bits are its cell
    bool isNew_;
    int64_t nullCell_;
    std::vector<int64_t> cells_;
    size_t firstRow_ = 0;  // the first row with a value, when there are cells
    std::string bytes_;
};

}  // namespace pelorus
