// Partition schemes: VALUE, RANGE, LIST, HASH, and COMPO as several levels of these.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

// The kind of a scheme. In files and on the network: append, never renumber.
enum class PartitionKind : uint8_t { Seq = 0, Value = 1, Range = 2, List = 3, Compo = 4, Hash = 5 };

// One level of a scheme.
class PartitionLevel {
public:
    // Makes a level. `scheme` is the script's value: a vector of values (VALUE), ascending boundaries (RANGE), a tuple
    // of vectors or scalars (LIST), or a tuple of type id and number of buckets (HASH). Throws UserError when it does
    // not fit the kind.
    PartitionLevel(PartitionKind kind, Value scheme);

    PartitionKind kind() const { return kind_; }
    const Value& scheme() const { return scheme_; }
    Type keyType() const { return keyType_; }
    int count() const { return count_; }
    // Returns the number of partitions that take rows: all but the dropped ones.
    int takingCount() const { return count_ - static_cast<int>(dropped_.size()); }

    // Writes the partition of each row, or -1 for a row that no partition takes. A temporal column finer than the
    // scheme is converted down. Throws UserError when the column's type cannot be placed.
    void place(const Vector& column, int32_t* partitions) const;
    int placeOne(const Value& key) const;

    // Returns the name of a partition in a chunk path: "20240315", "A_D", "List0", "Key3".
    std::string label(int partition) const;

    // Returns the partitions, ascending, that may hold a row whose key is within [low, high]; VOID leaves a side open.
    // Returns nothing when all may. Searches: the time does not grow with the number of partitions.
    std::optional<std::vector<int>> partitionsBetween(const Value& low, const Value& high) const;

    // Adds values to a VALUE scheme, or boundaries outward to a RANGE scheme; existing positions keep their number.
    void extend(const Value& keys);

    // Makes a VALUE level take no more rows for the value at this position, until extend brings it back under the same
    // number. Existing rows stay readable.
    void drop(int position);
    const std::vector<int>& dropped() const { return dropped_; }
    // Returns the scheme without the dropped values.
    Value liveScheme() const;

    // Keys for placing, as integers or strings; shared by copies.
    struct Lookup;

private:
    void takeKeys(const Value& element, int owner);
    void buildLookup();
    Value keyOf(const Value& bound, bool isLow) const;
    const std::vector<int32_t>& ascendingKeys() const;

    PartitionKind kind_;
    Value scheme_;
    Type keyType_ = Type::Void;
    int count_ = 0;
    Ref<Vector> keys_;          // VALUE: the values; RANGE: the boundaries; LIST: all values, flat
    std::vector<int> owner_;    // VALUE, LIST: partition of each of keys_
    std::vector<int> dropped_;  // positions, ascending
    std::shared_ptr<const Lookup> lookup_;
};

// Writes the bucket of each element, 0 to count - 1; -1 for NULL. HASH partitions and clients use it (wire protocol
// 2.14). Throws UserError for types that have no bucket.
void hashBuckets(const Vector& column, int count, int32_t* buckets);

class PartitionScheme {
public:
    PartitionScheme() = default;
    explicit PartitionScheme(std::vector<PartitionLevel> levels) : levels_(std::move(levels)) {}

    const std::vector<PartitionLevel>& levels() const { return levels_; }
    std::vector<PartitionLevel>& mutableLevels() { return levels_; }
    bool isCompo() const { return levels_.size() > 1; }

    // Writes one partition number per row over all levels, -1 when a level does not take it.
    void place(const std::vector<const Vector*>& columns, int64_t* partitions) const;
    int64_t flatten(const std::vector<int>& index) const;
    std::vector<int> unflatten(int64_t partition) const;
    // Returns a path such as "/20240315/A_D".
    std::string path(const std::vector<int>& index) const;

private:
    std::vector<PartitionLevel> levels_;
};

}  // namespace pelorus
