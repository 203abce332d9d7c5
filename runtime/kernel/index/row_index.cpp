#include "runtime/kernel/index/row_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

bool isPosition(const Value& index) {
    return index.isScalar() && isIntegral(index.type());
}

int64_t positionOf(const Value& index) {
    return index.isNull() ? -1 : index.integer();
}

// A half-open range of positions; an omitted end is `size`.
struct Range {
    int64_t from = 0, to = 0;
};

Range rangeOf(const Value& index, int64_t size) {
    if (isOmitted(index)) return {0, size};
    if (isPosition(index)) return {positionOf(index), positionOf(index) + 1};
    if (!index.isPair() || !isIntegral(index.type())) {
        throw UserError(fmt::format("{} cannot be an index here; use an integer or a pair.", typeString(index)));
    }
    const Vector& pair = index.vector();
    return {pair.isNullAt(0) ? 0 : pair.asLong(0), pair.isNullAt(1) ? size : pair.asLong(1)};
}

int64_t longestRow(const Value& object) {
    int64_t longest = 0;
    for (int64_t r = 0; r < object.size(); ++r) longest = std::max(longest, object.at(r).size());
    return longest;
}

// Returns element i of every row; a scalar row is its own element at every position.
Value columnOf(const Value& object, int64_t i) {
    if (object.isArrayVector()) return Value::of(object.arrayVector().column(i));
    std::vector<Value> elements;
    for (const Value& row : object.tuple().elements) {
        if (row.isScalar()) {
            elements.push_back(row);
        } else if (i >= 0 && i < row.size()) {
            elements.push_back(row.at(i));
        } else {
            elements.push_back(Value::nullOf(row.type()));
        }
    }
    return listOf(std::move(elements));
}

// Returns positions from `from` to the end of every row.
Value columnsToEnd(const ArrayVector& rows, int64_t from) {
    Ref<ArrayVector> result = makeRef<ArrayVector>(rows.elementType(), rows.scale());
    std::vector<int64_t> positions;
    for (int64_t r = 0; r < rows.size(); ++r) {
        positions.clear();
        for (int64_t i = std::max<int64_t>(from, 0); i < rows.rowSize(r); ++i) positions.push_back(rows.begin(r) + i);
        result->appendRow(*rows.values()->gather(positions.data(), static_cast<int64_t>(positions.size())));
    }
    return Value::of(result);
}

bool hasOpenEnd(const Value& range) {
    return range.isPair() && range.vector().isNullAt(1) && !range.vector().isNullAt(0);
}

// Returns positions [from, to) of every row, NULL beyond its end.
Value columnsOf(const Value& object, Range range) {
    const int64_t width = std::max<int64_t>(range.to - range.from, 0);
    if (object.isArrayVector()) {
        const ArrayVector& rows = object.arrayVector();
        Ref<ArrayVector> result = makeRef<ArrayVector>(rows.elementType(), rows.scale());
        std::vector<int64_t> positions(static_cast<size_t>(width));
        for (int64_t r = 0; r < rows.size(); ++r) {
            for (int64_t k = 0; k < width; ++k) {
                const int64_t i = range.from + k;
                const bool inside = i >= 0 && i < rows.rowSize(r);
                positions[static_cast<size_t>(k)] = inside ? rows.begin(r) + i : -1;
            }
            result->appendRow(*rows.values()->gather(positions.data(), width));
        }
        return Value::of(result);
    }
    std::vector<Value> rows;
    for (const Value& row : object.tuple().elements) {
        const Value elements = row.isScalar() ? Value::of(Vector::filled(row.type(), 1, row)) : row;
        std::vector<int64_t> positions(static_cast<size_t>(width));
        for (int64_t k = 0; k < width; ++k) {
            positions[static_cast<size_t>(k)] = row.isScalar() ? 0 : range.from + k;
        }
        rows.push_back(Value::of(elements.vector().gather(positions.data(), width)));
    }
    Value result = Value::of(makeRef<Tuple>(std::move(rows), TupleKind::Columnar));
    const bool typed = object.size() > 0 && canBeInArrayVector(object.at(0).type());
    return typed ? cast(result, arrayTypeOf(object.at(0).type())) : result;
}

