#include "sql/keys/key_ranges.h"

#include <algorithm>
#include <numeric>

#include "common/check.h"
#include "common/widest.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/vector.h"

namespace pelorus {

// With fewer ranges hash partitioning is as good.
constexpr size_t kFewestRanges = 16;

bool KeyRanges::canOrder(const Value& key) {
    if (key.isScalar()) return true;  // the same in all rows
    return key.isTypedVector() && (key.type() == Type::Symbol || orderingWords(key.vector(), 0, 0, nullptr));
}

// A string that was unknown when the ranges were made sorts after the last of `codes` that is less.
uint64_t KeyRanges::wordOfNewSymbol(const Key& key, int32_t code) {
    const std::string_view string = symbols::string(code);
    uint64_t word = 0;
    for (size_t i = 0; i < key.codes.size() && symbols::string(key.codes[i]) < string; ++i)
        word = std::max(word, key.begins[i] + 1);
    return word;
}

void KeyRanges::write(const Key& key, const Value& items, int64_t begin, int64_t count, uint64_t* words) {
    if (items.isScalar()) {
        std::fill_n(words, count, 0);
    } else if (key.ranks) {
        const int32_t* codes = items.vector().data<int32_t>() + begin;
        const auto known = static_cast<int32_t>(key.ranks->size());
        const int32_t* ranks = key.ranks->data();
        // Twice the rank: new strings get the odd numbers between.
        for (int64_t i = 0; i < count; ++i) {
            words[i] = codes[i] < known ? 2 * static_cast<uint64_t>(ranks[codes[i]]) : wordOfNewSymbol(key, codes[i]);
        }
    } else {
        orderingWords(items.vector(), begin, count, words);
    }
}

std::optional<KeyRanges> KeyRanges::ofSample(std::span<const Value> keys, int64_t rows) {
    KeyRanges result;
    const auto count = static_cast<size_t>(rows);
    std::vector<std::vector<uint64_t>> words;
    for (const Value& key : keys) {
        if (!canOrder(key)) return std::nullopt;
        Key own;
        if (!key.isScalar() && key.type() == Type::Symbol) own.ranks = symbols::ranks();
        write(own, key, 0, rows, words.emplace_back(count).data());
        result.keys_.push_back(std::move(own));
    }
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto isLess = [&](size_t a, size_t b) {
        for (const auto& of : words) {
            if (of[a] != of[b]) return of[a] < of[b];
        }
        return false;
    };
    std::sort(order.begin(), order.end(), isLess);
    size_t last = order.empty() ? 0 : order[0];
    for (size_t i = 1; i < kMax && !order.empty(); ++i) {
        const size_t row = order[i * count / kMax];
        if (!isLess(last, row)) continue;
        last = row;
        for (size_t k = 0; k < keys.size(); ++k) {
            result.keys_[k].begins.push_back(words[k][row]);
            if (result.keys_[k].ranks)
                result.keys_[k].codes.push_back(keys[k].vector().data<int32_t>()[static_cast<int64_t>(row)]);
        }
    }
    if (result.keys_.empty() || result.keys_[0].begins.size() + 1 < kFewestRanges) return std::nullopt;
    return result;
}

// Counts the ascending numbers that are less than each word: the same steps for all words, in SIMD lanes.
static void countLess(const std::vector<uint64_t>& numbers, const uint64_t* words, int64_t count, uint64_t* places) {
    // Filled up to a power of two with what is less than nothing, they are halved without a remainder.
    uint64_t all[KeyRanges::kMax];
    std::fill(std::copy(numbers.begin(), numbers.end(), all), std::end(all), ~uint64_t{0});
    const uint64_t* const from = all;
    onWidest([=]() __attribute__((always_inline)) {
        for (int64_t i = 0; i < count; ++i) places[i] = 0;
        for (uint64_t step = KeyRanges::kMax / 2; step > 0; step /= 2) {
            for (int64_t i = 0; i < count; ++i) places[i] += from[places[i] + step - 1] < words[i] ? step : 0;
        }
    });
}

void KeyRanges::find(std::span<const Value> keys, int64_t rows, uint8_t* ranges) const {
    constexpr int64_t kBlock = 1024;
    CHECK(keys.size() == keys_.size()) << "rows are placed by the keys that made the ranges";
    uint64_t words[kBlock], low[kBlock];
    for (int64_t at = 0; at < rows; at += kBlock) {
        const int64_t count = std::min(kBlock, rows - at);
        uint8_t* const high = ranges + at;
        // For each row the first `low` begins are less, and those from `high` on are greater; between both the
        // following keys decide.
        std::fill_n(high, count, static_cast<uint8_t>(keys_[0].begins.size()));
        bool isOpen = true;
        for (size_t k = 0; k < keys_.size() && isOpen; ++k) {
            const uint64_t* const begins = keys_[k].begins.data();
            write(keys_[k], keys[k], at, count, words);
            if (k == 0) countLess(keys_[0].begins, words, count, low);
            isOpen = false;
            for (int64_t i = 0; i < count; ++i) {
                uint64_t left = low[i];
                while (k > 0 && left < high[i] && begins[left] < words[i]) ++left;
                uint64_t right = left;
                while (right < high[i] && begins[right] == words[i]) ++right;
                low[i] = left;
                high[i] = static_cast<uint8_t>(right);
                isOpen |= left < right;
            }
        }
    }
}

}  // namespace pelorus
