// Ranges of keys that hold about as many rows each, by which rows are partitioned where their groups are wanted in the
// order of the keys: the groups of one range precede those of the next, so that each range is sorted by itself, in a
// cache.
//
// Immutable once made; threads share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

class KeyRanges {
public:
    static constexpr size_t kMax = 64;

    // Makes ranges from the keys of a sample of rows. Nothing where those yield too few ranges, or where a key has
    // values that no number orders.
    static std::optional<KeyRanges> ofSample(std::span<const Value> keys, int64_t rows);

    // Finds the range of each row, below kMax; the order of ranges follows that of the keys. Keys are vectors of
    // `rows` values of the types of the sample, or scalars for all.
    void find(std::span<const Value> keys, int64_t rows, uint8_t* ranges) const;

private:
    // Lower bounds of the ranges after the first: the words of one key.
    struct Key {
        std::vector<uint64_t> begins;
        // For SYMBOL: the order of the strings that existed when the ranges were made, and the codes of `begins`.
        std::shared_ptr<const std::vector<int32_t>> ranks;
        std::vector<int32_t> codes;
    };
    static bool canOrder(const Value& key);
    static void write(const Key& key, const Value& items, int64_t begin, int64_t count, uint64_t* words);
    static uint64_t wordOfNewSymbol(const Key& key, int32_t code);

    std::vector<Key> keys_;
};

}  // namespace pelorus