// Keeps the elements of each row that a BOOL array vector marks as true.
Value maskedRows(const ArrayVector& rows, const ArrayVector& mask) {
    if (!rows.sameRows(mask))
        throw UserError("The rows of the index don't have the lengths of the rows it selects from.");
    auto result = makeRef<ArrayVector>(rows.elementType(), rows.scale());
    const auto* keep = mask.values()->data<int8_t>();
    std::vector<int64_t> positions;
    for (int64_t r = 0; r < rows.size(); ++r) {
        positions.clear();
        for (int64_t i = rows.begin(r); i < rows.end(r); ++i) {
            if (keep[i] == 1) positions.push_back(i);
        }
        result->appendRow(*rows.values()->gather(positions.data(), static_cast<int64_t>(positions.size())));
    }
    return Value::of(result);
}

// Selects rows by a vector of positions or a BOOL vector.
Value rowsOf(const Value& object, const Value& index) {
    if (index.type() == Type::Bool) {
        if (index.size() != object.size()) {
            throw UserError(fmt::format("A BOOL index must be as long as what it selects from: {} and {}.",
                                        index.size(), object.size()));
        }
        Ref<Vector> kept = Vector::make(Type::Long, 0);
        for (int64_t i = 0; i < index.size(); ++i) {
            if (index.vector().data<int8_t>()[i] == 1) kept->append(Value::ofLong(i));
        }
        return takeRows(object, *kept);
    }
    if (!isIntegral(index.type())) {
        throw UserError(fmt::format("{} cannot be an index here; use integers, a pair or BOOL.", typeString(index)));
    }
    return takeRows(object, index.vector());
}

Value rowRange(const Value& object, Range range) {
    Ref<Vector> positions = Vector::make(Type::Long, std::max<int64_t>(range.to - range.from, 0));
    for (int64_t i = 0; i < positions->size(); ++i) positions->mutableData<int64_t>()[i] = range.from + i;
    return takeRows(object, *positions);
}

[[noreturn]] void invalidIndices(std::span<const Value> indices) {
    throw UserError(
        fmt::format("Assignment statement failed probably due to invalid indices [{}]", display(indices.back())));
}

}  // namespace

bool isRowwise(const Value& object) {
    return object.isArrayVector() || (object.isTuple() && object.tuple().isColumnar());
}

Value rowOf(const Value& x, int64_t r) {
    if (x.isScalar()) return x;
    if (isRowwise(x)) return x.at(r);
    if (x.isMatrix()) {
        Ref<Vector> row = Vector::make(x.type(), x.matrix().columns);
        for (int64_t c = 0; c < x.matrix().columns; ++c) row->set(c, x.matrix().cells->at(c * x.matrix().rows + r));
        return Value::of(row);
    }
    if (x.isTable()) {
        const Ref<MemoryTable> table = tableToRead(x);
        if (!table) throw UserError("A partitioned table cannot be walked by row.", "Select from it first.");
        std::vector<Value> elements;
        for (int i = 0; i < table->columnCount(); ++i) elements.push_back(table->column(i).at(r));
        return listOf(std::move(elements));
    }
    if (x.isTuple()) {
        std::vector<Value> elements;
        for (const Value& element : x.tuple().elements)
            elements.push_back(element.isScalar() ? element : element.at(r));
        return listOf(std::move(elements));
    }
    return x.at(r);
}

int64_t rowCountOf(const Value& x) {
    if (isRowwise(x)) return x.size();
    if (x.isMatrix()) return x.matrix().rows;
    if (x.isTuple()) {
        for (const Value& element : x.tuple().elements) {
            if (!element.isScalar()) return element.size();
        }
        return 1;
    }
    return x.size();
}

Value rowsFrom(std::vector<Value> rows, bool columnar) {
    Type type = Type::Void;
    for (const Value& row : rows) type = commonType(type, row.type());
    Value result = Value::of(makeRef<Tuple>(std::move(rows), TupleKind::Columnar));
    return !columnar && canBeInArrayVector(type) ? cast(result, arrayTypeOf(type)) : result;
}

