// Rows for the tests of row tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/rows/row_layout.h"

namespace pelorus {

// A row of an INT and a STRING column, which owns the bytes of its cells.
class SampleRow {
public:
    SampleRow(int32_t number, std::string text) : number_(number), text_(std::move(text)) {}
    std::vector<RowCell> cells() const { return {numberCell(), text_}; }
    RowCell numberCell() const { return {reinterpret_cast<const char*>(&number_), sizeof number_}; }

private:
    int32_t number_;
    std::string text_;
};

inline const RowColumns kSampleColumns = {{Type::Int, 0}, {Type::String, 0}};

inline int32_t numberIn(RowCell cell) {
    int32_t number;
    std::memcpy(&number, cell.data(), sizeof number);
    return number;
}

}  // namespace pelorus
