#include "runtime/kernel/sort/row_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"
#include "common/widest.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/kernel/sort/string_order.h"
#include "runtime/kernel/sort/word_order.h"
#include "runtime/table/row_numbers.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

// Returns a double's bits as an integer of the same order; NaN sorts last, the NULL first.
uint64_t orderedBits(double x) {
    if (isNull(x)) return 0;
    uint64_t bits;
    x += 0.0;  // -0.0 equals 0.0
    std::memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t{1} << 63);
}

uint64_t orderedBits(int64_t x) {
    return static_cast<uint64_t>(x) ^ (uint64_t{1} << 63);
}

template <class T>
void encodeElements(const T* elements, int64_t count, uint64_t* codes) {
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
    onWidest([=]() __attribute__((always_inline)) {
        for (int64_t i = 0; i < count; ++i)
            codes[i] = isNull(elements[i]) ? 0 : orderedBits(static_cast<Wide>(elements[i]));
    });
}

}  // namespace

bool orderingWords(const Vector& v, int64_t begin, int64_t count, uint64_t* codes) {
    if (v.type() == Type::Symbol) return false;
    if (v.type() == Type::Void) {
        std::fill_n(codes, codes == nullptr ? 0 : count, 0);
        return true;
    }
    switch (storageOf(v.type())) {
        case Storage::Int8:
            encodeElements(v.data<int8_t>() + begin, count, codes);
            return true;
        case Storage::Int16:
            encodeElements(v.data<int16_t>() + begin, count, codes);
            return true;
        case Storage::Int32:
            encodeElements(v.data<int32_t>() + begin, count, codes);
            return true;
        case Storage::Int64:
            encodeElements(v.data<int64_t>() + begin, count, codes);
            return true;
        case Storage::Float32:
            encodeElements(v.data<float>() + begin, count, codes);
            return true;
        case Storage::Float64:
            encodeElements(v.data<double>() + begin, count, codes);
            return true;
        default:
            return false;
    }
}

namespace {

// Turns words of ascending elements into those of a key with its direction and place of NULLs.
void turn(const OrderKey& key, std::span<uint64_t> codes) {
    const bool flip = !key.ascending;
    const bool moveNulls = key.nullsGiven && key.nullsFirst != key.ascending;
    if (!flip && !moveNulls) return;
    for (uint64_t& code : codes) {
        const bool isNullElement = code == 0;
        if (flip) code = ~code;
        if (moveNulls && isNullElement) code = flip ? 0 : ~uint64_t{0};
    }
}

}  // namespace

bool orderingWords(const OrderKey& key, int64_t begin, int64_t count, uint64_t* words) {
    if (!key.column.isTypedVector() || !orderingWords(key.column.vector(), begin, count, words)) return false;
    turn(key, {words, static_cast<size_t>(count)});
    return true;
}

namespace {

// Returns ranks of elements that no integer can represent: equal elements get equal numbers, NULL 0.
template <class Less, class IsNull>
std::vector<uint64_t> elementRanks(size_t n, Less less, IsNull isNullElement) {
    std::vector<uint64_t> codes(n);
    std::vector<int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        checkCancelled();
        return less(a, b);
    });
    uint64_t rank = 1;
    inPieces(static_cast<int64_t>(n), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            if (i > 0 && less(order[i - 1], order[i])) ++rank;
            codes[static_cast<size_t>(order[i])] = isNullElement(order[i]) ? 0 : rank;
        }
    });
    return codes;
}

// The words of a key's rows: computed block by block, except for elements whose words are ranks among all.
class KeyWords {
public:
    explicit KeyWords(const OrderKey& key) : key_(key) {
        if (key.column.isTuple()) throw UserError("A column of mixed values can't be sorted.");
        const Vector& v = key.column.vector();
        const bool isString = v.type() == Type::Symbol || storageOf(v.type()) == Storage::String;
        const bool isWide = isDecimal(v.type()) || categoryOf(v.type()) == Category::Binary;
        if (v.type() == Type::Symbol) {
            symbolRanks_ = symbols::ranks();
        } else if (isString) {
            ranks_ = stringWords(v);
        } else if (storageOf(v.type()) == Storage::Bytes16 && isWide) {
            ranks_ = elementRanks(
                static_cast<size_t>(v.size()), [&](int32_t a, int32_t b) { return compareElements(v, a, v, b) < 0; },
                [&](int32_t i) { return v.isNullAt(i); });
        } else if (!orderingWords(v, 0, 0, nullptr)) {
            throw UserError("A column of type " + std::string(typeName(v.type())) + " can't be sorted.");
        }
    }

