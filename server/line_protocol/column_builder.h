// A column of a batch of lines while it grows: cells of eight bytes, and the bytes of strings and arrays.
//
// Fields may come in any order and be missing: a column that is shorter than its table's rows has NULL there, and is
// filled up when a later row has a value. Owned by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/value/value.h"
#include "server/line_protocol/line_value.h"

namespace pelorus {

class ColumnBuilder {
public:
    ColumnBuilder(std::string name, Type type, bool isNew);

    const std::string& name() const { return name_; }
    Type type() const { return type_; }
    // Whether the table has no such column yet.
    bool isNew() const { return isNew_; }

    // Sets the value of a row. Throws LineError when the row has one, or it does not fit the column's type.
    void set(int64_t row, const LineValue& value) {
        if (isPlain_ && value.kind == own_ && static_cast<int64_t>(cells_.size()) == row) {
            cells_.push_back(value.bits);
        } else {
            setSlowly(row, value);
        }
    }
    bool hasValues() const { return cells_.size() > firstRow_; }
    // Forgets the values of this row and later ones.
    void truncate(int64_t rows);

    // Returns the column of `rows` rows, of those at `order` when it is not empty.
    Value build(int64_t rows, const std::vector<int32_t>& order) const;

private:
    void setSlowly(int64_t row, const LineValue& value);
    size_t cutPlace(size_t row) const;
    int64_t cellOf(const LineValue& value);
    // A place in `bytes_`.
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
    bool isPlain_;  // the bits of a value of this kind are its cell
    bool isNew_;
    int64_t nullCell_;
    std::vector<int64_t> cells_;
    size_t firstRow_ = 0;  // that has a value, where there are cells
    std::string bytes_;
};

}  // namespace pelorus
