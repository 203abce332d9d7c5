#include "runtime/kernel/radix_order.h"

#include <algorithm>
#include <memory>

#include "common/cancellation.h"

namespace pelorus {

namespace {

constexpr int kDigitBits = 8;
constexpr size_t kDigits = size_t{1} << kDigitBits;
constexpr size_t kFew = 64;

// A word beside its row: passes read and write in sequence and never jump into `words`.
struct Row {
    uint64_t word;
    int32_t position;
};

}  // namespace

void radixOrder(std::span<const uint64_t> words, std::vector<int32_t>& order) {
    const size_t n = order.size();
    if (n <= kFew) {
        std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
            return words[static_cast<size_t>(a)] < words[static_cast<size_t>(b)];
        });
        return;
    }
    uint64_t least = UINT64_MAX, largest = 0;
    for (const int32_t position : order) {
        const uint64_t word = words[static_cast<size_t>(position)];
        least = std::min(least, word);
        largest = std::max(largest, word);
    }
    // Counted from the least, words that lie close together differ in few bytes only.
    const auto rows = std::make_unique_for_overwrite<Row[]>(n);
    const auto others = std::make_unique_for_overwrite<Row[]>(n);
    uint64_t any = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t word = words[static_cast<size_t>(order[i])] - least;
        rows[i] = {word, order[i]};
        any |= word;
    }
    Row *from = rows.get(), *to = others.get();
    for (int shift = 0; shift < 64 && (largest - least) >> shift != 0; shift += kDigitBits) {
        if ((any >> shift & (kDigits - 1)) == 0) continue;
        size_t begins[kDigits + 1] = {};
        inPieces(static_cast<int64_t>(n), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) ++begins[(from[i].word >> shift & (kDigits - 1)) + 1];
        });
        for (size_t d = 0; d < kDigits; ++d) begins[d + 1] += begins[d];
        inPieces(static_cast<int64_t>(n), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) to[begins[from[i].word >> shift & (kDigits - 1)]++] = from[i];
        });
        std::swap(from, to);
    }
    for (size_t i = 0; i < n; ++i) order[i] = from[i].position;
}

}  // namespace pelorus
