// Advice for an error about a name that nothing defines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

// Returns the one built-in whose name differs in letter case only; nullptr where there is none or more than one.
const BuiltinFunction* builtinOfAnyCase(std::string_view name);

enum class NameUse : uint8_t { Word, Called };

// Returns a sentence or two for an error's hint, from the first of these that has something to say: the list of
// functions which this version lacks, characters that look like those of the language, names that differ in case only,
// words of other languages, names with few typing errors. Empty when none has. `candidates` are the names that were in
// reach; built-in functions are added.
std::string adviceForName(std::string_view name, NameUse use, std::vector<std::string_view> candidates);

}  // namespace pelorus
