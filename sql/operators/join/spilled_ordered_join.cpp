#include "sql/operators/join/spilled_ordered_join.h"

#include <algorithm>
#include <map>

#include "common/check.h"
#include "runtime/kernel/sort/row_order.h"
#include "sql/execution/driver.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/join_keys.h"
#include "sql/operators/scan/materialise.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/plan/row_source.h"
#include "sql/spill/sorted_runs.h"

namespace pelorus {

namespace {

// Lower bounds of the key ranges, except the first one.
class KeyBounds {
public:
    explicit KeyBounds(std::vector<int64_t> sample) {
        std::sort(sample.begin(), sample.end());
        for (size_t p = 1; p < SpilledParts::kCount && !sample.empty(); ++p)
            begins_.push_back(sample[p * sample.size() / SpilledParts::kCount]);
    }
    // NULL is in the first one.
    size_t of(int64_t key) const {
        return static_cast<size_t>(std::upper_bound(begins_.begin(), begins_.end(), key) - begins_.begin());
    }

private:
    std::vector<int64_t> begins_;
};

// The ordered keys of one side, as numbers.
using KeyNumbers = std::function<Ref<Vector>(const Value& column)>;

// Takes keys from all over a side, in proportion to its rows.
class KeySample final : public Sink {
public:
    KeySample(int column, const KeyNumbers& numbersOf) : column_(column), numbersOf_(numbersOf) {}

    void open(size_t morsels) override { parts_.resize(morsels); }
    bool push(Batch& batch, Context&) override {
        constexpr int64_t kEvery = 1009;
        std::vector<int32_t> positions;
        for (int64_t i = 0; i < batch.rows(); i += kEvery) positions.push_back(static_cast<int32_t>(i));
        const Ref<Vector> numbers =
            numbersOf_(gatherElements(batch.column(column_), positions.data(), std::ssize(positions)));
        const auto* begin = numbers->data<int64_t>();
        std::vector<int64_t>& part = parts_[batch.morsel()];
        part.insert(part.end(), begin, begin + numbers->size());
        return true;
    }
    void addTo(std::vector<int64_t>& sample) const {
        for (const auto& part : parts_) sample.insert(sample.end(), part.begin(), part.end());
    }

private:
    const int column_;
    const KeyNumbers& numbersOf_;
    std::vector<std::vector<int64_t>> parts_;  // each of the thread of its morsel
};

// Samples keys from all over a side, in proportion to its rows.
void addSample(const RowSource& source, const ExpressionProgram& key, const KeyNumbers& numbersOf, Context& context,
               std::vector<int64_t>& sample) {
    const int column = key.columns()[0];
    KeySample keys(column, numbersOf);
    run({TableScan(morselsOf(source, {}), {column}), {}, keys}, context);
    keys.addTo(sample);
}

RowCut cutByRange(const ExpressionProgram& key, const KeyNumbers& numbersOf, const KeyBounds& bounds) {
    return [&](Batch& rows, Context& context, uint8_t* parts) {
        const Ref<Vector> numbers = numbersOf(rows.evaluate(key, context));
        const auto* items = numbers->data<int64_t>();
        for (int64_t i = 0; i < numbers->size(); ++i) parts[i] = static_cast<uint8_t>(bounds.of(items[i]));
    };
}

Ref<MemoryTable> rowAt(const MemoryTable& rows, int64_t i) {
    const auto position = static_cast<int32_t>(i);
    return rows.gather(&position, 1);  // a slice would keep all rows in memory
}

// The right side, of which some ranges at a time are in memory.
class RightSide {
public:
    RightSide(const SpilledParts& parts, const OrderedKey& key, KeyNumbers numbersOf)
        : parts_(parts), key_(key), numbersOf_(std::move(numbersOf)) {}

    // Returns the rows of ranges `first` to `last` in order, between the nearest ones of those before and after. Later
    // calls do not ask for earlier ranges.
    Ref<MemoryTable> rows(size_t first, size_t last) {
        CHECK(first >= passed_ && first <= last) << "ranges are read in ascending order";
        for (; passed_ < first; ++passed_) pass(*rowsOfRange(passed_));
        Ref<MemoryTable> result = before_ ? before_->copy() : rowsOfRange(first)->gather(nullptr, 0);
        for (size_t p = first; p <= last; ++p) result->append(*rowsOfRange(p));
        for (size_t p = last + 1; p < SpilledParts::kCount; ++p) {
            if (rowsOfRange(p)->rowCount() == 0) continue;
            result->append(*rowsOfRange(p)->slice(0, 1));
            break;
        }
        return result;
    }

private:
    const Ref<MemoryTable>& rowsOfRange(size_t p) {
        Ref<MemoryTable>& rows = held_[p];
        if (!rows) {
            rows = parts_.rows(p);
            const std::vector<OrderKey> order{{Value::of(numbersOf_(*rows->column(key_.right)))}};
            const std::vector<int32_t> positions = sortPositions(order, rows->rowCount());
            rows = rows->gather(positions.data(), rows->rowCount());
        }
        return rows;
    }
    void pass(const MemoryTable& rows) {
        if (const int64_t count = rows.rowCount(); count > 0) {
            if (key_.pass && before_) key_.pass(*before_);
            if (key_.pass) key_.pass(*rows.slice(0, count - 1));
            before_ = rowAt(rows, count - 1);
        }
        held_.erase(passed_);
    }

