#include "sql/operators/row_concatenation.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

// Returns the scale of a decimal column.
uint8_t scaleOf(const Value& column) {
    if (column.isArrayVector()) return column.arrayVector().values()->scale();
    return column.isTuple() ? uint8_t{0} : column.vector().scale();
}

bool isOfOneType(const Value& a, const Value& b) {
    return a.type() == b.type() && scaleOf(a) == scaleOf(b);
}

// A list of NULLs only has no type, like a vector of VOID.
Type typeOf(const Value& column) {
    if (!column.isTuple()) return column.type();
    const auto& items = column.tuple().elements;
    const bool isVoid = std::all_of(items.begin(), items.end(), [](const Value& item) { return item.isVoid(); });
    return isVoid ? Type::Void : Type::Any;
}

Type sharedType(Type a, Type b) {
    if (!isArrayType(a) || !isArrayType(b)) return commonType(a, b);
    const Type items = commonType(elementTypeOf(a), elementTypeOf(b));
    return items == Type::Any ? items : arrayTypeOf(items);
}

Value ofType(const Value& column, Type type, uint8_t scale) {
    if (column.type() == type && (type == Type::Any || scaleOf(column) == scale)) return column;
    if (typeOf(column) == Type::Void) return filledColumn(type, scale, column.size());
    if (type != Type::Any) return cast(column, type, scale);
    auto tuple = makeRef<Tuple>();
    for (int64_t i = 0; i < column.size(); ++i) tuple->elements.push_back(column.at(i));
    return Value::of(tuple);
}

}  // namespace

void ColumnConcatenation::add(Value items) {
    if (items.size() == 0) {
        if (noRows_.isVoid()) noRows_ = std::move(items);
    } else if (!runs_.empty() && isOfOneType(runs_.back(), items)) {
        appendElements(runs_.back(), items);
    } else {
        runs_.push_back(std::move(items));
    }
}

Value ColumnConcatenation::finish() {
    if (runs_.empty()) runs_.push_back(std::move(noRows_));
    Type type = Type::Void;
    uint8_t scale = 0;
    for (const Value& run : runs_) {
        type = sharedType(type, typeOf(run));
        scale = std::max(scale, scaleOf(run));
    }
    if (type == Type::Void) type = runs_[0].isTuple() ? Type::Any : Type::Int;
    Value all;
    int64_t rows = 0;
    for (Value& run : runs_) {
        rows += run.size();
        Value items = ofType(run, type, scale);
        run = Value();
        if (all.isVoid()) {
            all = std::move(items);
        } else {
            appendElements(all, items);
        }
    }
    CHECK(all.size() == rows) << "a column has the rows of all its runs";
    return all;
}

void RowConcatenation::add(const MemoryTable& rows) {
    if (columns_.empty()) {
        for (const ColumnSchema& column : rows.columns()) names_.push_back(column.name);
        columns_.resize(names_.size());
    }
    if (columns_.size() != static_cast<size_t>(rows.columnCount())) {
        throw UserError(fmt::format("The number of columns of the table to insert must be {}, but it is {}.",
                                    columns_.size(), rows.columnCount()));
    }
    for (size_t c = 0; c < columns_.size(); ++c) columns_[c].add(rows.column(static_cast<int>(c)));
}

Ref<MemoryTable> RowConcatenation::finish() {
    if (columns_.empty()) return Ref<MemoryTable>();
    auto result = makeRef<MemoryTable>();
    for (size_t c = 0; c < columns_.size(); ++c) result->setColumn(names_[c], columns_[c].finish());
    return result;
}

}  // namespace pelorus
