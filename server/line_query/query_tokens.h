// Tokens of a query of the line protocol's clients, as far as its translation must know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// A token of a query. A name in double quotes is a word that is no keyword: its text is that of our language, _"a
// name".
struct QueryToken {
    enum class Kind : uint8_t { Word, Number, String, Other };

    Kind kind = Kind::Other;
    std::string string;
    std::string blanks = " ";  // before it
    std::string name = "";     // of a word: what it names, without quotes

    bool isWord() const { return kind == Kind::Word; }
    // Whether it is this keyword, in capitals or not.
    bool isWord(std::string_view lower) const;
    bool opens() const { return kind == Kind::Other && (string == "(" || string == "[" || string == "{"); }
    bool closes() const { return kind == Kind::Other && (string == ")" || string == "]" || string == "}"); }
    // Returns the contents of a string: '' stands for one quote, and a backslash escapes a quote or a backslash.
    std::string unquoted() const;
};

using QueryTokens = std::vector<QueryToken>;

// Splits a query. Throws UserError when a string or a name has no closing quote, or a name in quotes is empty.
QueryTokens queryTokens(std::string_view query);
// The tokens with the blanks between them.
std::string stringOf(const QueryTokens& tokens);
std::string trimmedString(const QueryTokens& tokens);
// Returns a string literal of our language.
std::string quoted(std::string_view string);
// Returns a name as our language reads it where a column is meant: _"any name".
std::string quotedName(std::string_view name);
// Returns "2026-01-02T03:04:05.6Z", with a blank for the T or without a part of the time, as a NANOTIMESTAMP literal.
std::optional<std::string> timeLiteral(std::string_view string);

}  // namespace pelorus
