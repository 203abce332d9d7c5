#include "sql/operators/top_rows.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "common/check.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/kernel/sort/row_bound.h"
#include "sql/operators/driver.h"
#include "sql/operators/scan/scan.h"
#include "sql/operators/select_rows.h"
#include "sql/plan/row_item.h"
#include "sql/plan/row_source.h"

namespace pelorus {

namespace {

// Position of a row.
struct RowPlace {
    size_t morsel;
    int32_t block;
    int32_t row;  // of the block

    auto operator<=>(const RowPlace&) const = default;
};

// Sink that keeps the best rows of each morsel, by the keys alone.
class TopKeys final : public Sink {
public:
    // `readsCheaply`: a block of a column costs nothing to read, so that it may be read before the conditions are
    // evaluated.
    TopKeys(const std::vector<RowItem>& items, const std::vector<TopKey>& keys, int64_t count, bool readsCheaply)
        : items_(items), keys_(keys), count_(count), readsCheaply_(readsCheaply) {}

    void open(size_t morsels) override { leaves_.resize(morsels); }

    bool wants(size_t, const PartitionReader& reader, int block) override {
        const TopKey& first = keys_[0];
        const int column = items_[first.item].value.plainColumn();
        Value bound;
        if (column < 0 || first.nullsGiven || !boundOf(bound)) return true;
        ColumnConstraint within;
        within.column = column;
        (first.ascending ? within.high : within.low) = bound;
        if (decide(within, reader.bounds(block, column)) == Selects::None) return false;
        const OrderKey key{readsCheaply_ ? reader.read(block, column) : Value(), first.ascending};
        return !readsCheaply_ || !canBound(key) || !rowsWithin(key, bound).empty();
    }

    void push(size_t morsel, int block, BlockRows& rows, Context& context) override {
        Leaf& leaf = leaves_[morsel];
        std::vector<OrderKey> keys = orderKeys();
        keys[0].column = rows.evaluate(items_[keys_[0].item].value, context);
        // Rows after the bound are removed before the other keys are computed.
        Value bound;
        std::vector<int32_t> near;
        const bool isBound = canBound(keys[0]) && boundOf(bound);
        if (isBound) near = rowsWithin(keys[0], bound);
        if (isBound && near.empty()) return;
        const bool all = !isBound || static_cast<int64_t>(near.size()) == rows.rows();
        const auto pick = [&](const Value& whole) {
            return all ? whole : gatherElements(whole, near.data(), static_cast<int64_t>(near.size()));
        };
        keys[0].column = pick(keys[0].column);
        for (size_t k = 1; k < keys.size(); ++k)
            keys[k].column = pick(rows.evaluate(items_[keys_[k].item].value, context));
        const int64_t candidates = all ? rows.rows() : static_cast<int64_t>(near.size());
        for (const OrderKey& key : keys)
            CHECK(key.column.isScalar() || key.column.size() == candidates)
                << "each key has a value for each candidate";
        const std::vector<int32_t> first = firstPositions(keys, candidates, std::min(count_, candidates));
        for (const int32_t position : first) {
            const int32_t row = all ? position : near[static_cast<size_t>(position)];
            leaf.places.push_back({morsel, block, rows.blockRow(row)});
        }
        const auto found = static_cast<int64_t>(first.size());
        CHECK(found == std::min(count_, candidates)) << "a block gives as many first rows as are wanted, or all it has";
        for (size_t k = 0; k < keys.size(); ++k) {
            const Value best = gatherElements(keys[k].column, first.data(), found);
            if (leaf.keys.size() <= k) {
                leaf.keys.push_back(best);
            } else {
                appendElements(leaf.keys[k], best);
            }
        }
        const auto held = static_cast<int64_t>(leaf.places.size());
        if (held >= 2 * count_ || (held >= count_ && !leaf.isBound)) keepFirst(leaf);
    }

    void close(size_t morsel) override {
        if (static_cast<int64_t>(leaves_[morsel].places.size()) > count_) keepFirst(leaves_[morsel]);
    }

    // Returns the first of all rows, in order.
    std::vector<RowPlace> first() {
        Leaf all;
        for (Leaf& leaf : leaves_) {
            if (leaf.places.empty()) continue;
            all.places.insert(all.places.end(), leaf.places.begin(), leaf.places.end());
            for (size_t k = 0; k < leaf.keys.size(); ++k) {
                if (all.keys.size() <= k) {
                    all.keys.push_back(std::move(leaf.keys[k]));
                } else {
                    appendElements(all.keys[k], leaf.keys[k]);
                }
            }
            leaf = Leaf();
        }
        keepFirst(all);
        return std::move(all.places);
    }

private:
    // Equal keys are in the order of the rows: keeping the first of them, in order, preserves it.
    struct Leaf {
        std::vector<Value> keys;
        std::vector<RowPlace> places;
        bool isBound = false;
    };

    std::vector<OrderKey> orderKeys() const {
        std::vector<OrderKey> keys;
        for (const TopKey& key : keys_) keys.push_back({Value(), key.ascending, key.nullsGiven, key.nullsFirst});
        return keys;
    }

