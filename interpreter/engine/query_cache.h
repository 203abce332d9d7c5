// QueryCache keeps the parsed queries of one session by their text, so that a program that sends the same query again
// and again, with other values in its variables, pays for reading it once.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interpreter/parser/parser.h"
#include "runtime/code/expression.h"

namespace pelorus {

// Answers that the parser got about names while it read a text. Another reading of the text is the same while they
// hold.
class AskedRoles {
public:
    // Returns roles that pass each question on to `roles`, and note its answer here. This object must outlive them.
    NameRoles noting(NameRoles roles);
    // Returns whether the names have these roles and parameters now.
    bool hold(const NameRoles& roles) const;

private:
    std::vector<std::pair<std::string, NameRole>> roles_;
    std::vector<std::pair<std::string, std::vector<std::string>>> parameters_;
};

// The cache. Scripts of one query alone are kept: such a text is parsed whole before it runs, and the roles of names
// are all that parsing depends on. Holds kMaxQueries, of which the one that was not used for longest goes first. One
// thread at a time uses it.
class QueryCache {
public:
    static constexpr size_t kMaxQueries = 64;
    static constexpr size_t kMaxTextBytes = 4096;

    // Returns the statement of a text that was added; nothing when there is none, or names have other roles than they
    // had.
    NodeList find(std::string_view script, const NameRoles& roles);
    // Keeps the statement of a text, unless the text is longer than kMaxTextBytes. REQUIRES: isOneQuery(statements).
    void add(std::string_view script, AskedRoles asked, NodeList statements);
    // Returns whether the statements are one query alone.
    static bool isOneQuery(const NodeList& statements);
    size_t size() const { return entries_.size(); }

private:
    struct Entry {
        std::string script;
        AskedRoles asked;
        NodeList statements;
    };
    using Entries = std::list<Entry>;
    void erase(Entries::iterator entry);

    Entries entries_;  // the one used last comes first
    std::unordered_map<std::string_view, Entries::iterator> byScript_;
};

}  // namespace pelorus