    const SpilledParts& parts_;
    const OrderedKey& key_;
    KeyNumbers numbersOf_;
    std::map<size_t, Ref<MemoryTable>> held_;
    size_t passed_ = 0;        // ranges that nobody reads any more
    Ref<MemoryTable> before_;  // their last row
};

// Returns the last range that a row reads.
size_t lastRange(const ReadRange& range, const KeyBounds& bounds, size_t first) {
    int64_t high = null<int64_t>;
    const int64_t *lows = range.low->data<int64_t>(), *highs = range.high->data<int64_t>();
    for (int64_t i = 0; i < range.low->size(); ++i) {
        if (!isNull(lows[i])) high = std::max(high, highs[i]);
    }
    return std::max(first, bounds.of(high));
}

// Left rows whose reading begins at the row before: the last one with a key goes in front of the next range.
class PreviousRow {
public:
    // Returns false when the range does not follow its predecessor in the order of the table.
    bool precedes(const MemoryTable& rows, const Vector& keys) const {
        const Vector& numbers = rows.column(kSpilledRow)->vector();
        return isAscending(keys) && isAscending(numbers) && (numbers.size() == 0 || numbers.asLong(0) > number_);
    }
    bool isThere() const { return static_cast<bool>(row_); }
    size_t range() const { return range_; }
    Ref<MemoryTable> inFrontOf(const MemoryTable& rows) const {
        if (!row_) return rows.copy();
        Ref<MemoryTable> both = row_->copy();
        both->append(rows);
        return both;
    }
    void follow(const MemoryTable& rows, const Vector& keys, size_t range) {
        if (rows.rowCount() == 0) return;
        number_ = rows.column(kSpilledRow)->vector().asLong(rows.rowCount() - 1);
        if (keys.isNullAt(rows.rowCount() - 1)) return;  // all are: NULL is the smallest
        row_ = rowAt(rows, rows.rowCount() - 1);
        range_ = range;
    }

private:
    Ref<MemoryTable> row_;
    int64_t number_ = -1;
    size_t range_ = 0;
};

Ref<MemoryTable> withNumbersLast(Ref<MemoryTable> rows) {
    rows = rows->copy();
    const Ref<Vector> numbers = takeNumbers(*rows, kSpilledRow);
    rows->setColumn(kSpilledRow, Value::of(numbers));
    return rows;
}

Value noItems(const Table& table, const std::string& name) {
    const ColumnSchema& column = table.columns()[static_cast<size_t>(table.findColumn(name))];
    return filledColumn(column.type, column.scale, 0);
}

}  // namespace

Ref<MemoryTable> joinInRanges(const Value& left, const Value& right, const OrderedKey& key, const PartJoin& join,
                              Context& context) {
    const std::optional<SpilledSides> sides = sidesToSpill(left, right, JoinOrder::Left, context);
    if (!sides || left.table().findColumn(key.left) < 0 || right.table().findColumn(key.right) < 0) return nullptr;
    const Value noLeft = noItems(left.table(), key.left), noRight = noItems(right.table(), key.right);
    if (!key.range(noLeft, noRight).low) return nullptr;
    const KeyNumbers leftNumbers = [&](const Value& column) { return key.range(column, noRight).low; };
    const KeyNumbers rightNumbers = [&](const Value& column) { return key.range(noLeft, column).right; };
    const ExpressionProgram leftKey =
        bindProgram(makeRef<Name>(key.left, SourcePosition{}), sides->left.columns(), context);
    const ExpressionProgram rightKey =
        bindProgram(makeRef<Name>(key.right, SourcePosition{}), sides->right.columns(), context);
    std::vector<int64_t> sample;
    addSample(sides->left, leftKey, leftNumbers, context, sample);
    addSample(sides->right, rightKey, rightNumbers, context, sample);
    const KeyBounds bounds(std::move(sample));
    const SpilledParts leftParts = spilledSide(sides->left, cutByRange(leftKey, leftNumbers, bounds), true, context);
    const SpilledParts rightParts =
        spilledSide(sides->right, cutByRange(rightKey, rightNumbers, bounds), false, context);
    RightSide rightSide(rightParts, key, rightNumbers);
    PreviousRow previous;
    SortedRuns runs(*spillFolderOf(context), {OrderKey{}});
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        context.checkCancelled();
        Ref<MemoryTable> rows = leftParts.rows(p);
        // Only the columns of an empty part matter, and only when all parts are empty.
        if (rows->rowCount() == 0 && (p + 1 < SpilledParts::kCount || !runs.isEmpty())) continue;
        const ReadRange range = key.range(*rows->column(key.left), noRight);
        CHECK(range.low->size() == rows->rowCount()) << "each left row reads a range";
        const size_t last = lastRange(range, bounds, p);
        size_t first = p;
        int64_t added = 0;
        if (key.sincePrevious) {
            if (!previous.precedes(*rows, *range.low)) return nullptr;
            first = previous.range();
            added = previous.isThere() ? 1 : 0;
            const Ref<MemoryTable> both = previous.inFrontOf(*rows);
            previous.follow(*rows, *range.low, p);
            rows = both;
        }
        Ref<MemoryTable> joined = materialise(Value::of(join(rows, rightSide.rows(first, last))), context);
        CHECK(joined->rowCount() >= added) << "the row in front of a range is joined with it";
        joined = withNumbersLast(joined->slice(added, joined->rowCount() - added));
        if (!runs.canHold(*joined)) return nullptr;  // lists in the cells
        runs.add(*joined);
    }
    return runs.merged();
}

}  // namespace pelorus
