// rowAt and rowAlign: the elements of each row by position, and two rows of prices aligned.
#include <algorithm>

#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/value/array_vector.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

Ref<Vector> itemsOf(const Value& row) {
    Value holder = row;
    return vectorArgument({&holder, 1}, 0, "X");
}

// Returns the positions at which a BOOL row is true.
Ref<Vector> truePositions(const Vector& row) {
    Ref<Vector> positions = Vector::make(Type::Int, 0);
    for (int64_t i = 0; i < row.size(); ++i) {
        if (row.data<int8_t>()[i] == 1) positions->append(Value::ofInt(static_cast<int32_t>(i)));
    }
    return positions;
}

Ref<Vector> pick(const Vector& row, const Vector& positions) {
    Ref<Vector> wide = cast(positions, Type::Long);
    return row.gather(wide->data<int64_t>(), wide->size());
}

bool isColumnar(const Value& v) {
    return v.isTuple() && v.tuple().isColumnar();
}

// rowAt(X, [Y])
Value rowAtKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    const int64_t rows = rowCountOf(x);
    if (!isGiven(arguments, 1)) {
        std::vector<Value> results;
        for (int64_t r = 0; r < rows; ++r) {
            Ref<Vector> row = itemsOf(rowOf(x, r));
            if (row->type() != Type::Bool) refuseArgument(0, "X", "BOOL where Y is left out", x);
            results.push_back(Value::of(truePositions(*row)));
        }
        return rowsFrom(std::move(results), isColumnar(x));
    }
    const Value& y = arguments[1];
    if (rowCountOf(y) != rows) {
        throw UserError(1, fmt::format("X and Y differ in rows: {} and {}.", rows, rowCountOf(y)));
    }
    if (y.isTypedVector()) {
        if (!isIntegral(y.type())) refuseArgument(1, "Y", "positions", y);
        std::vector<Value> elements;
        for (int64_t r = 0; r < rows; ++r) {
            Ref<Vector> row = itemsOf(rowOf(x, r));
            const int64_t p = y.vector().asLong(r);
            elements.push_back(p >= 0 && p < row->size() ? row->at(p) : Value::nullOf(row->type()));
        }
        return listOf(std::move(elements));
    }
    std::vector<Value> results;
    for (int64_t r = 0; r < rows; ++r) {
        Ref<Vector> row = itemsOf(rowOf(x, r));
        Ref<Vector> index = itemsOf(rowOf(y, r));
        if (index->type() == Type::Bool) {
            if (index->size() != row->size()) throw UserError(1, "The rows of X and Y differ in length.");
            index = truePositions(*index);
        } else if (!isIntegral(index->type())) {
            refuseArgument(1, "Y", "positions or BOOL", y);
        }
        // A row without a single element holds one NULL.
        results.push_back(index->size() == 0 ? Value::of(Vector::filled(row->type(), 1, Value::nullOf(row->type())))
                                             : Value::of(pick(*row, *index)));
    }
    return rowsFrom(std::move(results), isColumnar(y));
}

enum class Side : uint8_t { Bid, Ask };

struct Alignment {
    std::vector<int32_t> left, right;
};

// Two strictly ordered rows merged: the position of each price in either, -1 where it lacks it. Unless `all`, only the
// prices that both rows reach down (bid) or up (ask) to.
Alignment aligned(const Vector& left, const Vector& right, Side side, bool all) {
    Alignment result;
    const int64_t n = left.size(), m = right.size();
    if (n == 0 || m == 0) return result;
    auto before = [&](double a, double b) { return side == Side::Bid ? a > b : a < b; };
    auto endOf = [&](const Vector& row) {
        double end = row.asDouble(0);
        for (int64_t i = 1; i < row.size(); ++i) end = before(end, row.asDouble(i)) ? row.asDouble(i) : end;
        return end;
    };
    const double endLeft = endOf(left), endRight = endOf(right);
    const double limit = before(endLeft, endRight) ? endLeft : endRight;
    for (int64_t i = 0, k = 0; i < n || k < m;) {
        const bool takesLeft = k == m || (i < n && !before(right.asDouble(k), left.asDouble(i)));
        const bool takesRight = i == n || (k < m && !before(left.asDouble(i), right.asDouble(k)));
        const double price = takesLeft ? left.asDouble(i) : right.asDouble(k);
        if (!all && before(limit, price)) break;
        result.left.push_back(takesLeft ? static_cast<int32_t>(i++) : -1);
        result.right.push_back(takesRight ? static_cast<int32_t>(k++) : -1);
    }
    return result;
}

// rowAlign(left, right, how)
Value rowAlignKernel(Context&, Arguments arguments) {
    const Value &left = arguments[0], &right = arguments[1];
    for (size_t i : {size_t{0}, size_t{1}}) {
        if (!isRowwise(arguments[i])) {
            refuseArgument(i, i == 0 ? "left" : "right", "an array vector or a columnar tuple", arguments[i]);
        }
    }
    if (left.size() != right.size()) {
        throw UserError(1, fmt::format("left and right differ in rows: {} and {}.", left.size(), right.size()));
    }
    std::string how = stringArgument(arguments, 2, "how");
    std::transform(how.begin(), how.end(), how.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool all = how.starts_with("all");
    const std::string side = all ? how.substr(3) : how;
    if (side != "bid" && side != "ask") refuseArgument(2, "how", "bid, allBid, ask or allAsk", arguments[2]);
    std::vector<Value> leftRows, rightRows;
    for (int64_t r = 0; r < left.size(); ++r) {
        const Alignment row =
            aligned(*itemsOf(left.at(r)), *itemsOf(right.at(r)), side == "bid" ? Side::Bid : Side::Ask, all);
        leftRows.push_back(Value::of(Vector::of(Type::Int, row.left)));
        rightRows.push_back(Value::of(Vector::of(Type::Int, row.right)));
    }
    std::vector<Value> both = {rowsFrom(std::move(leftRows), isColumnar(left)),
                               rowsFrom(std::move(rightRows), isColumnar(right))};
    return Value::of(makeRef<Tuple>(std::move(both)));
}

}  // namespace

void registerRowAlignment(FunctionRegistry& registry) {
    registry.add(
        "rowAt(X, [Y])", rowAtKernel,
        {.summary = "Of each row of X the elements at the positions, or where BOOL is true, in the same row of "
                    "Y; without Y the positions where X is true.",
         .parameters = "X: a matrix, array vector or columnar tuple\nY: a vector with one position per row, or "
                       "rows of positions or BOOL",
         .nulls = "A position outside the row gives NULL; a row without elements is one NULL.",
         .errors = "X and Y differ in rows.",
         .example = "rowAt(matrix(1 2, 3 4), 1 0) -> [3,2]"},
        {.gives = varying(), .kind = FunctionKind::RowWise});
    registry.add("rowAlign(left, right, how)", rowAlignKernel,
                 {.summary = "Two order books row by row: for every price the position in the row of left and of "
                             "right, as a tuple of two.",
                  .parameters = "how: bid or ask for the prices that both rows reach, allBid or allAsk for all",
                  .nulls = "-1 where a row lacks the price.",
                  .errors = "left and right differ in rows.",
                  .example = "rowAlign(arrayVector([2], 9 8), arrayVector([2], 8 7), `bid)[0] -> [[0,1]]"},
                 {.gives = varying(), .kind = FunctionKind::RowWise});
}

}  // namespace pelorus
