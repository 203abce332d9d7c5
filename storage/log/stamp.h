// Numbers of commits of a node in a cluster.
//
//   stamp = (revision + base) << 23 | low
//
// `revision` is one of the metadata store. low >= 2^22: a transaction that the store decided at this revision, 2^22 +
// its place among those of the revision. low < 2^22: a commit of this node alone, after what the store had decided up
// to the revision before. Numbers of a node outside of a cluster count from 1; `base` is chosen so that all of them are
// below every stamp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pelorus::stamp {

inline constexpr int kLowBits = 23;
inline constexpr uint64_t kDecided = 1ull << 22;
inline constexpr uint64_t kFirstBase = 1ull << 24;  // of a cluster whose folders counted to 2^47 at most
inline constexpr uint64_t kFirstStamp = kFirstBase << kLowBits;

constexpr bool isDecided(uint64_t number) {
    return number >= kFirstStamp && (number & kDecided) != 0;
}
// Returns the number of a transaction that was decided in this place of a revision.
constexpr uint64_t ofDecision(uint64_t revision, uint64_t base, uint64_t place) {
    return ((revision + base) << kLowBits) | (kDecided + place);
}
// Returns the first number of own commits after everything that was decided at the revision or before.
constexpr uint64_t firstOwnAfter(uint64_t revision, uint64_t base) {
    return (revision + 1 + base) << kLowBits;
}
// Returns the largest number that a reader at this revision may see: own commits of a node that has installed the
// revision are at or below it, later decisions above.
constexpr uint64_t lastSeenAt(uint64_t revision, uint64_t base) {
    return firstOwnAfter(revision, base) + kDecided - 1;
}
// Returns the number of an own commit that follows `last`.
constexpr uint64_t nextOwn(uint64_t last) {
    return isDecided(last) ? ((last >> kLowBits) + 1) << kLowBits : last + 1;
}
// Whether half of the own numbers between two revisions are used up.
constexpr bool runsLow(uint64_t number) {
    return number >= kFirstStamp && !isDecided(number) && (number & (kDecided - 1)) > kDecided / 2;
}

}  // namespace pelorus::stamp
