#include "streaming/reactive/row_probe.h"

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

constexpr int64_t kRows = 3;

// Returns a column of rows in no order; VOID for a type that has no such values.
Value madeUp(const ColumnSchema& column) {
    if (isArrayType(column.type)) {
        const Value elements = madeUp({"", elementTypeOf(column.type), column.scale, ""});
        if (elements.isVoid()) return {};
        // As many in a row as an order book has levels.
        constexpr int64_t kElements = 10;
        auto rows = makeRef<ArrayVector>(elementTypeOf(column.type), column.scale);
        for (int32_t i = 0; i < kRows; ++i) {
            const std::vector<int32_t> positions(kElements, i);
            rows->appendRow(*elements.vector().gather(positions.data(), kElements));
        }
        return Value::of(std::move(rows));
    }
    if (isLiteral(column.type)) return Value::of(Vector::ofStrings({"c", "a", "b"}, column.type));
    const Ref<Vector> numbers = Vector::of(Type::Int, std::vector<int32_t>{3, 1, 2});
    const bool isNumber = isNumeric(column.type) || isTemporal(column.type);
    if (!isNumber || !canCast(Type::Int, column.type)) return {};
    return Value::of(cast(*numbers, column.type, column.scale));
}

// Returns the value of a row, one that counts for all rows too; VOID where there is none.
Value valueOf(const Value& result, int64_t row, int64_t rows) {
    if (result.isScalar()) return result;
    return result.isTypedVector() && result.size() == rows ? result.at(row) : Value();
}

bool differ(const Value& a, const Value& b) {
    if (a.isNull() || b.isNull()) return a.isNull() != b.isNull();
    if (!a.isNumber() || !b.isNumber()) return !identical(a, b);
    // Sums of one row and of several may round otherwise.
    const double x = a.asDouble(), y = b.asDouble();
    return std::abs(x - y) > 1e-9 * std::max(std::abs(x), std::abs(y));
}

}  // namespace

bool mixesRows(const ExpressionProgram& expression, const TableSchema& columns, Context& context) {
    std::vector<Value> together;
    for (const int c : expression.columns()) {
        together.push_back(madeUp(columns[static_cast<size_t>(c)]));
        if (together.back().isVoid()) return false;
    }
    if (together.empty()) return false;
    try {
        const Value all = expression.evaluate(context, together, kRows);
        for (int64_t row = 0; row < kRows; ++row) {
            std::vector<Value> alone;
            const int64_t own[] = {row};
            for (const Value& column : together) alone.push_back(gatherElements(column, own, 1));
            const Value beside = valueOf(all, row, kRows);
            const Value byItself = valueOf(expression.evaluate(context, alone, 1), 0, 1);
            if (beside.isVoid() || byItself.isVoid()) return false;
            if (differ(beside, byItself)) return true;
        }
    } catch (const Error&) {
        context.checkCancelled();
    }
    return false;
}

}  // namespace pelorus
