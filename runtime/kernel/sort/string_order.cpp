#include "runtime/kernel/sort/string_order.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/sort/word_order.h"

namespace pelorus {

namespace {

constexpr int64_t kTaskRows = int64_t{1} << 16;
// Ties of fewer rows are sorted by comparisons: below that, counts of digits cost more.
constexpr size_t kMaxCompared = size_t{1} << 15;
// Bytes of a string that fit into a word next to its length.
constexpr size_t kShortBytes = 7;

// Calls f(task, begin, end) for pieces of [0, rows) on all threads.
template <class F>
void forEachTask(int64_t rows, F f) {
    parallelFor((rows + kTaskRows - 1) / kTaskRows, [&](int64_t task) {
        checkCancelled();
        f(task, task * kTaskRows, std::min(rows, (task + 1) * kTaskRows));
    });
}

// Returns the first 8 bytes as a number that orders like them; bytes that are not there count as 0.
uint64_t leadingWord(std::string_view string) {
    uint64_t word = 0;
    std::memcpy(&word, string.data(), std::min(string.size(), sizeof word));
    return __builtin_bswap64(word);
}

std::string_view behind(std::string_view string, size_t depth) {
    return string.substr(std::min(depth, string.size()));
}

size_t commonLength(std::string_view a, std::string_view b) {
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<size_t>(x - a.begin());
}

// The properties that all strings of a vector have in common.
struct Outline {
    size_t common = 0;   // bytes that all strings but empty ones begin with
    size_t longest = 0;  // bytes of the longest
    bool isAnyEmpty = false;
};

Outline outlineOf(const Vector& strings) {
    const int64_t rows = strings.size();
    std::string_view sample;
    for (int64_t i = 0; i < rows && sample.empty(); ++i) sample = strings.string(i);
    std::vector<Outline> parts(static_cast<size_t>((rows + kTaskRows - 1) / kTaskRows),
                               Outline{sample.size(), 0, false});
    forEachTask(rows, [&](int64_t task, int64_t begin, int64_t end) {
        Outline part{sample.size(), 0, false};
        for (int64_t i = begin; i < end; ++i) {
            const std::string_view string = strings.string(i);
            part.longest = std::max(part.longest, string.size());
            if (string.empty()) {
                part.isAnyEmpty = true;
            } else if (string.size() < part.common || std::memcmp(string.data(), sample.data(), part.common) != 0) {
                part.common = commonLength(sample.substr(0, part.common), string);
            }
        }
        parts[static_cast<size_t>(task)] = part;
    });
    Outline all{sample.size(), 0, false};
    for (const Outline& part : parts) {
        all.common = std::min(all.common, part.common);
        all.longest = std::max(all.longest, part.longest);
        all.isAnyEmpty |= part.isAnyEmpty;
    }
    return all;
}

// Rows in the order of their strings, and where another string begins.
struct Ordered {
    std::vector<int32_t> rows;
    std::vector<uint8_t> begins;  // for each place of `rows`, whether its string differs from the one before
};

// Brings rows into the order of their strings.
class StringSort {
public:
    explicit StringSort(const Vector& strings) : strings_(strings) {}

    Ordered sort(const Outline& outline) {
        const int64_t rows = strings_.size();
        ordered_.rows.resize(static_cast<size_t>(rows));
        ordered_.begins.assign(static_cast<size_t>(rows), 0);
        if (rows == 0) return std::move(ordered_);
        const size_t empty = placeEmptyFirst(outline);
        ordered_.begins[0] = 1;
        if (empty < static_cast<size_t>(rows)) ordered_.begins[empty] = 1;
        pending_ = {{empty, static_cast<size_t>(rows), outline.common}};
        while (!pending_.empty()) {
            const Tie tie = pending_.back();
            pending_.pop_back();
            split(tie);
        }
        return std::move(ordered_);
    }

private:
    // Places whose strings are alike up to `depth`.
    struct Tie {
        size_t begin, end, depth;
    };

    // Writes the rows of empty strings, then the others; returns how many are empty.
    size_t placeEmptyFirst(const Outline& outline) {
        std::vector<int32_t>& rows = ordered_.rows;
        std::iota(rows.begin(), rows.end(), 0);
        if (!outline.isAnyEmpty) return 0;
        const auto isEmpty = [&](int32_t row) { return strings_.string(row).empty(); };
        return static_cast<size_t>(std::stable_partition(rows.begin(), rows.end(), isEmpty) - rows.begin());
    }

    std::string_view at(size_t place, size_t depth) const {
        return behind(strings_.string(ordered_.rows[place]), depth);
    }

