#include "sql/operators/aggregate/group_parts.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table/table.h"
#include "sql/operators/aggregate/group_builder.h"
#include "sql/plan/aggregate_plan.h"

namespace pelorus {

namespace {

// Below this number a sequential merge is faster than sharing the work.
constexpr int64_t kManyGroups = int64_t{1} << 22;

}  // namespace

GroupParts::GroupParts(std::vector<Type> keyTypes, const AggregatePlan& aggregates, memory::Grant& grant,
                       const SpillFolder* folder)
    : keyTypes_(std::move(keyTypes)), aggregates_(aggregates), grant_(grant), folder_(folder) {}

void GroupParts::add(LeafPlace place, PartialGroups groups) {
    CHECK(groups.states.size() == aggregates_.calls.size()) << "a leaf has a state for each aggregate";
    const bool mayKeep = grant_.hold(groups.memoryBytes());
    {
        const MutexLock guard(mutex_);
        whole_.push_back({place, std::move(groups), std::nullopt});
    }
    if (!mayKeep && folder_ && canCut()) spill();
}

void GroupParts::addPart(LeafPlace place, size_t part, PartialGroups groups) {
    CHECK(part < kMaxParts) << "parts are numbered below their count";
    const bool mayKeep = grant_.hold(groups.memoryBytes());
    Piece piece{place, std::move(groups), std::nullopt};
    if (!mayKeep && folder_) piece = written(std::move(piece));
    const MutexLock guard(mutex_);
    isCut_ = true;
    parts_[part].push_back(std::move(piece));
}

// Whether the types of the keys are known before the rows.
bool GroupParts::canCut() const {
    return !keyTypes_.empty() && std::all_of(keyTypes_.begin(), keyTypes_.end(), [](Type type) {
        return storageOf(type) != Storage::Boxed && storageOf(type) != Storage::None && !isArrayType(type);
    });
}

std::vector<PartialGroups> GroupParts::cut(PartialGroups groups) const {
    const auto count = static_cast<size_t>(groups.groups);
    std::vector<uint64_t> hashes(count);
    for (const Value& key : groups.keys) mixKey(key, groups.groups, hashes.data());
    std::vector<uint8_t> partOf(count);
    std::vector<int32_t> place(count);
    std::vector<std::vector<int32_t>> positions(kMaxParts);
    for (size_t g = 0; g < count; ++g) {
        partOf[g] = static_cast<uint8_t>(memoryPartOf(hashes[g]));
        std::vector<int32_t>& own = positions[partOf[g]];
        place[g] = static_cast<int32_t>(own.size());
        own.push_back(static_cast<int32_t>(g));
    }
    for (const Value& key : groups.keys) CHECK(key.size() == groups.groups) << "each group has one key";
    std::vector<PartialGroups> parts(kMaxParts);
    for (size_t p = 0; p < kMaxParts; ++p) {
        parts[p].groups = static_cast<int64_t>(positions[p].size());
        for (const Value& key : groups.keys)
            parts[p].keys.push_back(gatherElements(key, positions[p].data(), parts[p].groups));
    }
    std::vector<GroupedState*> targets(kMaxParts);
    for (size_t i = 0; i < groups.states.size(); ++i) {
        for (size_t p = 0; p < kMaxParts; ++p) {
            parts[p].states.push_back(aggregates_.newState(i));
            parts[p].states.back()->resize(parts[p].groups);
            targets[p] = parts[p].states.back().get();
        }
        groups.states[i]->split(targets, partOf.data(), place.data(), groups.groups);
        groups.states[i].reset();
    }
    return parts;
}

GroupParts::Piece GroupParts::written(Piece piece) {
    std::string bytes;
    release(piece.groups);  // before it is saved, which may make it smaller
    encodeValue(saveGroups(piece.groups), Peer::Node, bytes);
    piece.groups = PartialGroups();
    SpillFile* file = nullptr;
    {
        const MutexLock guard(mutex_);
        if (!file_) file_ = std::make_unique<SpillFile>(*folder_);
        file = file_.get();
    }
    piece.onDisk = file->write(std::move(bytes));
    return piece;
}

void GroupParts::cutInto(Piece piece, bool toDisk) {
    release(piece.groups);
    std::vector<PartialGroups> parts = cut(std::move(piece.groups));
    for (size_t p = 0; p < kMaxParts; ++p) {
        if (parts[p].groups == 0) continue;
        grant_.hold(parts[p].memoryBytes());
        Piece own{piece.place, std::move(parts[p]), std::nullopt};
        if (toDisk) own = written(std::move(own));
        const MutexLock guard(mutex_);
        isCut_ = true;
        parts_[p].push_back(std::move(own));
    }
}

// Spills the groups that leaves have added so far.
void GroupParts::spill() {
    std::vector<Piece> pieces;
    {
        const MutexLock guard(mutex_);
        pieces.swap(whole_);
    }
    for (Piece& piece : pieces) cutInto(std::move(piece), true);
}

bool GroupParts::isWorthCutting() const {
    int64_t groups = 0;
    for (const Piece& piece : whole_) groups += piece.groups.groups;
    const bool isAscending =
        std::all_of(whole_.begin(), whole_.end(), [](const Piece& piece) { return piece.groups.ascending; });
    return whole_.size() > 1 && groups > kManyGroups && !isAscending && canCut();
}

PartialGroups GroupParts::loaded(Piece& piece) {
    if (!piece.onDisk) {
        release(piece.groups);
        return std::move(piece.groups);
    }
    CHECK(file_ != nullptr) << "a piece on disk lies in the file of its groups";
    const std::string bytes = file_->read(*piece.onDisk);
    StringSource source(bytes);
    return loadGroups(decodeValue(source, Peer::Node), keyTypes_, aggregates_);
}

PartialGroups GroupParts::merged(std::vector<Piece> pieces, KeyLookup lookup) {
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.place < b.place; });
    const auto mergedRange = [&](size_t begin, size_t end) {
        if (end - begin == 1) return loaded(pieces[begin]);
        GroupBuilder partition(keyTypes_, aggregates_, lookup);
        for (size_t i = begin; i < end; ++i) partition.merge(loaded(pieces[i]));
        return partition.finish();
    };
    std::vector<size_t> begins;
    for (size_t i = 0; i < pieces.size(); ++i) {
        if (i == 0 || pieces[i].place.partition != pieces[i - 1].place.partition) begins.push_back(i);
    }
    if (begins.size() == 1) return mergedRange(0, pieces.size());
    GroupBuilder whole(keyTypes_, aggregates_, lookup);
    for (size_t p = 0; p < begins.size(); ++p)
        whole.merge(mergedRange(begins[p], p + 1 < begins.size() ? begins[p + 1] : pieces.size()));
    return whole.finish();
}

void GroupParts::merge(const TakePart& take) {
    if (!isCut_ && !isWorthCutting()) return take(0, merged(std::move(whole_), KeyLookup::Direct));
    std::vector<Piece> uncut = std::move(whole_);
    whole_.clear();
    parallelFor(static_cast<int64_t>(uncut.size()),
                [&](int64_t i) { cutInto(std::move(uncut[static_cast<size_t>(i)]), false); });
    parallelFor(static_cast<int64_t>(kMaxParts), [&](int64_t part) {
        const auto p = static_cast<size_t>(part);
        take(p, merged(std::move(parts_[p]), KeyLookup::Hashed));
    });
}

}  // namespace pelorus
