// The lexer splits script text into tokens. It recognizes words, numbers and strings; the parser interprets them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/source_position.h"
#include "runtime/value/value.h"

namespace pelorus {

class SyntaxError;

enum class TokenKind : uint8_t {
    End,
    Identifier,   // may be qualified (a::b) and end in '!'
    Number,       // numbers, temporals, durations, typed nulls; see numberLiteral
    String,       // a quoted string or character: `text` is the content
    Backtick,     // `word: `text` is the word
    ColumnName,   // _"any name": `text` is the name
    Macro,        // _$name
    MacroMany,    // _$$name
    Punctuation,  // operators, brackets, separators
    Unfinished,   // a string or comment without an end, by scanTokens only
    Invalid,      // a character sequence outside the language, by scanTokens only
};

// A token. It points into the text, which must outlive it.
struct Token {
    TokenKind kind = TokenKind::End;
    std::string_view source;  // source text of the token
    std::string text;         // content of String, Backtick, ColumnName, Macro tokens
    SourcePosition position;
    bool spaceBefore = false;
    bool newlineBefore = false;
    bool isChar = false;  // String in single quotes around exactly one character

    // Returns whether it is this punctuation. The parser calls it some fifty times a token: mostly the first character
    // decides.
    bool is(std::string_view punctuation) const {
        return kind == TokenKind::Punctuation && source.size() == punctuation.size() &&
               source.front() == punctuation.front() && source == punctuation;
    }
    bool isWord(std::string_view word) const { return kind == TokenKind::Identifier && source == word; }
    // Returns whether it is a SQL keyword: all lower case or all upper case.
    bool isKeyword(std::string_view lowerCase) const;
    const char* begin() const { return source.data(); }
    const char* end() const { return source.data() + source.size(); }
};

// Returns the tokens of a text, the last one of kind End. They point into the text. Throws SyntaxError.
std::vector<Token> tokenize(std::string_view text);

// Tokenizes text that is still being written: a part that tokenize refuses becomes a token, too. Throws nothing.
std::vector<Token> scanTokens(std::string_view text);

// Tokenizes a document in which only the part at the cursor is unfinished: it does what scanTokens does, but a string
// without an end ends with its line, and the errors of tokenize are appended to `refused`.
std::vector<Token> scanDocument(std::string_view text, std::vector<SyntaxError>& refused);

// Returns the value of a Number token, negated when `negative`. Throws SyntaxError when it has none.
Value numberLiteral(const Token& token, bool negative);

}  // namespace pelorus
