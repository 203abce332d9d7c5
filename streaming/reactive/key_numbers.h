// KeyNumbers numbers the keys of a stream engine in the order in which they first come.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/table/table.h"
#include "runtime/value/key_index.h"

namespace pelorus {

// The numbers of keys of one or several columns; without a column all rows have the key 0. NULL is a key. Not
// thread-safe.
class KeyNumbers {
public:
    explicit KeyNumbers(const TableSchema& keyColumns);

    // Writes the number of each row's key; `columns` are the key columns.
    void number(std::span<const Value> columns, int64_t rows, std::vector<int32_t>& numbers);
    int64_t size() const { return size_; }
    // Returns the key columns of these numbers.
    std::vector<Value> keysOf(std::span<const int32_t> numbers) const;
    // Forgets all keys but these, which are numbered anew in this order.
    void keep(std::span<const int32_t> numbers);
    int64_t memoryBytes() const;

private:
    // The keys of the first `i + 1` columns: the number of those of the first `i`, and of the value in column i.
    struct Level {
        std::unique_ptr<KeyIndex> values;
        std::unordered_map<uint64_t, int32_t> pairs;
    };
    void reset();

    const TableSchema keyColumns_;
    std::vector<Level> levels_;
    std::vector<Value> keys_;  // the columns of all keys, by number
    int64_t size_ = 0;
};

}  // namespace pelorus
