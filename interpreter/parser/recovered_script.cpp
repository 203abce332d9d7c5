#include "interpreter/parser/recovered_script.h"

#include <algorithm>
#include <array>

#include "interpreter/parser/keywords.h"
#include "interpreter/parser/parser_core.h"

namespace pelorus {

void Parser::noteRefused(const SyntaxError& error) {
    if (recovered_->errors.size() < kMaxErrors) recovered_->errors.push_back(error);
}

// A statement and its end. A parser that recovers returns null for a statement that it refuses, and is then at the next
// one.
NodeRef Parser::wholeStatement() {
    if (!recovered_) {
        NodeRef node = statement();
        statementEnd();
        return node;
    }
    const size_t first = at_;
    const size_t range = recovered_->ranges.size();
    const size_t scopes = scopes_.size();
    const int depth = depth_, functions = functionDepth_, statements = statementDepth_;
    const bool inTransaction = inTransaction_, inUnion = inUnion_;
    NodeRef node;
    try {
        node = statement();
        statementEnd();
    } catch (const SyntaxError& e) {
        scopes_.resize(scopes);
        depth_ = depth;
        functionDepth_ = functions;
        statementDepth_ = statements;
        inTransaction_ = inTransaction;
        inUnion_ = inUnion;
        jitAnnotated_ = stateAnnotated_ = false;
        noteRefused(e);
        skipRefused(first);
        if (range < recovered_->ranges.size()) {
            StatementRange& refused = recovered_->ranges[range];
            refused.end = static_cast<size_t>(tokens_[at_ - 1].end() - text_.data());
            refused.isRefused = !node;
        }
    }
    return node;
}

// Goes to the next token at which a statement may begin, at least one behind `first`. Leaves alone the brace that
// closes the block around the statement.
void Parser::skipRefused(size_t first) {
    const bool hasGivenUp = recovered_->errors.size() >= kMaxErrors;
    std::vector<char> open;
    int braces = 0;
    const auto close = [&] {
        braces -= open.back() == '{';
        open.pop_back();
    };
    const auto follow = [&](const Token& token) {
        if (token.kind != TokenKind::Punctuation || token.source.size() != 1) return;
        const char c = token.source[0];
        if (c == '(' || c == '[' || c == '{') open.push_back(c);
        braces += c == '{';
        if (c != ')' && c != ']' && c != '}') return;
        // A brace closes the brackets that were left open inside of its block.
        while (c == '}' && !open.empty() && open.back() != '{') close();
        if (!open.empty()) close();
    };
    for (size_t i = first; i < at_; ++i) follow(tokens_[i]);
    while (peek().kind != TokenKind::End) {
        if (!hasGivenUp && at_ > first) {
            if (peek().is(";") && open.empty()) return;
            if (peek().is("}") && braces == 0 && statementDepth_ > 0) return;
            if (mayResume(first, open)) return;
        }
        follow(take());
    }
}

// A line of closed brackets begins a statement, as does one that is no further indented than the refused statement;
// not where it goes on with a clause or an operator.
bool Parser::mayResume(size_t first, const std::vector<char>& open) const {
    const Token& token = peek();
    if (!token.newlineBefore) return false;
    if (token.kind == TokenKind::Punctuation && !token.is("@") && !token.is("#") && !token.is("{")) return false;
    const bool isClause = token.kind == TokenKind::Identifier &&
                          std::any_of(kClauseWords.begin(), kClauseWords.end(),
                                      [&](std::string_view word) { return token.isKeyword(word); }) &&
                          !peek(1).is("=");
    if (isClause) return false;
    return open.empty() || token.position.column <= tokens_[first].position.column;
}

RecoveredScript parseRecovering(std::string_view text, const NameRoles& roles) {
    RecoveredScript result;
    std::vector<SyntaxError> refused;
    std::vector<Token> tokens = scanDocument(text, refused);
    Parser parser(text, std::move(tokens), roles, result);
    while (!parser.atEnd()) {
        for (NodeRef& node : parser.part()) result.statements.push_back(std::move(node));
    }
    result.notes = parser.takeNotes();
    result.tokens = parser.takeTokens();
    // The parser refuses again what the lexer has refused, with a less precise error.
    const auto isAt = [](const SyntaxError& error, const SyntaxError& other) {
        return error.position.line == other.position.line && error.position.column == other.position.column;
    };
    for (const SyntaxError& error : refused) {
        std::erase_if(result.errors, [&](const SyntaxError& other) { return isAt(error, other); });
        if (result.errors.size() >= kMaxErrors) break;
        result.errors.push_back(error);
    }
    std::stable_sort(result.errors.begin(), result.errors.end(), [](const SyntaxError& a, const SyntaxError& b) {
        return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
    });
    return result;
}

}  // namespace pelorus
