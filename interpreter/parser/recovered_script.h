// RecoveredScript is the parse of a document that a person is writing: every statement that can be read, and every
// error.
#pragma once

#include <string_view>
#include <vector>

#include "interpreter/parser/lexer.h"
#include "interpreter/parser/parser.h"

namespace pelorus {

// The bytes of one statement in the text. The ranges of a script form a tree: a statement of a body is inside of the
// one that has the body.
struct StatementRange {
    size_t begin = 0, end = 0;
    int parent = -1;         // index of the innermost statement around it; -1 at the top level
    bool isRefused = false;  // the statement was refused, and has no node
};

// The result of parseRecovering. It refers to the text, which must outlive it.
struct RecoveredScript {
    NodeList statements;                 // without those that were refused
    std::vector<SyntaxError> errors;     // errors by position, at most kMaxErrors
    std::vector<ParserNote> notes;       // readings that may not be meant
    std::vector<StatementRange> ranges;  // ranges by begin, outer ones first
    std::vector<Token> tokens;           // they point into the text; operators such as `>>` may be split
};

// Beyond this many errors the remaining text is one refused statement.
inline constexpr size_t kMaxErrors = 200;

// Parses all statements of a text, past every `go`. After an error parsing continues at the next statement of the same
// block: after a `;`, or on a line whose brackets are closed or that begins no further right than the refused
// statement. Throws nothing for any bytes; the text must outlive the result.
RecoveredScript parseRecovering(std::string_view text, const NameRoles& roles = {});

}  // namespace pelorus
