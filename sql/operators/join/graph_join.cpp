#include "sql/operators/join/graph_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/memory/broker.h"
#include "runtime/value/array_vector.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/row_pieces.h"

namespace pelorus {

namespace {

// Rows that are looked at together by a condition, and in a cross product.
constexpr int64_t kRowsOfPiece = int64_t{1} << 17;

class GraphRows final : public JoinedRows {
public:
    GraphRows(std::vector<Ref<MemoryTable>> sides, std::vector<SideRows> rows, int64_t count,
              const std::vector<std::string>& names, std::vector<Column> columns)
        : JoinedRows(std::move(sides), names, std::move(columns)), rows_(std::move(rows)), count_(count) {}

    int64_t rowCount() const override { return count_; }
    static Ref<JoinedRows> make(std::vector<Ref<MemoryTable>> sides, std::vector<SideRows> rows, int64_t count,
                                const std::vector<ShownColumn>& shown) {
        std::vector<std::string> names;
        std::vector<Column> columns;
        for (const ShownColumn& column : shown) {
            names.push_back(column.name);
            columns.push_back({column.column.side, column.column.number});
        }
        return makeRef<GraphRows>(std::move(sides), std::move(rows), count, names, std::move(columns));
    }

protected:
    const int32_t* sourceRows(size_t side, int64_t begin, int64_t, RowNumbers&) const override {
        return rows_[side].all ? nullptr : rows_[side].rows.data() + begin;
    }

private:
    const std::vector<SideRows> rows_;
    const int64_t count_;
};

// Returns rows[positions[i]]; `all` on either side is each row once.
SideRows composed(SideRows rows, const SideRows& positions) {
    if (positions.all) return rows;
    if (rows.all) return positions;
    SideRows result;
    result.rows.resize(positions.rows.size());
    forEachPiece(std::ssize(positions.rows), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
            result.rows[i] = rows.rows[static_cast<size_t>(positions.rows[i])];
    });
    return result;
}

std::string keyName(size_t key) {
    return "key" + std::to_string(key);
}

}  // namespace

Value GraphJoin::gathered(GraphColumn column, int64_t begin, int64_t count) const {
    const Value& items = sides_[column.side]->column(column.number);
    const SideRows& rows = rows_[column.side];
    if (!rows.all) return gatherElements(items, rows.rows.data() + begin, count);
    if (begin == 0 && count == items.size()) return items;
    if (items.isArrayVector()) return Value::of(items.arrayVector().slice(begin, count));
    return Value::of(items.vector().slice(begin, count));
}

// Returns the conditions whose last side this is.
std::vector<const GraphCondition*> GraphJoin::decidedBy(size_t side) const {
    std::vector<Condition> decided;
    for (const GraphCondition& condition : graph_.conditions()) {
        const auto isThere = [&](size_t of) { return of == side || isJoined_[of]; };
        const bool reads = std::find(condition.sides.begin(), condition.sides.end(), side) != condition.sides.end();
        if (reads && std::all_of(condition.sides.begin(), condition.sides.end(), isThere))
            decided.push_back(&condition);
    }
    return decided;
}

void GraphJoin::join(size_t side) {
    CHECK(!isJoined_[side]) << "each side is joined once";
    context_.checkCancelled();
    const std::vector<Condition> conditions = decidedBy(side);
    const bool isFirst = std::find(isJoined_.begin(), isJoined_.end(), true) == isJoined_.end();
    MemoryTable own, others;
    for (const std::vector<GraphColumn>& equal : graph_.equalities()) {
        const auto mine = std::find_if(equal.begin(), equal.end(), [&](const auto& c) { return c.side == side; });
        const auto other = std::find_if(equal.begin(), equal.end(), [&](const auto& c) { return isJoined_[c.side]; });
        if (mine == equal.end() || other == equal.end()) continue;
        const std::string name = keyName(static_cast<size_t>(own.columnCount()));
        own.setColumn(name, sides_[side]->column(mine->number));
        others.setColumn(name, gathered(*other, 0, count_));
    }
    if (isFirst) {
        rows_[side].all = true;
        count_ = sides_[side]->rowCount();
    } else if (own.columnCount() > 0) {
        joinByKeys(side, own, others);
    } else {
        cross(side, conditions);
    }
    isJoined_[side] = true;
    if (!isFirst && own.columnCount() == 0) return;  // the cross product has looked at them
    for (const Condition condition : conditions) keep(rowsThatSatisfy(*condition));
}

void GraphJoin::joinByKeys(size_t side, const MemoryTable& own, const MemoryTable& others) {
    JoinColumns keys;
    for (int k = 0; k < own.columnCount(); ++k) keys.left.push_back(keyName(static_cast<size_t>(k)));
    keys.right = keys.left;
    RowPairs pairs = equiPairs(others, own, keys);
    take(side, std::move(pairs.left), std::move(pairs.right));
}

// Appends a side: row i of the result is row others[i] of the rows so far, and row own[i] of the side.
void GraphJoin::take(size_t side, SideRows others, SideRows own) {
    count_ = others.all ? count_ : std::ssize(others.rows);
    for (size_t joined = 0; joined < rows_.size(); ++joined) {
        if (isJoined_[joined]) rows_[joined] = composed(std::move(rows_[joined]), others);
    }
    rows_[side] = std::move(own);
}