Value readRowwise(const Value& object, std::span<const Value> indices) {
    const Value& first = indices[0];
    if (indices.size() == 2) {
        if (isPosition(first) && isPosition(indices[1]))
            return columnOf(rowRange(object, rangeOf(first, 0)), positionOf(indices[1]));
        const Value chosen = isOmitted(first)        ? object
                             : first.isTypedVector() ? rowsOf(object, first)
                                                     : rowRange(object, rangeOf(first, object.size()));
        if (isOmitted(indices[1])) return chosen;
        if (isPosition(indices[1])) return columnOf(chosen, positionOf(indices[1]));
        if (chosen.isArrayVector() && hasOpenEnd(indices[1])) {
            return columnsToEnd(chosen.arrayVector(), indices[1].vector().asLong(0));
        }
        return columnsOf(chosen, rangeOf(indices[1], longestRow(chosen)));
    }
    if (indices.size() != 1) throw UserError("Rows have two dimensions; use a[row, column].");
    if (isPosition(first)) return columnOf(object, positionOf(first));
    if (first.isPair()) {
        if (object.isTuple() && first.vector().isNullAt(1) &&
            (first.vector().isNullAt(0) || first.vector().asLong(0) == 0)) {
            return object;
        }
        if (object.isArrayVector() && hasOpenEnd(first)) {
            return columnsToEnd(object.arrayVector(), first.vector().asLong(0));
        }
        return columnsOf(object, rangeOf(first, longestRow(object)));
    }
    if (first.isArrayVector() && object.isArrayVector() && first.type() == arrayTypeOf(Type::Bool)) {
        return maskedRows(object.arrayVector(), first.arrayVector());
    }
    if (first.isTypedVector()) return rowsOf(object, first);
    throw UserError(fmt::format("{} cannot be an index here; use integers, a pair or BOOL.", typeString(first)));
}

void writeRowwise(Value& object, std::span<const Value> indices, const Value& value) {
    if (indices.size() != 2) {
        throw UserError("Rows are changed by row and column.", "Write a[row, column] = value, or a[, column] = value.");
    }
    const Range rows = rangeOf(indices[0], object.size());
    if (isOmitted(indices[1])) invalidIndices(indices);
    const Range columns = rangeOf(indices[1], -1);
    if (rows.from < 0 || rows.to > object.size() || columns.from < 0 || columns.to < columns.from) {
        invalidIndices(indices);
    }
    const int64_t width = columns.to - columns.from, height = rows.to - rows.from;
    for (int64_t r = rows.from; r < rows.to; ++r) {
        if (columns.to > object.at(r).size()) invalidIndices(indices);
    }
    const Type type = object.isArrayVector() ? object.arrayVector().elementType()
                                             : (object.size() ? object.at(0).type() : Type::Void);
    const uint8_t scale = object.isArrayVector() ? object.arrayVector().scale() : uint8_t{0};
    // For each row there is one value for all positions, or a value for each.
    const bool perRow = value.isVector() &&
                        (value.isTuple() || value.isArrayVector() || (value.size() == height && value.size() != width));
    if (value.isVector() && value.size() != (perRow ? height : width)) {
        throw UserError(
            fmt::format("{} values cannot be assigned to {} rows of {} positions.", value.size(), height, width));
    }
    std::vector<Value> elements;
    for (int64_t r = 0; r < height; ++r) {
        Value row = castForStorage(perRow ? value.at(r) : value, type, "", scale);
        if (row.isVector() && row.size() != width) {
            throw UserError(fmt::format("{} values cannot be assigned to {} positions.", row.size(), width));
        }
        elements.push_back(std::move(row));
    }
    object.makeUnique();
    for (int64_t r = 0; r < height; ++r) {
        const Value& row = elements[static_cast<size_t>(r)];
        for (int64_t c = 0; c < width; ++c) {
            const Value element = row.isScalar() ? row : row.at(c);
            if (object.isArrayVector()) {
                ArrayVector& target = object.arrayVector();
                target.mutableValues().set(target.begin(rows.from + r) + columns.from + c, element);
            } else {
                Value& target = object.tuple().elements[static_cast<size_t>(rows.from + r)];
                target.makeUnique();
                target.vector().set(columns.from + c, element);
            }
        }
    }
}

}  // namespace pelorus
