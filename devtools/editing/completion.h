// Proposes what may be typed next: names, columns, methods, files, databases, arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "devtools/editing/session_names.h"

namespace pelorus {

enum class CandidateKind : uint8_t { Name, Table, Member, Function, Parameter, Keyword, Database, File };

struct Candidate {
    std::string text;   // replaces the source between Completion::begin and the cursor
    std::string shown;  // in a list: the signature of a function
    CandidateKind kind = CandidateKind::Name;
};

struct Completion {
    size_t begin = 0;
    std::vector<Candidate> candidates;  // sorted, best kind first; without duplicates
    // The signature of the function whose argument begins at the cursor, and a line on that argument; or empty.
    std::string hint;

    // Longest common prefix of the candidates, in whole characters.
    std::string commonPrefix() const;
};

// Decides by the words before the cursor, and in a query by its `from` after it. Any bytes are allowed. Stops
// with what it has found once `isLate` says so: it is asked often. Throws nothing.
Completion completeAt(std::string_view text, size_t cursor, const SessionNames& names,
                      const std::function<bool()>& isLate);

// Completes the path between `begin` and the end of the source to names of files; folders end in a slash.
Completion completeFileAt(std::string_view text, size_t begin, const std::function<bool()>& isLate);

}  // namespace pelorus
