// Hash table from keys to group numbers of a `group by`: rows with equal keys get the same number, counted in order of
// appearance.
//
// Keys are packed into one number (packed_keys.h). A small one is looked up directly, others by open addressing, with
// the slots of the next rows prefetched. A row equal to its predecessor costs a comparison; while keys only rise, new
// ones are not looked up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/value/value.h"
#include "sql/keys/packed_keys.h"

namespace pelorus {

// Direct: keys of few bits may be looked up in a direct-address table over their range. Hashed: never, because the keys
// are a sample of a wide range.
enum class KeyLookup : uint8_t { Direct, Hashed };

class GroupTable {
public:
    explicit GroupTable(const std::vector<Type>& keyTypes, KeyLookup lookup = KeyLookup::Direct);

    // Reserves memory for about so many groups.
    void expect(int64_t groups) { expected_ = static_cast<size_t>(groups); }

    // Assigns each row its group. Keys are vectors of `rows` values, or scalars for all rows; `digests` as PackedKeys
    // takes them.
    void assign(std::span<const Value> keys, int64_t rows, int32_t* groups, std::span<const Value> digests = {});

    int64_t size() const { return size_; }
    // Returns the number of bits of the ranges of the keys so far; codes have no range.
    int keyBits() const { return packed_.hasCodes() ? 128 : packed_.bits(); }
    // Whether all keys so far came in ascending order, and none was looked up directly.
    bool sawAscending() const { return ascending_ && form_ != Form::Direct; }
    // Returns one vector per key, one value per group.
    std::vector<Value> keys() const;

private:
    // Form of the known groups: numbers of 64 bits with a direct-address table; numbers of 64 bits with slots; numbers
    // of 128 bits; one word for each key.
    enum class Form : uint8_t { Direct, Word, TwoWords, Wide };

    void assignPiece(std::span<const Value> keys, int64_t rows, int32_t* groups, std::span<const Value> digests);
    bool assignRuns(std::span<const Value> keys, int64_t rows, int32_t* groups);
    void assignRows(std::span<const Value> keys, int64_t rows, int32_t* groups, std::span<const Value> digests);
    // Converts the known groups to the layout that the newest piece needs.
    void follow(const PackedKeys::Layout& before);
    Form formFor(int bits) const;
    void fillDirect();
    void assignDirect(int64_t rows, int32_t* groups);
    template <class Known>
    void fillSlots(const Known& known);
    template <class W>
    int64_t assignAscending(std::vector<W>& known, const W* words, int64_t rows, int32_t* groups);
    template <class W>
    void assignWords(std::vector<W>& known, int64_t rows, int32_t* groups);
    void assignWide(int64_t rows, int32_t* groups);
    // `known` searches and adds rows of the piece.
    template <class Known>
    void assignHashed(Known& known, int64_t from, int64_t rows, int32_t* groups);

    size_t width_;  // number of keys
    KeyLookup lookup_;
    PackedKeys packed_;
    Form form_;
    size_t expected_ = 0;
    int64_t size_ = 0;
    int64_t rowsSeen_ = 0;
    bool ascending_ = true;  // while true no slots are needed

    std::vector<uint64_t> words_;
    std::vector<WideWord> twoWords_;
    std::vector<uint64_t> wideWords_;  // those of a group contiguous
    std::vector<int32_t> directGroups_;
    std::vector<uint64_t> slots_;  // half a hash above group + 1; 0 is free
    std::vector<uint32_t> places_;
    std::vector<uint64_t> hashes_;
};

}  // namespace pelorus
