#include "sql/operators/top_n_sink.h"

#include <algorithm>
#include <span>

#include "common/check.h"
#include "runtime/kernel/sort/row_bound.h"
#include "sql/expression/constraint.h"

namespace pelorus {

TopNSink::TopNSink(const std::vector<RowItem>& items, const std::vector<TopKey>& keys, int64_t count, bool readsCheaply)
    : items_(items), keys_(keys), count_(count), readsCheaply_(readsCheaply) {
    CHECK(!keys.empty() && count > 0) << "the first rows are some rows in an order";
    for (const TopKey& key : keys) CHECK(key.item < items.size()) << "an order refers to an item of the select list";
}

bool TopNSink::wants(const Batch& batch) {
    const TopKey& first = keys_[0];
    const int column = items_[first.item].value.plainColumn();
    Value bound;
    if (column < 0 || first.nullsGiven || !boundOf(bound)) return true;
    ColumnConstraint within;
    within.column = column;
    (first.ascending ? within.high : within.low) = bound;
    if (decide(within, batch.bounds(column)) == Selects::None) return false;
    if (!readsCheaply_) return true;
    const OrderKey key{batch.reader().read(batch.block(), column), first.ascending};
    return !canBound(key) || !rowsWithin(key, bound).empty();
}

bool TopNSink::push(Batch& batch, Context& worker) {
    std::vector<OrderKey> keys = orderKeys();
    keys[0].column = batch.evaluate(items_[keys_[0].item].value, worker);
    // Rows after the bound are removed before the other keys are computed.
    Value bound;
    std::vector<int32_t> near;
    const bool isBound = canBound(keys[0]) && boundOf(bound);
    if (isBound) near = rowsWithin(keys[0], bound);
    if (isBound && near.empty()) return true;
    const bool all = !isBound || std::ssize(near) == batch.rows();
    const auto pick = [&](const Value& whole) {
        return all ? whole : gatherElements(whole, near.data(), std::ssize(near));
    };
    keys[0].column = pick(keys[0].column);
    for (size_t k = 1; k < keys.size(); ++k) keys[k].column = pick(batch.evaluate(items_[keys_[k].item].value, worker));
    const int64_t candidates = all ? batch.rows() : std::ssize(near);
    for (const OrderKey& key : keys)
        CHECK(key.column.isScalar() || key.column.size() == candidates) << "each key has a value for each candidate";
    const std::vector<int32_t> first = firstPositions(keys, candidates, std::min(count_, candidates));
    CHECK(std::ssize(first) == std::min(count_, candidates))
        << "a block gives as many first rows as are wanted, or all it has";
    Leaf& leaf = leaves_[batch.morsel()];
    for (const int32_t position : first) {
        const int32_t row = all ? position : near[static_cast<size_t>(position)];
        leaf.places.push_back({batch.morsel(), batch.block(), batch.blockRow(row)});
    }
    for (size_t k = 0; k < keys.size(); ++k) {
        Value best = gatherElements(keys[k].column, first.data(), std::ssize(first));
        if (leaf.keys.size() <= k) {
            leaf.keys.push_back(std::move(best));
        } else {
            appendElements(leaf.keys[k], best);
        }
    }
    const int64_t held = std::ssize(leaf.places);
    if (held >= 2 * count_ || (held >= count_ && !leaf.isBound)) keepFirst(leaf);
    return true;
}

void TopNSink::close(size_t morsel) {
    if (std::ssize(leaves_[morsel].places) > count_) keepFirst(leaves_[morsel]);
}

std::vector<RowPlace> TopNSink::places() {
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

std::vector<OrderKey> TopNSink::orderKeys() const {
    std::vector<OrderKey> keys;
    for (const TopKey& key : keys_) keys.push_back({Value(), key.ascending, key.nullsGiven, key.nullsFirst});
    return keys;
}

// Drops all but the first `count` rows of a leaf.
void TopNSink::keepFirst(Leaf& leaf) {
    const int64_t held = std::ssize(leaf.places);
    if (held == 0) return;
    std::vector<OrderKey> keys = orderKeys();
    for (size_t k = 0; k < keys.size(); ++k) keys[k].column = leaf.keys[k];
    const std::vector<int32_t> first = firstPositions(keys, held, std::min(held, count_));
    const int64_t kept = std::ssize(first);
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

// Tightens the bound to the last key of the wanted number of rows: rows after it are not wanted, whichever morsel they
// are in.
void TopNSink::tighten(const OrderKey& key) {
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

bool TopNSink::boundOf(Value& bound) {
    const MutexLock lock(mutex_);
    bound = bound_;
    return isBound_;
}

}  // namespace pelorus
