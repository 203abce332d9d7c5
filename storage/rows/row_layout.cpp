#include "storage/rows/row_layout.h"

#include <array>

#include "common/error.h"

namespace pelorus {

bool isRowType(Type type) {
    if (isArrayType(type) || type == Type::Symbol || type == Type::Compress) return false;
    switch (storageOf(type)) {
        case Storage::Int8:
        case Storage::Int16:
        case Storage::Int32:
        case Storage::Int64:
        case Storage::Float32:
        case Storage::Float64:
        case Storage::Bytes16:
        case Storage::String:
            return true;
        case Storage::None:
        case Storage::Boxed:
            return false;
    }
    return false;
}

RowColumns rowColumnsOf(const TableSchema& schema) {
    RowColumns columns;
    for (const ColumnSchema& column : schema) {
        if (!isRowType(column.type)) {
            throw UserError("The column " + column.name + " has type " + std::string(typeName(column.type)) +
                                ", which a row table cannot hold.",
                            "Declare STRING in place of SYMBOL, and keep array vectors in a column table.");
        }
        columns.push_back({column.type, column.scale});
    }
    return columns;
}

RowCell nullCell(Type type) {
    static const auto kNulls = [] {
        std::array<std::string, kTypeCount> nulls;
        for (int i = 0; i < kTypeCount; ++i) {
            const auto each = static_cast<Type>(i);
            if (!isRowType(each) || storageOf(each) == Storage::String) continue;
            const Ref<Vector> one = Vector::filled(each, 1, Value());
            nulls[static_cast<size_t>(i)].assign(one->raw(), static_cast<size_t>(one->width()));
        }
        return nulls;
    }();
    return kNulls[static_cast<size_t>(type)];
}

RowCell cellOf(const Vector& column, int64_t row) {
    if (storageOf(column.type()) == Storage::String || column.type() == Type::Symbol) return column.string(row);
    const auto width = static_cast<size_t>(column.width());
    return {column.raw() + static_cast<size_t>(row) * width, width};
}

}  // namespace pelorus
