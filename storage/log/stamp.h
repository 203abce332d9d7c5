// Commit timestamps: the numbers of commits of a node in a cluster.
//
//   timestamp = (revision + base) << 23 | low
//
// `revision` is one of the metadata store. low >= 2^22: a transaction that the store decided at this revision, 2^22 +
// its position among those of the revision. low < 2^22: a local commit of this node, after those that the store had
// decided up to the revision before. Numbers of a node outside of a cluster count from 1; `base` is chosen so that all
// of them are below every stamp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pelorus::stamp {

inline constexpr int kLowBits = 23;
inline constexpr uint64_t kDecided = 1ull << 22;
inline constexpr uint64_t kFirstBase = 1ull << 24;  // base of a cluster whose folders counted to 2^47 at most
inline constexpr uint64_t kFirstStamp = kFirstBase << kLowBits;

// Returns whether the number is that of a transaction that the store decided.
constexpr bool isDecided(uint64_t number) {
    return number >= kFirstStamp && (number & kDecided) != 0;
}
// Returns the number of a transaction that was decided at this position of a revision.
constexpr uint64_t ofDecision(uint64_t revision, uint64_t base, uint64_t place) {
    return ((revision + base) << kLowBits) | (kDecided + place);
}
// Returns the first number of local commits after everything that was decided at the revision or before.
constexpr uint64_t firstOwnAfter(uint64_t revision, uint64_t base) {
    return (revision + 1 + base) << kLowBits;
}
// Returns the largest number that a reader at this revision may see: local commits of a node that has installed the
// revision and no later one are at or below it, later decisions above.
constexpr uint64_t lastSeenAt(uint64_t revision, uint64_t base) {
    return firstOwnAfter(revision, base) + kDecided - 1;
}
// Returns the number of a local commit that follows `last`.
constexpr uint64_t nextOwn(uint64_t last) {
    return isDecided(last) ? ((last >> kLowBits) + 1) << kLowBits : last + 1;
}
// Returns whether half of the numbers for local commits between two revisions are used up.
constexpr bool runsLow(uint64_t number) {
    return number >= kFirstStamp && !isDecided(number) && (number & (kDecided - 1)) > kDecided / 2;
}

}  // namespace pelorus::stamp
