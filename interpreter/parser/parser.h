// Parses script text to trees of nodes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "runtime/code/expression.h"

namespace pelorus {

// The error at a position where the text does not follow the grammar. Nothing of the text has run.
class SyntaxError : public UserError {
public:
    SyntaxError(SourcePosition position, std::string what, std::string hint = "", bool atEnd = false)
        : UserError(std::move(what), std::move(hint)), position(position), atEnd(atEnd) {}
    SourcePosition position;
    // The text ended inside a construct: a REPL asks for another line.
    bool atEnd;
};

// The role that a name already has where the text will run: only this distinguishes `x f y` from `f g y`.
enum class NameRole : uint8_t { Unknown, Variable, Function };
struct NameRoles {
    std::function<NameRole(std::string_view name)> role;
    // Returns the parameters of a function, which in a query distinguish a keyword argument from a comparison; empty
    // when not known.
    std::function<std::vector<std::string>(std::string_view function)> parameters;

    NameRoles() = default;
    template <class Role>
    NameRoles(Role role) : role(std::move(role)) {}
};

// A note of the parser on valid text: a reading that may not be meant.
struct ParserNote {
    SourcePosition position;
    std::string text;
};

// Parses the statements of a script, in order. Names that the text itself defines, and built-in functions, are known to
// the parser; `roles` describes others (a session's variables and functions) and may be empty. Throws SyntaxError,
// whose message begins with "Syntax Error: [line #n]". Any bytes are either parsed or refused; nesting is limited.
NodeList parseScript(std::string_view text, const NameRoles& roles = {});

class Parser;

// A reader of a script part by part: `go` ends a part. A part is parsed only after the parts before it have run, so
// that the names they defined are known. The text must outlive it.
class ScriptReader {
public:
    ScriptReader(std::string_view text, NameRoles roles);
    ~ScriptReader();
    // Parses the statements of the next part, its `go` among them; returns false at the end of the text. Throws
    // SyntaxError.
    bool next(NodeList& part);
    // Parses the current part once more, with the roles that names have now.
    NodeList again();
    // Returns the notes on the part; each note is returned once.
    std::vector<ParserNote> takeNotes();

private:
    std::string_view text_;
    NameRoles roles_;
    std::unique_ptr<Parser> parser_;
    size_t begin_ = 0;
};

// Parses one expression or query, for parseExpr and function requests. Throws SyntaxError.
NodeRef parseExpression(std::string_view text, const NameRoles& roles = {});

}  // namespace pelorus
