#include "runtime/kernel/sort/sort.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/widest.h"
#include "runtime/kernel/sort/string_order.h"
#include "runtime/kernel/sort/word_order.h"
#include "runtime/table/row_numbers.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {

namespace {

// Keys of 8 bytes whose unsigned order is that of the elements, so that one radix sort serves all fixed-width types.
uint64_t orderedBits(int64_t x) {
    return static_cast<uint64_t>(x) ^ (uint64_t{1} << 63);
}
uint64_t orderedBits(double x) {
    x += 0.0;  // -0.0 becomes 0.0: equal elements keep their places
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t{1} << 63);
}

bool hasOrderedBits(Type type) {
    Storage storage = storageOf(type);
    return storage != Storage::String && storage != Storage::Bytes16 && storage != Storage::Boxed &&
           storage != Storage::None;
}

std::vector<uint64_t> bitsOf(const Vector& v) {
    std::vector<uint64_t> bits(static_cast<size_t>(v.size()));
    auto fill = [&](auto get) {
        for (int64_t i = 0; i < v.size(); ++i) bits[static_cast<size_t>(i)] = get(i);
    };
    if (v.type() == Type::Symbol) {
        auto ranks = symbols::ranks();
        fill([&](int64_t i) { return static_cast<uint64_t>((*ranks)[static_cast<size_t>(v.data<int32_t>()[i])]); });
        return bits;
    }
    switch (storageOf(v.type())) {
        case Storage::Int8:
            fill([&](int64_t i) { return orderedBits(int64_t{v.data<int8_t>()[i]}); });
            break;
        case Storage::Int16:
            fill([&](int64_t i) { return orderedBits(int64_t{v.data<int16_t>()[i]}); });
            break;
        case Storage::Int32:
            fill([&](int64_t i) { return orderedBits(int64_t{v.data<int32_t>()[i]}); });
            break;
        case Storage::Int64:
            fill([&](int64_t i) { return orderedBits(v.data<int64_t>()[i]); });
            break;
        case Storage::Float32:
            fill([&](int64_t i) { return orderedBits(static_cast<double>(v.data<float>()[i])); });
            break;
        default:
            fill([&](int64_t i) { return orderedBits(v.data<double>()[i]); });
            break;
    }
    return bits;
}

}  // namespace

static int compareDecimals(const Vector& a, int64_t i, const Vector& b, int64_t j) {
    if (a.scale() == b.scale()) {
        const __int128 x = a.rawAt(i), y = b.rawAt(j);
        return x < y ? -1 : x > y;
    }
    const double x = a.asDouble(i), y = b.asDouble(j);
    return x < y ? -1 : x > y;
}

int compareElements(const Vector& a, int64_t i, const Vector& b, int64_t j) {
    if (isDecimal(a.type())) return compareDecimals(a, i, b, j);
    switch (storageOf(a.type())) {
        case Storage::String: {
            int order = a.string(i).compare(b.string(j));
            return order < 0 ? -1 : order > 0;
        }
        case Storage::Float32:
        case Storage::Float64: {
            double x = a.asDouble(i), y = b.asDouble(j);
            return x < y ? -1 : x > y;
        }
        case Storage::Bytes16: {
            // The most significant byte is the last one.
            auto* x = reinterpret_cast<const uint8_t*>(a.raw()) + i * 16;
            auto* y = reinterpret_cast<const uint8_t*>(b.raw()) + j * 16;
            for (int k = 15; k >= 0; --k) {
                if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
            }
            return 0;
        }
        default:
            break;
    }
    if (a.type() == Type::Symbol) {
        int order = a.string(i).compare(b.string(j));
        return order < 0 ? -1 : order > 0;
    }
    int64_t x = a.asLong(i), y = b.asLong(j);
    return x < y ? -1 : x > y;
}

namespace {

template <class T>
bool numbersInOrder(const Vector& v, bool ascending) {
    const T* elements = v.data<T>();
    bool good = true;
    inPieces(v.size() - 1, [&](int64_t begin, int64_t end) {
        if (!good) return;
        good = onWidest([=]() __attribute__((always_inline)) {
            bool bad = false;
            for (int64_t i = begin; i < end; ++i)
                bad |= ascending ? elements[i] > elements[i + 1] : elements[i] < elements[i + 1];
            return !bad;
        });
    });
    return good;
}

bool findInOrder(const Vector& elements, bool ascending) {
    if (!isDecimal(elements.type()) && elements.type() != Type::Symbol) {
        switch (storageOf(elements.type())) {
            case Storage::Int8:
                return numbersInOrder<int8_t>(elements, ascending);
            case Storage::Int16:
                return numbersInOrder<int16_t>(elements, ascending);
            case Storage::Int32:
                return numbersInOrder<int32_t>(elements, ascending);
            case Storage::Int64:
                return numbersInOrder<int64_t>(elements, ascending);
            case Storage::Float32:
                return numbersInOrder<float>(elements, ascending);
            case Storage::Float64:
                return numbersInOrder<double>(elements, ascending);
            default:
                break;
        }
    }
    for (int64_t i = 1; i < elements.size(); ++i) {
        const int order = compareElements(elements, i - 1, elements, i);
        if (ascending ? order > 0 : order < 0) return false;
    }
    return true;
}

// Returns whether properties can prove the type's order (vector_properties.h).
bool hasOrderFacts(Type type) {
    return hasOrderedBits(type) && !isFloating(type) && !isDecimal(type) && type != Type::Symbol;
}

}  // namespace

bool inOrder(const Vector& elements, bool ascending) {
    const VectorProperty fact = ascending ? VectorProperty::Ascending : VectorProperty::Descending;
    if (elements.isKnown(fact)) return true;
    const bool found = findInOrder(elements, ascending);
    if (found && hasOrderFacts(elements.type())) elements.setProperty(fact);
    return found;
}

std::vector<int32_t> sortedOrder(std::span<const SortKey> keys) {
    CHECK(!keys.empty()) << "rows are sorted by a key at least";
    requireRowNumbers(keys[0].elements->size());
    std::vector<int32_t> order(static_cast<size_t>(keys[0].elements->size()));
    std::iota(order.begin(), order.end(), 0);
    // Stable sorts by the last key first leave rows in order of all keys.
    for (size_t k = keys.size(); k-- > 0;) {
        const Vector& v = *keys[k].elements;
        CHECK(v.size() == std::ssize(order)) << "all sort keys have as many elements";
        const bool isString = storageOf(v.type()) == Storage::String;
        if (isString || hasOrderedBits(v.type())) {
            std::vector<uint64_t> bits = isString ? stringWords(v) : bitsOf(v);
            if (!keys[k].ascending) {
                for (uint64_t& b : bits) b = ~b;
            }
            orderByWords(bits, order);
        } else {
            bool ascending = keys[k].ascending;
            std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
                checkCancelled();
                return ascending ? compareElements(v, a, v, b) < 0 : compareElements(v, b, v, a) < 0;
            });
        }
    }
    return order;
}

}  // namespace pelorus
