// Completes source text: proposes names, columns, methods, files, databases and arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "devtools/editing/session_names.h"

namespace pelorus {

enum class CandidateKind : uint8_t { Name, Table, Member, Function, Parameter, Keyword, Database, File };

// One proposal.
struct Candidate {
    std::string text;   // replaces the source between Completion::begin and the cursor
    std::string shown;  // representation in a list: the signature of a function
    CandidateKind kind = CandidateKind::Name;
};

// The proposals at a cursor.
struct Completion {
    size_t begin = 0;
    std::vector<Candidate> candidates;  // sorted, best kind first; without duplicates
    // The signature of the function whose argument begins at the cursor, and a line on that argument; or empty.
    std::string hint;

    // Returns the longest common prefix of the candidates, cut between characters.
    std::string commonPrefix() const;
};

// Returns the proposals at an offset. They depend on the words before the cursor, and in a query on its `from` after
// it. Any bytes are allowed. Returns what it has found so far once `isLate` returns true, which is called often. Throws
// nothing.
Completion completeAt(std::string_view text, size_t cursor, const SessionNames& names,
                      const std::function<bool()>& isLate);

// Completes the path between `begin` and the end of the source text to names of files; folders end in a slash.
Completion completeFileAt(std::string_view text, size_t begin, const std::function<bool()>& isLate);

}  // namespace pelorus
