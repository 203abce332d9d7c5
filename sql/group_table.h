// Numbers for the groups of a `group by`: rows with equal keys get the same number, counted in order of appearance.
//
// Keys become machine words (SYMBOL by code, text and wide values by a code of their own); one small-ranged word is
// looked up directly, others by open addressing: packed into one or two words where they fit, else side by side. Rows
// equal to the row before cost a comparison; as long as packed keys only rise, new ones are not looked up.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/key_index.h"
#include "runtime/value.h"
#include "runtime/vector.h"

namespace pelorus {

// Direct: one key of few bits may be looked up in a table over its range. Hashed: never, because the keys are a sample
// of a wide range.
enum class KeyLookup : uint8_t { Direct, Hashed };

class GroupTable {
public:
    explicit GroupTable(std::vector<Type> keyTypes, KeyLookup lookup = KeyLookup::Direct);

    // The group of each row. Keys are vectors of `rows` items, or scalars that stand for all rows.
    void assign(std::span<const Value> keys, int64_t rows, int32_t* groups);

    int64_t size() const { return size_; }
    // Whether all keys so far came in ascending order.
    bool sawAscending() const { return ascending_ && !dense_; }
    // One vector per key, one item per group.
    std::vector<Value> keys() const;

private:
    void assignPiece(std::span<const Value> keys, int64_t rows, int32_t* groups);
    using Word = unsigned __int128;

    bool assignRuns(std::span<const Value> keys, int64_t rows, int32_t* groups);
    void assignRows(std::span<const Value> keys, int64_t rows, int32_t* groups);
    // The items of one key as words of its width in bits.
    void encode(size_t key, const Value& values, int64_t rows, std::vector<uint64_t>& words);
    // T is the item of the key; false when the range has become too wide.
    template <class T>
    bool assignDense(const T* items, int64_t rows, int32_t* groups);
    bool assignDense(const Value& key, int64_t rows, int32_t* groups);
    template <class K>
    std::vector<K>& knownKeys();
    template <class K>
    void fillSlots();
    template <class K>
    int64_t assignAscending(const K* keys, int64_t rows, int32_t* groups);
    template <class K>
    void assignHashed(const K* keys, int64_t rows, int32_t* groups);
    void assignWide(const std::vector<std::vector<uint64_t>>& words, int64_t rows, int32_t* groups);
    void fillWideSlots(size_t slots);
    std::vector<uint64_t> wordsOf(size_t key) const;

    std::vector<Type> types_;
    std::vector<int> bits_;
    std::vector<std::unique_ptr<KeyIndex>> codes_;   // of keys that are no words themselves
    std::vector<std::vector<uint64_t>> groupWords_;  // per key, one per group
    int64_t size_ = 0;

    // Direct look-up of one word: group of word - base, or -1.
    bool dense_ = false;
    int64_t denseBase_ = 0;
    int64_t denseRows_ = 0;  // that were looked up so
    std::vector<int32_t> denseGroups_;

    // While keys come in ascending order no slots are needed.
    bool ascending_ = true;
    // Open addressing: group + 1 per slot, keys beside.
    std::vector<int32_t> slots_;
    std::vector<uint64_t> keys64_;
    std::vector<Word> keys128_;
    // Of keys beyond two words: the words of a group side by side, and slots with half a hash above group + 1.
    bool isWide_ = false;
    std::vector<uint64_t> wideKeys_;
    std::vector<uint64_t> wideSlots_;
};

}  // namespace pelorus