// Evaluates a condition piece by piece: its columns are gathered for the rows of one piece only.
std::vector<int32_t> GraphJoin::rowsThatSatisfy(const GraphCondition& condition) const {
    const auto pieceOf = [&](int64_t begin, int64_t count) {
        auto read = makeRef<MemoryTable>();
        for (const GraphColumn& c : condition.columns) {
            const std::string& name = graph_.side(c.side).columns[static_cast<size_t>(c.number)].name;
            read->setColumn(graphColumnName(c.side, name), gathered(c, begin, count));
        }
        return read;
    };
    const ExpressionProgram program = bindProgram(condition.code, pieceOf(0, 0)->columns(), context_);
    std::vector<int32_t> chosen;
    for (int64_t begin = 0; begin < count_; begin += kRowsOfPiece) {
        context_.checkCancelled();
        const int64_t count = std::min(kRowsOfPiece, count_ - begin);
        const Ref<MemoryTable> rows = pieceOf(begin, count);
        for (const int32_t row : rowsWhere(program.evaluate(context_, *rows), count, "where"))
            chosen.push_back(static_cast<int32_t>(begin) + row);
    }
    return chosen;
}

void GraphJoin::keep(const std::vector<int32_t>& positions) {
    if (std::ssize(positions) < count_) choose(positions);
}

void GraphJoin::choose(const std::vector<int32_t>& positions) {
    SideRows chosen;
    chosen.rows.assign(positions.begin(), positions.end());
    for (size_t side = 0; side < rows_.size(); ++side) {
        if (isJoined_[side]) rows_[side] = composed(std::move(rows_[side]), chosen);
    }
    count_ = std::ssize(positions);
}

// Joins a side that no equality connects: piece by piece, so that conditions drop rows before there are many.
void GraphJoin::cross(size_t side, const std::vector<Condition>& conditions) {
    const int64_t left = count_, right = sides_[side]->rowCount();
    const double product = static_cast<double>(left) * static_cast<double>(right);
    const auto rowBytes = static_cast<double>((rows_.size() + 1) * sizeof(int32_t));
    const auto room = static_cast<double>(memory::availableBytes());
    if (conditions.empty() && (product > INT32_MAX || product * rowBytes > room)) {
        throw UserError(fmt::format("The cross join would have {:.0f} rows, without a condition between {} and the "
                                    "tables before it.",
                                    product, graph_.side(side).qualifier),
                        "Add an equality between the tables to where, or raise maxMemSize.");
    }
    std::vector<SideRows> result(rows_.size());
    std::vector<SideRows> before = rows_;
    isJoined_[side] = true;
    int64_t total = 0;
    const int64_t step = right == 0 ? left + 1 : std::max<int64_t>(kRowsOfPiece / right, 1);
    for (int64_t begin = 0; begin < left; begin += step) {
        context_.checkCancelled();
        const int64_t end = std::min(left, begin + step);
        SideRows others, own;
        others.rows.reserve(static_cast<size_t>((end - begin) * right));
        own.rows.reserve(static_cast<size_t>((end - begin) * right));
        for (int64_t l = begin; l < end; ++l) {
            for (int64_t r = 0; r < right; ++r) {
                others.rows.push_back(static_cast<int32_t>(l));
                own.rows.push_back(static_cast<int32_t>(r));
            }
        }
        count_ = std::ssize(others.rows);
        for (size_t s = 0; s < rows_.size(); ++s) {
            if (isJoined_[s]) rows_[s] = s == side ? own : composed(before[s], others);
        }
        for (const Condition condition : conditions) keep(rowsThatSatisfy(*condition));
        total += count_;
        if (total > INT32_MAX) {
            throw UserError(
                fmt::format("The join with {} would have more than {} rows.", graph_.side(side).qualifier, INT32_MAX),
                "Add conditions between the tables, or aggregate one of them first.");
        }
        for (size_t s = 0; s < rows_.size(); ++s) {
            if (!isJoined_[s]) continue;
            SideRows& kept = result[s];
            if (rows_[s].all) {
                for (int64_t row = 0; row < count_; ++row) kept.rows.push_back(static_cast<int32_t>(row));
            } else {
                kept.rows.insert(kept.rows.end(), rows_[s].rows.begin(), rows_[s].rows.end());
            }
        }
    }
    rows_ = std::move(result);
    count_ = total;
}

void GraphJoin::sort() {
    std::vector<OrderKey> keys;
    if (rows_[0].all) return;
    for (const SideRows& rows : rows_) {
        const Ref<Vector> numbers = Vector::make(Type::Int, count_);
        auto* out = numbers->mutableData<int32_t>();
        if (rows.all) {
            std::iota(out, out + count_, 0);
        } else {
            std::copy(rows.rows.begin(), rows.rows.end(), out);
        }
        keys.push_back({Value::of(numbers)});
    }
    choose(sortPositions(keys, count_));
}

Ref<JoinedRows> GraphJoin::finish(const std::vector<ShownColumn>& shown) {
    return GraphRows::make(sides_, std::move(rows_), count_, shown);
}

}  // namespace pelorus
