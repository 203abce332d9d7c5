// Codes for SYMBOL strings: one append-only base per process.
//
// Code 0 is the empty string, the NULL of SYMBOL. Equality of symbols is equality of codes; order is the order of the
// strings, through `ranks`. There is no limit on the number of strings but memory.
//
// Thread-safe. Readers take no lock: a code that was handed out stays valid for the life of the process.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace pelorus::symbols {

int32_t intern(std::string_view string);
// Returns the code of a string that was interned before, or -1: for lookups that must not grow the base.
int32_t find(std::string_view string);
std::string_view string(int32_t code);
int32_t count();

// ranks[code] orders codes as their strings order; rebuilt when codes were added since. Codes at or above the size of
// the vector are newer than it.
std::shared_ptr<const std::vector<int32_t>> ranks();

}  // namespace pelorus::symbols
