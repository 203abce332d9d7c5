// Splits the queries of the line protocol's clients into tokens, as far as translateQuery must know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// A token of a query. A name in double quotes becomes a word that is no keyword; its string is that of our language,
// _"a name".
struct QueryToken {
    enum class Kind : uint8_t { Word, Number, String, Other };

    Kind kind = Kind::Other;
    std::string string;
    std::string blanks = " ";  // white space before the token
    std::string name = "";     // name that a word denotes, without quotes

    bool isWord() const { return kind == Kind::Word; }
    // Returns whether it is this keyword, in capitals or not. `lower` is in lower case.
    bool isWord(std::string_view lower) const;
    bool opens() const { return kind == Kind::Other && (string == "(" || string == "[" || string == "{"); }
    bool closes() const { return kind == Kind::Other && (string == ")" || string == "]" || string == "}"); }
    // Returns the contents of a string: '' is an escaped quote, and a backslash escapes a quote or a backslash.
    std::string unquoted() const;
};

using QueryTokens = std::vector<QueryToken>;

// Splits a query. Throws UserError when a string or a name has no closing quote, or a name in quotes is empty.
QueryTokens queryTokens(std::string_view query);
// Return the tokens with the blanks between them; trimmedString without the blanks before the first.
std::string stringOf(const QueryTokens& tokens);
std::string trimmedString(const QueryTokens& tokens);
// Returns a string literal of our language.
std::string quoted(std::string_view string);
// Returns a name as our language reads it where a column is meant: _"any name".
std::string quotedName(std::string_view name);
// Converts a time such as "2026-01-02T03:04:05.6Z", with a blank for the T or without a part of the time, to a
// NANOTIMESTAMP literal. Returns nullopt for any other string.
std::optional<std::string> timeLiteral(std::string_view string);

}  // namespace pelorus
