// These tables list the words of the language by role; most of them may also be names, where the context decides which
// is meant.
#pragma once

#include <array>
#include <string_view>

namespace pelorus {

// Words that begin or divide statements, anywhere.
inline constexpr std::array<std::string_view, 28> kStatementWords = {
    "for",    "do",   "while", "if",     "else",   "break", "continue", "return",     "def", "defg",
    "mapr",   "try",  "catch", "throw",  "assert", "const", "undef",    "module",     "use", "go",
    "select", "exec", "class", "import", "share",  "timer", "as",       "transaction"};

// Words that end an expression inside of a query.
inline constexpr std::array<std::string_view, 33> kClauseWords = {
    "from",  "where",     "group",  "context", "pivot", "cgroup", "csort", "having", "order", "limit", "map",
    "union", "intersect", "except", "as",      "asc",   "desc",   "nulls", "on",     "join",  "left",  "right",
    "full",  "inner",     "cross",  "then",    "when",  "else",   "end",   "values", "set",   "over",  "partition"};

// Words between two operands inside of a query, in lower or upper case.
inline constexpr std::array<std::string_view, 8> kConditionWords = {"and",     "or", "is",   "not",
                                                                    "between", "in", "like", "ilike"};

// Words that begin a query or a definition at the start of a statement, besides select and exec.
inline constexpr std::array<std::string_view, 7> kDefinitionWords = {"update", "delete", "insert", "create",
                                                                     "alter",  "drop",   "with"};

// Other words that only a query or definition has.
inline constexpr std::array<std::string_view, 8> kQueryWords = {"by",    "top",      "distinct", "into",
                                                                "outer", "semijoin", "case",     "notBetween"};

// Words for values.
inline constexpr std::array<std::string_view, 6> kValueWords = {"true", "false", "NULL", "pi", "e", "DFLT"};

// Returns whether a word is one of the above, in lower or upper case, or names a type or another constant: a table or
// variable of this name cannot be written everywhere.
bool isLanguageWord(std::string_view word);

}  // namespace pelorus
