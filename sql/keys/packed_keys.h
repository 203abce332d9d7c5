// Encoder of the keys of rows into one number each: the offset of every key from the min value so far, in as many bits
// as the range takes.
//
// Equal keys have equal numbers, and numbers of one layout order like keys (except for codes and negative DOUBLEs).
// NULL is 0. While later values are in the known ranges the layout stays; otherwise numbers of the old one can be
// packed again, which happens at most once for each bit. Keys that need more than 128 bits have a word each instead.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/value/key_index.h"
#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

using WideWord = unsigned __int128;

class PackedKeys {
public:
    explicit PackedKeys(const std::vector<Type>& types);

    struct Field {
        uint64_t base = 0;  // a value is base + word; 0 is NULL
        int bits = 1;
        bool operator==(const Field&) const = default;
    };
    using Layout = std::vector<Field>;

    // Takes a piece of rows: vectors of `rows` values, or scalars for all. Strings and values wider than a machine word
    // get codes. `digests`, where they are known, are those of string vectors among the keys (sql/keys/key_hash.h),
    // and empty for others. The layout covers all values afterwards.
    void take(std::span<const Value> keys, int64_t rows, std::span<const Value> digests);
    const Layout& layout() const { return layout_; }
    int bits() const;
    bool hasCodes() const;
    // From here on each key is encoded by itself, in 64 bits.
    void makeWide();

    // Encodes the rows of the piece that was taken.
    template <class W>
    void pack(W* words) const;
    void packKey(size_t key, uint64_t* words) const;

    // Converts numbers of another layout of the same keys.
    template <class W>
    W repacked(W word, const Layout& from) const;
    // Decodes a number of another layout to the word of each key.
    void unpackFrom(WideWord word, const Layout& from, uint64_t* words) const;
    // Decodes the values of one key from numbers.
    template <class W>
    Value items(size_t key, const std::vector<W>& numbers) const;
    Value itemsOfWords(size_t key, std::vector<uint64_t> words) const;

private:
    struct Key {
        Type type;
        std::unique_ptr<KeyIndex> codes;
        bool isReal = false;
        int64_t min = 0, max = -1;  // of the values that are not NULL
        // The current piece.
        Ref<Vector> items;
        int width = 0;
        bool isConstant = false;  // `data` has one
    };
    template <class W>
    void packOnto(const Key& key, const Field& field, bool isFirst, W* words) const;
    void widen(Key& key, Field& field, int64_t low, int64_t high);

    std::vector<Key> keys_;
    Layout layout_;
    int64_t rows_ = 0;
    bool isWide_ = false;
};

}  // namespace pelorus
