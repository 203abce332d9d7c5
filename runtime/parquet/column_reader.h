// Reader of one column of one row group into vectors of the language.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/type_table.h"
#include "runtime/parquet/parquet_library.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/vector.h"

namespace pelorus::parquet_file {

// Makes elements of vectors of stored values: `count` dense values from `raw`, which may be where `elements` is.
using ConvertValues = void (*)(const Column& column, const void* raw, int64_t count, char* elements);

// How the values of a column become elements, chosen once for a column.
struct ReadPlan {
    Column column;
    TypeSpec type;                    // of the elements; not an array type
    size_t rawBytes = 0;              // of a value as it is read
    ConvertValues convert = nullptr;  // null: as they are; unused for strings
    bool isText = false;
};

// REQUIRES: typeOf returns for the column this type (of its elements), or a SYMBOL or BLOB in place of a STRING.
ReadPlan readPlan(const Column& column, TypeSpec elements);

// A cursor with a position, in rows. One thread uses it at a time.
class ColumnReader {
public:
    ColumnReader(const ReadPlan& plan, std::unique_ptr<ColumnCursor> cursor)
        : plan_(plan), cursor_(std::move(cursor)) {}

    int64_t position() const { return position_; }
    // Skips rows of a flat column.
    void skip(int64_t rows);
    // Reads the next rows of a flat column into elements [begin, begin + rows) of a vector of the plan's type. Throws
    // SystemError when the file has fewer.
    void read(Vector& target, int64_t begin, int64_t rows);
    // Reads all rows of a list column. Throws SystemError when they are not as many.
    Ref<ArrayVector> readLists(int64_t rows);

private:
    int64_t readValues(Vector& target, int64_t begin, int64_t count);
    int64_t readStrings(Vector& target, int64_t begin, int64_t count);
    int64_t readCodes(Vector& target, int64_t begin, int64_t count);
    void convertInto(char* elements, const void* raw, int64_t values) const;

    const ReadPlan plan_;
    const std::unique_ptr<ColumnCursor> cursor_;
    int64_t position_ = 0;
    std::vector<int16_t> definitions_, repetitions_;
    std::vector<char> raw_;
    std::vector<Bytes> texts_;
    std::vector<int32_t> codes_;
    // The element of each string of the cursor's dictionary in the vector that is filled; 0: not yet there.
    std::vector<uint64_t> elements_;
};

}  // namespace pelorus::parquet_file
