// A table with a column of every type that files of other programs hold, and NULLs among their elements.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/decimal.h"

namespace pelorus::testing {

// Returns a column of `rows` elements: every fifth is NULL.
inline Value mixedColumn(Type type, uint8_t scale, int64_t rows) {
    Ref<Vector> column = Vector::make(type, rows);
    column->setScale(scale);
    for (int64_t i = 0; i < rows; ++i) {
        if (i % 5 == 4) {
            column->set(i, Value());
        } else if (isLiteral(type)) {
            column->setString(i, "text " + std::to_string(i % 7));
        } else if (isDecimal(type)) {
            decimal::put(*column, i, i * 13 - 40);
        } else if (isFloating(type)) {
            column->set(i, cast(Value::ofDouble(static_cast<double>(i) * 0.5 - 3), type));
        } else if (storageOf(type) == Storage::Bytes16) {
            char bytes[16] = {};
            for (int k = 0; k < 16; ++k) bytes[k] = static_cast<char>(i + k + 1);
            column->set(i, Value::ofBytes16(type, bytes));
        } else {
            column->set(i, Value::scalar(type, type == Type::Bool ? i % 2 : i % 100));
        }
    }
    return Value::of(std::move(column));
}

// Returns a column of lists with one to three elements.
inline Value listColumn(Type type, int64_t rows) {
    const Value elements = mixedColumn(type, 0, rows * 2);
    std::vector<int32_t> ends;
    for (int64_t i = 0; i < rows; ++i) ends.push_back(static_cast<int32_t>(i % 2 == 0 ? 2 * i + 1 : 2 * i + 2));
    ends.back() = static_cast<int32_t>(rows * 2);
    return Value::of(makeRef<ArrayVector>(Ref<Vector>(&elements.vector()), ends));
}

inline Ref<MemoryTable> mixedTable(int64_t rows) {
    const std::vector<std::pair<Type, uint8_t>> types = {
        {Type::Bool, 0},     {Type::Char, 0},      {Type::Short, 0},     {Type::Int, 0},       {Type::Long, 0},
        {Type::Date, 0},     {Type::Month, 0},     {Type::Time, 0},      {Type::Minute, 0},    {Type::Second, 0},
        {Type::DateTime, 0}, {Type::Timestamp, 0}, {Type::NanoTime, 0},  {Type::DateHour, 0},  {Type::NanoTimestamp, 0},
        {Type::Float, 0},    {Type::Double, 0},    {Type::Symbol, 0},    {Type::String, 0},    {Type::Blob, 0},
        {Type::Uuid, 0},     {Type::Int128, 0},    {Type::Decimal32, 2}, {Type::Decimal64, 4}, {Type::Decimal128, 6}};
    auto table = makeRef<MemoryTable>();
    for (const auto& [type, scale] : types)
        table->setColumn("c" + std::to_string(static_cast<int>(type)), mixedColumn(type, scale, rows));
    table->setColumn("listInt", listColumn(Type::Int, rows));
    table->setColumn("listDouble", listColumn(Type::Double, rows));
    return table;
}

// Returns the name of the first column in which two tables differ; empty when they are alike.
inline std::string firstDifference(const MemoryTable& a, const MemoryTable& b) {
    if (a.columnCount() != b.columnCount()) return "number of columns";
    if (a.rowCount() != b.rowCount()) return "number of rows";
    for (int c = 0; c < a.columnCount(); ++c) {
        if (!identical(a.column(c), b.column(c)) ||
            a.columns()[static_cast<size_t>(c)].scale != b.columns()[static_cast<size_t>(c)].scale)
            return a.columns()[static_cast<size_t>(c)].name;
    }
    return "";
}

}  // namespace pelorus::testing