    void write(int64_t begin, int64_t count, uint64_t* words) const {
        const Vector& v = key_.column.vector();
        if (symbolRanks_) {
            const int32_t* codes = v.data<int32_t>() + begin;
            const auto* ranks = symbolRanks_->data();
            for (int64_t i = 0; i < count; ++i) words[i] = static_cast<uint64_t>(ranks[codes[i]]);
        } else if (!ranks_.empty()) {
            std::copy_n(ranks_.data() + begin, count, words);
        } else {
            orderingWords(v, begin, count, words);
        }
        turn(key_, {words, static_cast<size_t>(count)});
    }

private:
    const OrderKey& key_;
    std::vector<uint64_t> ranks_;
    decltype(symbols::ranks()) symbolRanks_;
};

// Calls f(begin, count, buffer) for blocks of all rows, on all threads.
template <class F>
void forEachBlock(int64_t rows, F f) {
    constexpr int64_t kBlock = 8192, kBlocksOfTask = 16;
    parallelFor((rows + kBlock * kBlocksOfTask - 1) / (kBlock * kBlocksOfTask), [&](int64_t task) {
        uint64_t buffer[kBlock];
        const int64_t end = std::min(rows, (task + 1) * kBlocksOfTask * kBlock);
        for (int64_t at = task * kBlocksOfTask * kBlock; at < end; at += kBlock) {
            checkCancelled();
            f(at, std::min(kBlock, end - at), buffer);
        }
    });
}

// Packs all keys into one word, when their ranges together fit; returns nothing otherwise.
std::vector<uint64_t> packed(const std::vector<KeyWords>& keys, int64_t rows) {
    std::vector<uint64_t> least(keys.size(), ~uint64_t{0}), greatest(keys.size(), 0);
    Mutex mutex;  // guards least and greatest while threads scan blocks
    forEachBlock(rows, [&](int64_t begin, int64_t count, uint64_t* words) {
        for (size_t k = 0; k < keys.size(); ++k) {
            keys[k].write(begin, count, words);
            const auto [low, high] = onWidest([=]() __attribute__((always_inline)) {
                uint64_t least = ~uint64_t{0}, greatest = 0;
                for (int64_t i = 0; i < count; ++i) {
                    least = words[i] < least ? words[i] : least;
                    greatest = words[i] > greatest ? words[i] : greatest;
                }
                return std::pair(least, greatest);
            });
            const MutexLock lock(mutex);
            least[k] = std::min(least[k], low);
            greatest[k] = std::max(greatest[k], high);
        }
    });
    for (size_t k = 0; k < keys.size(); ++k) CHECK(least[k] <= greatest[k]) << "a sort key has a min and a max";
    int total = 0;
    for (size_t k = 0; k < keys.size(); ++k) total += static_cast<int>(std::bit_width(greatest[k] - least[k]));
    if (total > 64) return {};
    std::vector<uint64_t> all(static_cast<size_t>(rows), 0);
    forEachBlock(rows, [&](int64_t begin, int64_t count, uint64_t* words) {
        uint64_t* const out = all.data() + begin;
        for (size_t k = 0; k < keys.size(); ++k) {
            const auto width = static_cast<int>(std::bit_width(greatest[k] - least[k]));
            keys[k].write(begin, count, words);
            // A key of full width leaves nothing in front of it.
            for (int64_t i = 0; i < count; ++i) out[i] = (width == 64 ? 0 : out[i] << width) | (words[i] - least[k]);
        }
    });
    return all;
}

}  // namespace

