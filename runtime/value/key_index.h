// Hash table from keys to their positions, under dictionaries, sets, `in`, distinct and in-memory joins.
//
// Keys are the elements of one typed vector (or of a tuple), numbered in order of first appearance.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/value/string_digest.h"
#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

class KeyIndex {
public:
    explicit KeyIndex(Type type);

    // Returns the position of the key, or -1. The key is compared after conversion to the index's type.
    int64_t find(const Value& key) const;
    // Returns the position of the key, added when it is new.
    int64_t insert(const Value& key, bool* added = nullptr);
    // Erases a key; the last key takes its position. Returns that position, or -1 when the key is absent.
    int64_t erase(const Value& key);
    void clear();
    // Keeps strings in the arena of the first vector that is inserted instead of copying them; the arena lives as long
    // as this index or its keys do. For an index that is soon dropped.
    void shareStrings() { sharesStrings_ = true; }

    // Bulk forms over a vector of the index's type. `digests` are those of string keys, where they are known.
    void insertAll(const Vector& keys, int32_t* positions, const StringDigest* digests = nullptr);
    void findAll(const Vector& keys, int32_t* positions) const;

    int64_t size() const { return isTuple_ ? static_cast<int64_t>(anyKeys_.size()) : keys_->size(); }
    Type type() const { return type_; }
    Value keys() const;  // a vector, or a tuple for ANY
    Value key(int64_t position) const;

private:
    bool needsRescaling(const Value& key) const;
    // Integers, the usual case, are compared as such with indexes of integers, whatever their widths.
    bool holdsInteger(const Value& key) const;
    size_t slotOfInteger(int64_t number) const;
    uint64_t hashOf(const Value& key) const;
    uint64_t hashAt(int64_t position) const;
    bool equalsAt(int64_t position, const Value& key) const;
    int64_t slotOf(const Value& key) const;
    bool isStringAt(int64_t position, const StringDigest& digest, std::string_view string) const;
    size_t slotOfString(std::string_view string) const;
    void insertStrings(const Vector& keys, const StringDigest* digests, int32_t* positions);
    void digestNewStrings();
    void placeStrings(size_t slots);
    void rehash(size_t slots);

    Type type_;
    bool isTuple_;
    Ref<Vector> keys_;
    std::vector<Value> anyKeys_;
    std::vector<int32_t> slots_;  // position + 1; 0 is free, -1 was erased
    int64_t erased_ = 0;
    bool sharesStrings_ = false;
    std::vector<StringDigest> stringDigests_;  // digests of the first strings; in bulk, of all
};

}  // namespace pelorus
