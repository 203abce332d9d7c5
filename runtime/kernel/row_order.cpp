#include "runtime/kernel/row_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "common/cancellation.h"
#include "common/error.h"
#include "runtime/format/print.h"
#include "runtime/kernel/row_numbers.h"
#include "runtime/kernel/sort.h"
#include "runtime/kernel/word_order.h"
#include "runtime/symbol_base.h"
#include "runtime/vector.h"

namespace pelorus {

namespace {

// A double's bits as an integer of the same order; NaN sorts last, the NULL first.
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
void encodeIntegers(const Vector& v, std::vector<uint64_t>& codes) {
    const T* items = v.items<T>();
    for (int64_t i = 0; i < v.size(); ++i) {
        codes[static_cast<size_t>(i)] = isNull(items[i]) ? 0 : orderedBits(static_cast<int64_t>(items[i]));
    }
}

// Ranks of items that no integer stands for: equal items get equal numbers, NULL 0.
template <class Less, class IsNull>
std::vector<uint64_t> itemRanks(size_t n, Less less, IsNull isNullItem) {
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
            codes[static_cast<size_t>(order[i])] = isNullItem(order[i]) ? 0 : rank;
        }
    });
    return codes;
}

std::vector<uint64_t> textRanks(const Vector& v) {
    auto n = static_cast<size_t>(v.size());
    if (v.type() == Type::Symbol) {
        std::vector<uint64_t> codes(n);
        auto ranks = symbols::ranks();
        for (size_t i = 0; i < n; ++i)
            codes[i] = static_cast<uint64_t>((*ranks)[static_cast<size_t>(v.items<int32_t>()[i])]);
        return codes;
    }
    return itemRanks(
        n, [&](int32_t a, int32_t b) { return v.text(a) < v.text(b); }, [&](int32_t i) { return v.text(i).empty(); });
}

std::vector<uint64_t> encode(const OrderKey& key) {
    if (key.column.isTuple()) throw UserError("A column of mixed values can't be sorted.");
    const Vector& v = key.column.vector();
    std::vector<uint64_t> codes(static_cast<size_t>(v.size()));
    switch (storageOf(v.type())) {
        case Storage::Int8:
            encodeIntegers<int8_t>(v, codes);
            break;
        case Storage::Int16:
            encodeIntegers<int16_t>(v, codes);
            break;
        case Storage::Int32:
            if (v.type() == Type::Symbol) {
                codes = textRanks(v);
            } else {
                encodeIntegers<int32_t>(v, codes);
            }
            break;
        case Storage::Int64:
            encodeIntegers<int64_t>(v, codes);
            break;
        case Storage::Float32:
        case Storage::Float64:
            for (int64_t i = 0; i < v.size(); ++i) codes[static_cast<size_t>(i)] = orderedBits(v.asDouble(i));
            break;
        case Storage::Text:
            codes = textRanks(v);
            break;
        case Storage::Bytes16:
            if (categoryOf(v.type()) == Category::Binary || isDecimal(v.type())) {
                codes = itemRanks(
                    codes.size(), [&](int32_t a, int32_t b) { return compareItems(v, a, v, b) < 0; },
                    [&](int32_t i) { return v.isNullAt(i); });
                break;
            }
            [[fallthrough]];
        default:
            throw UserError("A column of type " + std::string(typeName(v.type())) + " can't be sorted.");
    }
    bool flip = !key.ascending;
    bool moveNulls = key.nullsGiven && key.nullsFirst != key.ascending;
    for (uint64_t& code : codes) {
        bool isNullItem = code == 0;
        if (flip) code = ~code;
        if (moveNulls && isNullItem) code = flip ? 0 : ~uint64_t{0};
    }
    return codes;
}

// Puts all keys into the first one, when their ranges together fit a word.
bool packed(std::vector<std::vector<uint64_t>>& codes) {
    std::vector<uint64_t> least;
    std::vector<int> widths;
    int total = 0;
    for (const std::vector<uint64_t>& key : codes) {
        const auto [low, high] = std::minmax_element(key.begin(), key.end());
        least.push_back(*low);
        widths.push_back(static_cast<int>(std::bit_width(*high - *low)));
        total += widths.back();
    }
    if (total > 64) return false;
    std::vector<uint64_t>& first = codes[0];
    for (uint64_t& code : first) code -= least[0];
    for (size_t k = 1; k < codes.size(); ++k) {
        // A key of full width leaves nothing in front of it, so the shift is below 64 wherever there is something to
        // shift.
        for (size_t i = 0; i < first.size(); ++i)
            first[i] = (widths[k] == 64 ? 0 : first[i] << widths[k]) | (codes[k][i] - least[k]);
    }
    return true;
}

}  // namespace

// Whether rows are known to lie in the order of a key, NULLs where they have to be.
static bool isKnownInOrder(const OrderKey& key) {
    if (!key.column.isVector() || key.column.isTuple() || key.column.isArrayVector()) return false;
    const Vector& items = key.column.vector();
    const bool nullsLieRight = !key.nullsGiven || key.nullsFirst == key.ascending || !items.mayHaveNull();
    return nullsLieRight && items.isKnown(key.ascending ? Fact::Ascending : Fact::Descending);
}

std::vector<int32_t> sortPositions(std::span<const OrderKey> keys, int64_t rows) {
    requireRowNumbers(rows);
    std::vector<int32_t> order(static_cast<size_t>(rows));
    if (rows == 0) return order;
    std::iota(order.begin(), order.end(), 0);
    if (keys.size() == 1 && isKnownInOrder(keys[0])) return order;
    std::vector<std::vector<uint64_t>> codes;
    for (const OrderKey& key : keys) codes.push_back(encode(key));
    auto less = [&](int32_t a, int32_t b) {
        for (const auto& c : codes) {
            if (c[static_cast<size_t>(a)] != c[static_cast<size_t>(b)])
                return c[static_cast<size_t>(a)] < c[static_cast<size_t>(b)];
        }
        return false;
    };
    if (codes.size() > 1) {
        if (std::is_sorted(order.begin(), order.end(), less)) return order;
        if (packed(codes)) codes.resize(1);
    }
    // Stable sorts by the last key first leave rows in order of all keys.
    for (size_t k = codes.size(); k-- > 0;) orderByWords(codes[k], order);
    return order;
}

}  // namespace pelorus
