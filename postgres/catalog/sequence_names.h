// Finds the sequences that a statement names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/session_facts.h"
#include "runtime/function/context.h"
#include "storage/catalog/sequences.h"

namespace pelorus::postgres {

// Returns the names that a string such as 'public."My seq"' has between its dots. Throws SqlError 42602 for one that is
// no name.
std::vector<std::string> namesInText(std::string_view text);

// Finds a sequence by such a string, without a schema along the search path. Throws SqlError 42P01 for none.
SequenceEntry findSequence(std::string_view text, const std::vector<std::string>& searchPath, Context& context);
// Returns nothing where there is none.
std::optional<SequenceEntry> sequenceIn(const std::string& schema, const std::string& name, Context& context);
// Returns the name with its schema, as findSequence takes it.
std::string sequenceText(const SequenceEntry& sequence);

// A sequence that catalogs show, with its schema.
struct ShownSequence {
    std::string schema;
    SequenceEntry entry;
};
// Returns the sequences that the user may see.
std::vector<ShownSequence> shownSequences(Context& context);

}  // namespace pelorus::postgres