// Returns whether rows are known to be in the order of a key, with its place of NULLs.
static bool isKnownInOrder(const OrderKey& key) {
    if (!key.column.isVector() || key.column.isTuple() || key.column.isArrayVector()) return false;
    const Vector& elements = key.column.vector();
    const bool nullsLieRight = !key.nullsGiven || key.nullsFirst == key.ascending || !elements.mayHaveNull();
    return nullsLieRight && elements.isKnown(key.ascending ? VectorProperty::Ascending : VectorProperty::Descending);
}

// Returns whether the order of a key is that of its strings.
static bool isPlainString(const OrderKey& key, int64_t rows) {
    const bool isString =
        key.column.isTypedVector() && storageOf(key.column.type()) == Storage::String && key.column.size() == rows;
    return isString && key.ascending && (!key.nullsGiven || key.nullsFirst);
}

std::vector<int32_t> sortPositions(std::span<const OrderKey> keys, int64_t rows) {
    requireRowNumbers(rows);
    if (keys.size() == 1 && isPlainString(keys[0], rows)) return stringOrder(keys[0].column.vector());
    std::vector<int32_t> order(static_cast<size_t>(rows));
    if (rows == 0) return order;
    std::iota(order.begin(), order.end(), 0);
    if (keys.size() == 1 && isKnownInOrder(keys[0])) return order;
    std::vector<KeyWords> words;
    words.reserve(keys.size());
    for (const OrderKey& key : keys) {
        words.emplace_back(key);
        CHECK(key.column.size() >= rows) << "a sort key has an element for each row";
    }
    if (const std::vector<uint64_t> one = packed(words, rows); !one.empty()) {
        if (!std::is_sorted(one.begin(), one.end())) orderByWords(one, order);
        return order;
    }
    std::vector<std::vector<uint64_t>> codes;
    for (const KeyWords& key : words) {
        std::vector<uint64_t>& all = codes.emplace_back(static_cast<size_t>(rows));
        forEachBlock(rows,
                     [&](int64_t begin, int64_t count, uint64_t*) { key.write(begin, count, all.data() + begin); });
    }
    auto less = [&](int32_t a, int32_t b) {
        for (const auto& c : codes) {
            if (c[static_cast<size_t>(a)] != c[static_cast<size_t>(b)])
                return c[static_cast<size_t>(a)] < c[static_cast<size_t>(b)];
        }
        return false;
    };
    if (std::is_sorted(order.begin(), order.end(), less)) return order;
    // Stable sorts by the last key first leave rows in order of all keys.
    for (size_t k = codes.size(); k-- > 0;) orderByWords(codes[k], order);
    return order;
}

