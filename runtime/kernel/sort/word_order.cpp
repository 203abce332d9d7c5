#include "runtime/kernel/sort/word_order.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"

namespace pelorus {

namespace {

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;
constexpr size_t kFew = 64;
// The number of rows below which a comparison sort is faster than the counts of all digits.
constexpr size_t kFewForDigits = 1 << 11;
// Merging rows of r runs takes log2(r) passes; more than these take longer than the passes of a radix sort.
constexpr size_t kMaxRuns = 16;
// A task's share of a pass.
constexpr size_t kTaskRows = 1 << 16;

// The sorted words are stored next to their row: passes read and write in sequence and never jump into `words`. Both
// are in one word when they fit, which halves the bytes that a pass moves.
struct Packed {
    uint64_t word;  // the row's place is in its lowest bits: no two words are equal, so rows keep their order
};
struct Wide {
    uint64_t word;
    uint32_t place;
};

template <class Row>
bool before(const Row& a, const Row& b) {
    return a.word < b.word;
}

// Returns the positions at which the ascending runs begin, or nothing when there are more than kMaxRuns.
template <class Row>
std::vector<size_t> runsOf(const Row* rows, size_t n) {
    std::vector<size_t> begins = {0};
    for (size_t i = 1; i < n; ++i) {
        if (!before(rows[i], rows[i - 1])) continue;
        if (begins.size() == kMaxRuns) return {};
        begins.push_back(i);
    }
    return begins;
}

// Sorts n rows by the bits of their words from `low` to `high`, the others being equal or in order; `others` is scratch
// memory for n rows.
template <class Row>
void radixSort(Row* rows, Row* others, size_t n, int low, int high) {
    if (n < kFewForDigits) {
        std::stable_sort(rows, rows + n, before<Row>);
        return;
    }
    const int digits = (high - low + kDigitBits - 1) / kDigitBits;
    const auto digitOf = [low](const Row& row, int d) { return row.word >> (low + d * kDigitBits) & (kDigits - 1); };
    std::vector<uint32_t> counts(static_cast<size_t>(digits) * kDigits);
    inPieces(static_cast<int64_t>(n), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            for (int d = 0; d < digits; ++d) ++counts[static_cast<size_t>(d) * kDigits + digitOf(rows[i], d)];
        }
    });
    Row *from = rows, *to = others;
    for (int d = 0; d < digits; ++d) {
        uint32_t* places = counts.data() + static_cast<size_t>(d) * kDigits;
        if (places[digitOf(from[0], d)] == n) continue;
        uint32_t place = 0;
        for (size_t k = 0; k < kDigits; ++k) place += std::exchange(places[k], place);
        inPieces(static_cast<int64_t>(n), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) to[places[digitOf(from[i], d)]++] = from[i];
        });
        std::swap(from, to);
    }
    if (from != rows) std::copy(from, from + n, rows);
}