    // Sorts the rows of a large tie by their next 8 bytes, and what is still alike afterwards.
    void split(Tie tie) {
        if (tie.end - tie.begin <= kMaxCompared) return compare(tie);
        const size_t count = tie.end - tie.begin;
        std::vector<uint64_t> words(count);
        forEachTask(static_cast<int64_t>(count), [&](int64_t, int64_t begin, int64_t end) {
            for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
                words[i] = leadingWord(at(tie.begin + i, tie.depth));
        });
        std::vector<int32_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        orderByWords(words, order);
        std::vector<int32_t> rows(count);
        for (size_t i = 0; i < count; ++i) rows[i] = ordered_.rows[tie.begin + static_cast<size_t>(order[i])];
        std::ranges::copy(rows, ordered_.rows.begin() + static_cast<std::ptrdiff_t>(tie.begin));
        std::vector<Tie> small;
        for (size_t first = 0, i = 1; i <= count; ++i) {
            if (i < count && words[static_cast<size_t>(order[i])] == words[static_cast<size_t>(order[first])]) continue;
            ordered_.begins[tie.begin + first] = 1;
            if (i - first > 1) add({tie.begin + first, tie.begin + i, tie.depth}, small);
            first = i;
        }
        parallelFor(static_cast<int64_t>((small.size() + kTiesOfTask - 1) / kTiesOfTask), [&](int64_t task) {
            const size_t first = static_cast<size_t>(task) * kTiesOfTask;
            for (size_t k = first; k < std::min(small.size(), first + kTiesOfTask); ++k) compare(small[k]);
        });
    }

    // Puts a tie where it goes: nowhere when its strings are equal, to the small ones or to those that are split by
    // more bytes.
    void add(Tie tie, std::vector<Tie>& small) {
        if (tie.end - tie.begin <= kMaxCompared) {
            small.push_back(tie);
            return;
        }
        const std::string_view first = at(tie.begin, tie.depth);
        size_t common = first.size();
        bool isAlike = true;
        inPieces(static_cast<int64_t>(tie.end - tie.begin), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const std::string_view string = at(tie.begin + static_cast<size_t>(i), tie.depth);
                if (string == first) continue;
                isAlike = false;
                common = std::min(common, commonLength(first, string));
            }
        });
        if (isAlike) return;
        if (common >= sizeof(uint64_t) || common == first.size()) {
            // A string that ends here is told from one that goes on with zeros by their lengths only: it leaves the
            // tie.
            pending_.push_back(endedFirst({tie.begin, tie.end, tie.depth + common}));
        } else {
            small.push_back(tie);
        }
    }

    // Moves the rows whose strings end at the depth before the others, which it returns as a tie.
    Tie endedFirst(Tie tie) {
        const auto begin = ordered_.rows.begin() + static_cast<std::ptrdiff_t>(tie.begin);
        const auto end = ordered_.rows.begin() + static_cast<std::ptrdiff_t>(tie.end);
        const auto ends = [&](int32_t row) { return strings_.string(row).size() == tie.depth; };
        const auto others = static_cast<size_t>(std::stable_partition(begin, end, ends) - ordered_.rows.begin());
        if (others < tie.end) ordered_.begins[others] = 1;
        return {others, tie.end, tie.depth};
    }

    void compare(const Tie& tie) {
        const auto begin = ordered_.rows.begin() + static_cast<std::ptrdiff_t>(tie.begin);
        const auto end = ordered_.rows.begin() + static_cast<std::ptrdiff_t>(tie.end);
        std::sort(begin, end, [&](int32_t a, int32_t b) {
            checkCancelled();
            const int order = behind(strings_.string(a), tie.depth).compare(behind(strings_.string(b), tie.depth));
            return order != 0 ? order < 0 : a < b;
        });
        for (size_t i = tie.begin + 1; i < tie.end; ++i) {
            if (at(i, tie.depth) != at(i - 1, tie.depth)) ordered_.begins[i] = 1;
        }
    }

    static constexpr size_t kTiesOfTask = 256;

    const Vector& strings_;
    Ordered ordered_;
    std::vector<Tie> pending_;
};

// Words of strings that have at most kShortBytes behind what is common: these bytes, then their number plus one, which
// tells a string from one that goes on with zeros.
std::vector<uint64_t> shortWords(const Vector& strings, const Outline& outline) {
    std::vector<uint64_t> words(static_cast<size_t>(strings.size()));
    forEachTask(strings.size(), [&](int64_t, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const std::string_view string = strings.string(i);
            const std::string_view own = behind(string, outline.common);
            words[static_cast<size_t>(i)] = string.empty() ? 0 : leadingWord(own) | (own.size() + 1);
        }
    });
    return words;
}

// The distinct strings of a task: each with its number, in the order of first elements.
struct Distinct {
    std::unordered_map<std::string_view, uint32_t> numbers;
    std::vector<std::string_view> strings;
};

// Returns whether a sample of the strings has so few distinct ones that a table of all of them is small.
bool areFewDistinct(const Vector& strings) {
    constexpr int64_t kSample = 4096, kOfSample = 1024;
    if (strings.size() < 4 * kSample) return false;
    std::unordered_map<std::string_view, int> seen;
    for (int64_t k = 0; k < kSample; ++k) seen.try_emplace(strings.string(strings.size() / kSample * k), 0);
    return std::ssize(seen) <= kOfSample;
}