namespace {

struct Candidate {
    uint64_t word;
    int32_t row;
    bool operator<(const Candidate& other) const { return word != other.word ? word < other.word : row < other.row; }
};

// Returns whether a row of a block may have a word below the bound: by the min or max of the block, without computing
// all words.
template <class T>
bool mayHoldLess(const T* elements, int64_t count, bool ascending, uint64_t bound) {
    T extreme = elements[0];
    const bool isOdd = onWidest([ =, &extreme ]() __attribute__((always_inline)) {
        // The minima and maxima are kept per lane: the compiler must not reorder floating-point comparisons, and so can
        // vectorize these.
        constexpr int64_t kPlaces = 8;
        T low[kPlaces], high[kPlaces];
        int64_t odd[kPlaces] = {};
        std::fill_n(low, kPlaces, elements[0]);
        std::fill_n(high, kPlaces, elements[0]);
        const auto take = [&](int64_t i, int64_t place) __attribute__((always_inline)) {
            const T x = elements[i];
            low[place] = x < low[place] ? x : low[place];
            high[place] = x > high[place] ? x : high[place];
            odd[place] |= x != x ? 1 : 0;
        };
        const int64_t whole = count - count % kPlaces;
        for (int64_t i = 0; i < whole; i += kPlaces) {
            for (int64_t place = 0; place < kPlaces; ++place) take(i + place, place);
        }
        for (int64_t i = whole; i < count; ++i) take(i, 0);
        extreme = ascending ? *std::min_element(low, low + kPlaces) : *std::max_element(high, high + kPlaces);
        return std::any_of(odd, odd + kPlaces, [](int64_t x) { return x != 0; });
    });
    // Words of NaN, infinity and NULL are in another order than the numbers.
    if constexpr (std::is_floating_point_v<T>) {
        if (isOdd || !std::isfinite(extreme) || isNull(extreme)) return true;
    }
    uint64_t word = 0;
    encodeElements(&extreme, 1, &word);
    return (ascending ? word : ~word) <= bound;
}

bool mayHoldLess(const OrderKey& key, int64_t begin, int64_t count, uint64_t bound) {
    const Vector& v = key.column.vector();
    if (key.nullsGiven) return true;
    switch (storageOf(v.type())) {
        case Storage::Int32:
            return mayHoldLess(v.data<int32_t>() + begin, count, key.ascending, bound);
        case Storage::Int64:
            return mayHoldLess(v.data<int64_t>() + begin, count, key.ascending, bound);
        case Storage::Float64:
            return mayHoldLess(v.data<double>() + begin, count, key.ascending, bound);
        default:
            return true;
    }
}

// Returns the rows of [begin, end) with the `count` smallest words; with `withEqual` also all that equal the last of
// them, which other keys decide about.
std::vector<Candidate> smallestRows(const OrderKey& key, int64_t begin, int64_t end, size_t count, bool withEqual) {
    constexpr int64_t kBlock = 8192;
    uint64_t words[kBlock];
    uint64_t bound = ~uint64_t{0};
    bool isBound = false;
    CHECK(count > 0) << "at least one of the smallest rows is wanted";
    std::vector<Candidate> found;
    size_t room = std::max<size_t>(2 * count, 4096);
    for (int64_t at = begin; at < end; at += kBlock) {
        checkCancelled();
        const int64_t n = std::min(kBlock, end - at);
        if (isBound && !mayHoldLess(key, at, n, bound)) continue;
        orderingWords(key.column.vector(), at, n, words);
        turn(key, {words, static_cast<size_t>(n)});
        for (int64_t i = 0; i < n; ++i) {
            // Rows with equal words keep their order.
            const bool isLeast = words[i] < bound || (words[i] == bound && (withEqual || !isBound));
            if (isLeast) found.push_back({words[i], static_cast<int32_t>(at + i)});
        }
        if (found.size() < room) continue;
        std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count - 1), found.end());
        bound = found[count - 1].word;
        isBound = true;
        if (withEqual) {
            std::erase_if(found, [&](const Candidate& c) { return c.word > bound; });
        } else {
            found.resize(count);
        }
        room = std::max(2 * found.size(), size_t{4096});
    }
    return found;
}

// Returns the rows with the `count` smallest strings, as smallestRows does; NULL is the empty string.
std::vector<int32_t> smallestStrings(const OrderKey& key, int64_t begin, int64_t end, size_t count, bool withEqual) {
    const Vector& v = key.column.vector();
    const auto isBefore = [&](std::string_view a, std::string_view b) { return key.ascending ? a < b : b < a; };
    const auto rowIsBefore = [&](int32_t a, int32_t b) {
        const std::string_view x = v.string(a), y = v.string(b);
        const int order = x.compare(y);
        return order != 0 ? (order < 0) == key.ascending : a < b;
    };
    CHECK(count > 0) << "at least one of the smallest strings is wanted";
    std::vector<int32_t> found;
    size_t room = std::max<size_t>(2 * count, 1024);
    std::string_view bound;
    bool isBound = false;
    inPieces(end - begin, [&](int64_t first, int64_t last) {
        for (int64_t i = begin + first; i < begin + last; ++i) {
            const std::string_view string = v.string(i);
            // Rows with equal strings keep their order.
            if (isBound && !isBefore(string, bound) && !(withEqual && string == bound)) continue;
            found.push_back(static_cast<int32_t>(i));
            if (found.size() < room) continue;
            const auto least = found.begin() + static_cast<std::ptrdiff_t>(count);
            std::nth_element(found.begin(), least - 1, found.end(), rowIsBefore);
            bound = v.string(found[count - 1]);
            isBound = true;
            found.erase(withEqual
                            ? std::remove_if(least, found.end(), [&](int32_t row) { return v.string(row) != bound; })
                            : least,
                        found.end());
            room = std::max(2 * found.size(), size_t{1024});
        }
    });
    return found;
}