    void keepFirst(Leaf& leaf) {
        const auto held = static_cast<int64_t>(leaf.places.size());
        if (held == 0) return;
        std::vector<OrderKey> keys = orderKeys();
        for (size_t k = 0; k < keys.size(); ++k) keys[k].column = leaf.keys[k];
        const std::vector<int32_t> first = firstPositions(keys, held, std::min(held, count_));
        const auto kept = static_cast<int64_t>(first.size());
        CHECK(kept == std::min(held, count_)) << "a leaf keeps the first rows, or all";
        for (Value& key : leaf.keys) key = gatherElements(key, first.data(), kept);
        std::vector<RowPlace> places;
        for (const int32_t position : first) places.push_back(leaf.places[static_cast<size_t>(position)]);
        leaf.places = std::move(places);
        keys[0].column = leaf.keys[0];
        if (kept < count_ || !canBound(keys[0])) return;
        leaf.isBound = true;
        tighten(keys[0]);
    }

    // Tightens the bound to the last key of the wanted number of rows: rows after it are not wanted, whichever morsel
    // they are in.
    void tighten(const OrderKey& key) {
        CHECK(key.column.size() == count_) << "the bound is the last of exactly the wanted rows";
        const Value last = key.column.at(count_ - 1);
        const MutexLock lock(mutex_);
        if (isBound_) {
            Value both = Value::of(Vector::filled(key.column.type(), 2, last));
            both.vector().set(1, bound_);
            const OrderKey two{both, key.ascending, key.nullsGiven, key.nullsFirst};
            if (sortPositions(std::span(&two, 1), 2)[0] == 1) return;
        }
        bound_ = last;
        isBound_ = true;
    }

    bool boundOf(Value& bound) {
        const MutexLock lock(mutex_);
        bound = bound_;
        return isBound_;
    }

    const std::vector<RowItem>& items_;
    const std::vector<TopKey>& keys_;
    const int64_t count_;
    const bool readsCheaply_;
    std::vector<Leaf> leaves_;  // each written by the thread of its morsel
    Mutex mutex_;
    bool isBound_ GUARDED_BY(mutex_) = false;
    Value bound_ GUARDED_BY(mutex_);
};

// Computes the select list for the rows at these positions, which are scattered over blocks.
Ref<MemoryTable> fetchRows(const std::vector<Morsel>& morsels, const std::vector<RowPlace>& places,
                           const std::vector<RowItem>& items, Context& context) {
    std::vector<int32_t> byPlace(places.size());
    std::iota(byPlace.begin(), byPlace.end(), 0);
    std::sort(byPlace.begin(), byPlace.end(),
              [&](int32_t a, int32_t b) { return places[static_cast<size_t>(a)] < places[static_cast<size_t>(b)]; });
    // Begin of the rows of each block in that list.
    std::vector<size_t> begins;
    const auto at = [&](size_t i) -> const RowPlace& { return places[static_cast<size_t>(byPlace[i])]; };
    for (size_t i = 0; i < byPlace.size(); ++i) {
        if (i == 0 || at(i).morsel != at(i - 1).morsel || at(i).block != at(i - 1).block) begins.push_back(i);
    }
    begins.push_back(byPlace.size());
    std::vector<std::vector<Value>> blocks(begins.size() - 1);
    parallelFor(static_cast<int64_t>(blocks.size()), [&](int64_t number) {
        Context own = context;
        own.callDepth = 0;
        own.checkCancelled();
        const auto b = static_cast<size_t>(number);
        const PartitionReader& reader = *morsels[at(begins[b]).morsel].reader;
        const int block = at(begins[b]).block;
        std::vector<int32_t> rows;
        for (size_t i = begins[b]; i < begins[b + 1]; ++i) rows.push_back(at(i).row);
        const Filter::Selection selection = selectionOf(std::move(rows), reader.blockRows(block));
        BlockRows chosen(reader, block, selection);
        for (const RowItem& item : items) blocks[b].push_back(chosen.evaluate(item.value, own));
    });
    // Permutation from position order to key order.
    std::vector<int32_t> rank(byPlace.size());
    for (size_t i = 0; i < byPlace.size(); ++i) rank[static_cast<size_t>(byPlace[i])] = static_cast<int32_t>(i);
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < items.size(); ++i) {
        Value column = Value::of(columnFor(items[i], static_cast<int64_t>(places.size())));
        for (std::vector<Value>& block : blocks) appendElements(column, block[i]);
        CHECK(column.size() == places.size()) << "each place gives one value";
        result->setColumn(items[i].name, gatherElements(column, rank.data(), static_cast<int64_t>(rank.size())));
    }
    return result;
}

}  // namespace

Ref<MemoryTable> topRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items,
                         const std::vector<TopKey>& keys, int64_t count, Context& context) {
    CHECK(!keys.empty() && count > 0) << "the first rows are some rows in an order";
    const std::vector<Morsel> morsels = morselsOf(source, filter.constraints());
    std::vector<const ExpressionProgram*> expressions;
    for (const TopKey& key : keys) {
        CHECK(key.item < items.size()) << "an order refers to an item of the select list";
        expressions.push_back(&items[key.item].value);
    }
    TopKeys sink(items, keys, count, source.memory() && !filter.empty());
    drive(morsels, filter, readColumns(filter, expressions, context), sink, context);
    return fetchRows(morsels, sink.first(), items, context);
}

}  // namespace pelorus