// Returns ranks by a table of the distinct strings, nothing when they are more than a sample made likely.
std::optional<std::vector<uint64_t>> ranksOfFew(const Vector& strings) {
    constexpr size_t kMaxDistinct = 1 << 14;
    const int64_t rows = strings.size();
    // The tasks are larger than elsewhere: each makes a separate table.
    constexpr int64_t kRows = int64_t{1} << 20;
    const auto tasks = static_cast<size_t>((rows + kRows - 1) / kRows);
    std::vector<Distinct> found(tasks);
    std::vector<uint64_t> words(static_cast<size_t>(rows));
    std::atomic<bool> areTooMany{false};
    parallelFor(static_cast<int64_t>(tasks), [&](int64_t task) {
        Distinct& own = found[static_cast<size_t>(task)];
        const int64_t first = task * kRows;
        inPieces(std::min(kRows, rows - first), [&](int64_t begin, int64_t end) {
            if (areTooMany.load(std::memory_order_relaxed)) return;
            for (int64_t i = first + begin; i < first + end; ++i) {
                const std::string_view string = strings.string(i);
                const auto [place, isNew] = own.numbers.try_emplace(string, static_cast<uint32_t>(own.strings.size()));
                if (isNew) own.strings.push_back(string);
                words[static_cast<size_t>(i)] = place->second;
            }
            if (own.strings.size() > kMaxDistinct) areTooMany.store(true, std::memory_order_relaxed);
        });
    });
    if (areTooMany) return std::nullopt;
    std::vector<std::string_view> sorted;
    for (const Distinct& task : found) sorted.insert(sorted.end(), task.strings.begin(), task.strings.end());
    std::ranges::sort(sorted);
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    // Rank 0 is the empty string's.
    const uint64_t least = !sorted.empty() && sorted[0].empty() ? 0 : 1;
    parallelFor(static_cast<int64_t>(tasks), [&](int64_t task) {
        std::vector<uint64_t> ranks;
        for (const std::string_view string : found[static_cast<size_t>(task)].strings)
            ranks.push_back(least + static_cast<uint64_t>(std::ranges::lower_bound(sorted, string) - sorted.begin()));
        for (int64_t i = task * kRows; i < std::min(rows, (task + 1) * kRows); ++i) {
            uint64_t& word = words[static_cast<size_t>(i)];
            word = ranks[static_cast<size_t>(word)];
        }
    });
    return words;
}

// Returns words that cost no sort of all rows, nothing when the strings are neither short nor few.
std::optional<std::vector<uint64_t>> quickWords(const Vector& strings, const Outline& outline) {
    if (outline.longest <= outline.common + kShortBytes) return shortWords(strings, outline);
    return areFewDistinct(strings) ? ranksOfFew(strings) : std::nullopt;
}

std::vector<uint64_t> ranksOf(const Vector& strings, const Outline& outline) {
    const Ordered ordered = StringSort(strings).sort(outline);
    const int64_t rows = strings.size();
    // The first string's rank is 0 when it is the empty one, else 1: each rank is the number of beginnings up to its
    // place, less one then.
    const uint64_t less = outline.isAnyEmpty ? 1 : 0;
    std::vector<uint64_t> before(static_cast<size_t>((rows + kTaskRows - 1) / kTaskRows) + 1);
    forEachTask(rows, [&](int64_t task, int64_t begin, int64_t end) {
        before[static_cast<size_t>(task) + 1] =
            static_cast<uint64_t>(std::count(ordered.begins.data() + begin, ordered.begins.data() + end, 1));
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    std::vector<uint64_t> words(static_cast<size_t>(rows));
    forEachTask(rows, [&](int64_t task, int64_t begin, int64_t end) {
        uint64_t rank = before[static_cast<size_t>(task)] - less;
        for (int64_t i = begin; i < end; ++i) {
            rank += ordered.begins[static_cast<size_t>(i)];
            words[static_cast<size_t>(ordered.rows[static_cast<size_t>(i)])] = rank;
        }
    });
    return words;
}

}  // namespace

std::vector<uint64_t> stringWords(const Vector& strings) {
    const Outline outline = outlineOf(strings);
    if (auto words = quickWords(strings, outline)) return *std::move(words);
    return ranksOf(strings, outline);
}

std::vector<int32_t> stringOrder(const Vector& strings) {
    const Outline outline = outlineOf(strings);
    const auto words = quickWords(strings, outline);
    if (!words) return StringSort(strings).sort(outline).rows;
    std::vector<int32_t> order(words->size());
    std::iota(order.begin(), order.end(), 0);
    orderByWords(*words, order);
    return order;
}

}  // namespace pelorus
