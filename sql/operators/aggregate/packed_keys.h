// The keys of rows as one number each: of every key its distance from the least item so far, in as many bits as the
// range takes.
//
// Equal keys give equal numbers, and numbers of one layout order as keys do (but for codes and negative DOUBLEs). NULL
// is 0. As long as later items lie in the known ranges the layout stays; else numbers of the old one can be packed
// anew, which happens at most once for each bit. Keys that need more than 128 bits have a word each instead.
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
        uint64_t base = 0;  // an item is base + word; 0 stands for NULL
        int bits = 1;
        bool operator==(const Field&) const = default;
    };
    using Layout = std::vector<Field>;

    // Takes a piece of rows: vectors of `rows` items, or scalars that stand for all. Texts and what is no machine word
    // get codes. `digests`, where they are known, are those of keys that are vectors of texts (sql/spill/key_hash.h),
    // nothing for others. The layout covers all items afterwards.
    void take(std::span<const Value> keys, int64_t rows, std::span<const Value> digests);
    const Layout& layout() const { return layout_; }
    int bits() const;
    bool hasCodes() const;
    // Each key by itself, in 64 bits, from here on.
    void makeWide();

    // The rows of the piece that was taken.
    template <class W>
    void pack(W* words) const;
    void packKey(size_t key, uint64_t* words) const;

    // Numbers of another layout of the same keys.
    template <class W>
    W repacked(W word, const Layout& from) const;
    // The word of each key, of a number of another layout.
    void unpackFrom(WideWord word, const Layout& from, uint64_t* words) const;
    // The items that numbers hold of one key.
    template <class W>
    Value items(size_t key, const std::vector<W>& numbers) const;
    Value itemsOfWords(size_t key, std::vector<uint64_t> words) const;

private:
    struct Key {
        Type type;
        std::unique_ptr<KeyIndex> codes;
        bool isReal = false;
        int64_t least = 0, greatest = -1;  // of the items that are no NULL
        // Of the piece.
        Ref<Vector> items;
        int width = 0;
        bool isConstant = false;  // `items` has one
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
