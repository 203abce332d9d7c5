// Partial groups of the leaves of an aggregation, held until all are there and are merged.
//
// Leaves are runs of rows whose bounds depend on the data only. The states of a group are merged in the order of the
// leaves within a partition, then in that of the partitions. When there are many groups, or too little memory, those of
// a leaf are partitioned by a hash of their keys: a hash partition is merged by itself, concurrently with others, and
// may be spilled until then. Neither changes which states of a group meet in which order: the answer is the same to the
// bit.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/memory/broker.h"
#include "runtime/table/spill_file.h"
#include "sql/keys/group_table.h"
#include "sql/keys/key_hash.h"
#include "sql/operators/aggregate/partial_groups.h"

namespace pelorus {

// Origin of groups. They are merged in this order.
struct LeafPlace {
    size_t partition = 0, leaf = 0;
    auto operator<=>(const LeafPlace&) const = default;
};

// Called for the hash partitions of all groups, on several threads. Groups of two hash partitions share no key.
using TakePart = std::function<void(size_t part, PartialGroups groups)>;

class GroupParts {
public:
    // `grant`: the operator's, which also covers the groups held in memory here. `folder`: null keeps all in memory.
    GroupParts(std::vector<Type> keyTypes, const AggregatePlan& aggregates, memory::Grant& grant,
               const SpillFolder* folder);

    // Thread-safe. Each place is added once.
    void add(LeafPlace place, PartialGroups groups);
    // Adds groups whose keys all belong to one hash partition; each place once for each part.
    void addPart(LeafPlace place, size_t part, PartialGroups groups);

    // Merges after everything was added, once. Passes part 0 to `take` in any case; it may have no groups.
    void merge(const TakePart& take);
    static constexpr size_t kMaxParts = kKeyParts;
    // Returns how many bytes were spilled.
    int64_t spilledBytes() const { return file_ ? file_->sizeBytes() : 0; }

private:
    struct Piece {
        LeafPlace place;
        PartialGroups groups;
        std::optional<SpillFile::Place> onDisk;  // then `groups` is empty
    };

    bool canCut() const;
    std::vector<PartialGroups> cut(PartialGroups groups) const;
    void cutInto(Piece piece, bool toDisk);
    Piece written(Piece piece);
    void release(const PartialGroups& groups) { grant_.hold(-groups.memoryBytes()); }
    void spill();
    bool isWorthCutting() const;
    PartialGroups loaded(Piece& piece);
    PartialGroups merged(std::vector<Piece> pieces, KeyLookup lookup);

    const std::vector<Type> keyTypes_;
    const AggregatePlan& aggregates_;
    memory::Grant& grant_;
    const SpillFolder* const folder_;
    Mutex mutex_;  // guards the members below while leaves are added; merging has them alone
    std::vector<Piece> whole_;
    std::array<std::vector<Piece>, kMaxParts> parts_;
    bool isCut_ = false;
    std::unique_ptr<SpillFile> file_;
};

}  // namespace pelorus