// Returns how many of the first `taken` rows of the merged runs a and b come from a. O(log n).
template <class Row>
size_t shareOfFirst(std::span<const Row> a, std::span<const Row> b, size_t taken) {
    size_t low = taken > b.size() ? taken - b.size() : 0;
    size_t high = std::min(taken, a.size());
    while (low < high) {
        const size_t middle = (low + high) / 2;
        // Equal words of a come first.
        if (before(b[taken - middle - 1], a[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

template <class Row>
void merge(std::span<const Row> a, std::span<const Row> b, Row* to) {
    const Row *x = a.data(), *y = b.data();
    const Row *const xEnd = x + a.size(), *const yEnd = y + b.size();
    // The loop has no branch that depends on the words, which would be mispredicted on random input.
    while (x < xEnd && y < yEnd) {
        const bool second = before(*y, *x);
        *to++ = second ? *y : *x;
        x += !second;
        y += second;
    }
    to = std::copy(x, xEnd, to);
    std::copy(y, yEnd, to);
}

// Merges neighbours until one run is left; returns its place, `rows` or `others`.
template <class Row>
Row* mergeRuns(Row* rows, Row* others, size_t n, std::vector<size_t> begins) {
    while (begins.size() > 1) {
        begins.push_back(n);
        struct Task {
            std::span<const Row> a, b;
            Row* to;
        };
        std::vector<Task> tasks;
        std::vector<size_t> merged;
        for (size_t r = 0; r + 1 < begins.size(); r += 2) {
            const size_t begin = begins[r], middle = begins[r + 1];
            const size_t end = r + 2 < begins.size() ? begins[r + 2] : middle;
            merged.push_back(begin);
            const std::span<const Row> a(rows + begin, middle - begin), b(rows + middle, end - middle);
            for (size_t taken = 0, share = 0; taken < end - begin;) {
                const size_t next = std::min(taken + kTaskRows, end - begin);
                const size_t nextShare = shareOfFirst(a, b, next);
                tasks.push_back({a.subspan(share, nextShare - share),
                                 b.subspan(taken - share, (next - nextShare) - (taken - share)),
                                 others + begin + taken});
                taken = next;
                share = nextShare;
            }
        }
        parallelFor(static_cast<int64_t>(tasks.size()), [&](int64_t t) {
            const Task& task = tasks[static_cast<size_t>(t)];
            merge(task.a, task.b, task.to);
        });
        std::swap(rows, others);
        begins = std::move(merged);
    }
    return rows;
}

// Sorts rows that differ in the bits of their words from `low` to `high`. makeRow makes the row of a place of `order`,
// placeOf returns its place.
template <class Row, class MakeRow, class PlaceOf>
void sortRows(std::vector<int32_t>& order, int low, int high, const MakeRow& makeRow, const PlaceOf& placeOf) {
    const size_t n = order.size();
    const auto rows = std::make_unique_for_overwrite<Row[]>(n);
    const auto others = std::make_unique_for_overwrite<Row[]>(n);
    inPieces(static_cast<int64_t>(n), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) rows[i] = makeRow(i);
    });
    std::vector<size_t> begins = runsOf(rows.get(), n);
    if (begins.empty()) {
        const size_t slices = std::min(static_cast<size_t>(workerCount()), (n + kTaskRows - 1) / kTaskRows);
        for (size_t slice = 0; slice < slices; ++slice) begins.push_back(n * slice / slices);
        parallelFor(static_cast<int64_t>(slices), [&](int64_t slice) {
            const size_t begin = begins[static_cast<size_t>(slice)];
            const size_t end = n * static_cast<size_t>(slice + 1) / slices;
            radixSort(rows.get() + begin, others.get() + begin, end - begin, low, high);
        });
    }
    CHECK(!begins.empty()) << "sorted rows are at least one run";
    const Row* sorted = mergeRuns(rows.get(), others.get(), n, std::move(begins));
    std::vector<int32_t> result(n);
    for (size_t i = 0; i < n; ++i) result[i] = order[placeOf(sorted[i])];
    order = std::move(result);
}

}  // namespace

void orderByWords(std::span<const uint64_t> words, std::vector<int32_t>& order) {
    const size_t n = order.size();
    CHECK(words.size() >= n) << "each row to sort has a word";
    const auto wordOf = [&](int32_t position) { return words[static_cast<size_t>(position)]; };
    if (n <= kFew) {
        std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return wordOf(a) < wordOf(b); });
        return;
    }
    uint64_t least = UINT64_MAX, largest = 0, differing = 0;
    const uint64_t first = wordOf(order[0]);
    bool inOrder = true;
    inPieces(static_cast<int64_t>(n), [&](int64_t begin, int64_t end) {
        uint64_t previous = wordOf(order[static_cast<size_t>(std::max<int64_t>(begin - 1, 0))]);
        bool descends = false;
        for (int64_t i = begin; i < end; ++i) {
            const uint64_t word = wordOf(order[static_cast<size_t>(i)]);
            least = std::min(least, word);
            largest = std::max(largest, word);
            differing |= word ^ first;
            descends |= word < previous;
            previous = word;
        }
        if (descends) inOrder = false;
    });
    if (inOrder) return;
    // Words relative to the smallest differ in few bits only when they are close together; low bits that all have in
    // common are shifted out.
    const int alike = std::countr_zero(differing);
    const int wordBits = std::bit_width((largest - least) >> alike), placeBits = std::bit_width(n - 1);
    const auto shortWord = [&](size_t i) { return (wordOf(order[i]) - least) >> alike; };
    if (wordBits + placeBits <= 64) {
        sortRows<Packed>(
            order, placeBits, placeBits + wordBits, [&](size_t i) { return Packed{shortWord(i) << placeBits | i}; },
            [mask = (uint64_t{1} << placeBits) - 1](const Packed& row) { return row.word & mask; });
    } else {
        sortRows<Wide>(
            order, 0, wordBits,
            [&](size_t i) {
                return Wide{shortWord(i), static_cast<uint32_t>(i)};
            },
            [](const Wide& row) { return row.place; });
    }
}

}  // namespace pelorus
