// The modes of locks, and which of them exclude each other: those of PostgreSQL, for rows, tables and numbers alike.
#pragma once

#include <cstdint>

namespace pelorus {

// A mode. Those of rows and of advisory locks are some of the modes of tables (see below).
enum class LockMode : uint8_t {
    AccessShare,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
};

// The modes of rows: `for key share`, `for share`, `for no key update`, `for update`.
namespace row_lock {
constexpr LockMode kKeyShare = LockMode::AccessShare;
constexpr LockMode kShare = LockMode::RowShare;
constexpr LockMode kNoKeyUpdate = LockMode::Exclusive;
constexpr LockMode kUpdate = LockMode::AccessExclusive;
}  // namespace row_lock

// A set of modes.
using LockModes = uint8_t;
constexpr LockModes setOf(LockMode mode) {
    return static_cast<LockModes>(1u << static_cast<unsigned>(mode));
}

// Returns the modes that exclude a mode.
constexpr LockModes conflictsOf(LockMode mode) {
    using enum LockMode;
    const auto from = [](LockMode first) {  // that mode and all stronger ones
        return static_cast<LockModes>(0xffu << static_cast<unsigned>(first));
    };
    switch (mode) {
        case AccessShare:
            return setOf(AccessExclusive);
        case RowShare:
            return from(Exclusive);
        case RowExclusive:
            return from(Share);
        case ShareUpdateExclusive:
            return from(ShareUpdateExclusive);
        case Share:
            return static_cast<LockModes>(from(RowExclusive) & ~setOf(Share));
        case ShareRowExclusive:
            return from(RowExclusive);
        case Exclusive:
            return from(RowShare);
        case AccessExclusive:
            return from(AccessShare);
    }
    return from(AccessShare);
}

// Returns whether who holds `held` has all that `mode` would give: every mode that `mode` excludes is excluded.
constexpr bool covers(LockModes held, LockMode mode) {
    LockModes excluded = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
        if ((held & (1u << bit)) != 0) excluded |= conflictsOf(static_cast<LockMode>(bit));
    }
    return (held & setOf(mode)) != 0 || (held != 0 && (conflictsOf(mode) & ~excluded) == 0);
}

}  // namespace pelorus
