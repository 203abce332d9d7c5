// The options of `create sequence`, `alter sequence` and identity columns.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "postgres/types/oids.h"
#include "storage/catalog/sequences.h"

namespace pelorus::postgres {

// Returns a sequence of numbers of a type, with the options; `owned by` is left to the caller. Throws SqlError 22023
// for bounds that make no sense.
SequenceEntry sequenceOf(const nlohmann::json& options, Oid type);
// Changes a sequence that is there. Throws as sequenceOf does.
void alterSequence(SequenceEntry& sequence, const nlohmann::json& options);
// Returns the names behind `owned by`; none where it is not there.
std::vector<std::string> ownerOf(const nlohmann::json& options);

// Returns the type of the numbers of a sequence.
Oid typeOf(const SequenceEntry& sequence);

}  // namespace pelorus::postgres