std::vector<OrderKey> keysAt(std::span<const OrderKey> keys, const std::vector<int32_t>& rows) {
    std::vector<OrderKey> own(keys.begin(), keys.end());
    for (OrderKey& key : own) key.column = gatherElements(key.column, rows.data(), static_cast<int64_t>(rows.size()));
    return own;
}

// Returns the first `count` rows among the given candidates, which ascend.
std::vector<int32_t> firstAmong(std::span<const OrderKey> keys, std::vector<int32_t> rows, int64_t count) {
    std::sort(rows.begin(), rows.end());
    std::vector<int32_t> order = sortPositions(keysAt(keys, rows), static_cast<int64_t>(rows.size()));
    order.resize(static_cast<size_t>(std::min<int64_t>(count, static_cast<int64_t>(order.size()))));
    for (int32_t& row : order) row = rows[static_cast<size_t>(row)];
    return order;
}

}  // namespace

std::vector<int32_t> firstPositions(std::span<const OrderKey> keys, int64_t rows, int64_t count) {
    constexpr int64_t kFew = 8;  // times fewer than the rows: otherwise sorting all costs about as much
    constexpr int64_t kPiece = int64_t{1} << 20;
    uint64_t none = 0;
    const bool isTyped = !keys.empty() && keys[0].column.isTypedVector();
    const bool hasWords = isTyped && orderingWords(keys[0].column.vector(), 0, 0, &none);
    const bool isString = isTyped && keys[0].column.type() == Type::String && !keys[0].nullsGiven;
    const auto all = [&] {
        std::vector<int32_t> order = sortPositions(keys, rows);
        order.resize(static_cast<size_t>(std::min(count, rows)));
        return order;
    };
    if (!(hasWords || isString) || count <= 0 || count > rows / kFew) return all();
    requireRowNumbers(rows);
    CHECK(keys[0].column.size() >= rows) << "the first sort key has an element for each row";
    const int64_t pieces = (rows + kPiece - 1) / kPiece;
    const auto eachPiece = [&](const auto& leastOf, auto& found) {
        parallelFor(pieces, [&](int64_t p) {
            found[static_cast<size_t>(p)] = leastOf(keys[0], p * kPiece, std::min(rows, (p + 1) * kPiece),
                                                    static_cast<size_t>(count), keys.size() > 1);
        });
    };
    if (isString) {
        std::vector<std::vector<int32_t>> found(static_cast<size_t>(pieces));
        eachPiece(smallestStrings, found);
        std::vector<int32_t> least;
        for (const auto& piece : found) least.insert(least.end(), piece.begin(), piece.end());
        return static_cast<int64_t>(least.size()) > rows / kFew ? all() : firstAmong(keys, std::move(least), count);
    }
    std::vector<std::vector<Candidate>> found(static_cast<size_t>(pieces));
    eachPiece(smallestRows, found);
    std::vector<Candidate> least;
    for (const auto& piece : found) least.insert(least.end(), piece.begin(), piece.end());
    CHECK(count <= std::ssize(least)) << "the pieces together have the wanted rows";
    const auto last = least.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(least.begin(), last, least.end());
    const uint64_t bound = last->word;
    std::vector<int32_t> before, equal;
    for (const Candidate& c : least) {
        if (c.word < bound) before.push_back(c.row);
        if (c.word == bound) equal.push_back(c.row);
    }
    const int64_t left = count - static_cast<int64_t>(before.size());
    if (keys.size() > 1 && static_cast<int64_t>(equal.size()) > left) {
        // The other keys alone decide which of the equal ones come first.
        std::sort(equal.begin(), equal.end());
        std::vector<int32_t> chosen =
            firstPositions(keysAt(keys.subspan(1), equal), static_cast<int64_t>(equal.size()), left);
        for (int32_t& row : chosen) row = equal[static_cast<size_t>(row)];
        equal = std::move(chosen);
    }
    before.insert(before.end(), equal.begin(), equal.end());
    CHECK(count <= std::ssize(before)) << "the first rows are as many as are wanted";
    return firstAmong(keys, std::move(before), count);
}

}  // namespace pelorus
