#include "devtools/formatter/blank_rules.h"

#include <algorithm>
#include <array>

namespace pelorus {

namespace {

constexpr std::array<std::string_view, 14> kSpaced = {
    "+=", "-=", "*=", "/=", "\\=", "==", "!=", "<>", "<=", ">=", "&&", "||", "->", "<-"};
// Spaced when they are written without any blank between two operands.
constexpr std::array<std::string_view, 5> kArithmetic = {"+", "-", "*", "/", "\\"};

bool isAmong(const Token& token, const auto& signs) {
    return token.kind == TokenKind::Punctuation && std::find(signs.begin(), signs.end(), token.source) != signs.end();
}

bool endsOperand(const Token& token) {
    switch (token.kind) {
        case TokenKind::Identifier:
        case TokenKind::Number:
        case TokenKind::String:
        case TokenKind::Backtick:
            return true;
        default:
            return token.is(")") || token.is("]");
    }
}

bool beginsOperand(const Token& token) {
    switch (token.kind) {
        case TokenKind::Identifier:
        case TokenKind::Number:
        case TokenKind::String:
        case TokenKind::Backtick:
            return true;
        default:
            return token.is("(");
    }
}

bool isHeadWord(const Token& token) {
    return token.isWord("if") || token.isWord("for") || token.isWord("while") || token.isWord("catch");
}

}  // namespace

bool wantsBlank(const Token& before, const TokenPlace& beforePlace, const Token& after, const TokenPlace& afterPlace,
                const Token& next) {
    const bool written = after.spaceBefore;
    if (before.is(",") || before.is(";")) return !after.is(")") && !after.is("]");
    if (after.is(",") || after.is(";")) return written && (before.is(",") || before.is("(") || before.is("["));
    if (before.is("(") || before.is("[") || after.is(")") || after.is("]")) return false;
    if (after.is("{") && afterPlace.opensBlock) return true;
    if (before.is("{") && beforePlace.opensBlock) return !after.is("}");
    if (after.is("}") && afterPlace.closesBlock) return true;
    if (before.is("}") && beforePlace.closesBlock && after.kind == TokenKind::Identifier) return true;
    if (after.is("(") && isHeadWord(before)) return true;
    // `=` of an assignment; in brackets it may be a keyword argument.
    const bool assigns = afterPlace.bracket != '(' && afterPlace.bracket != '[';
    if ((after.is("=") || before.is("=")) && assigns) return true;
    if (isAmong(before, kSpaced) || isAmong(after, kSpaced)) return true;
    if (isAmong(after, kArithmetic)) {
        return written || (endsOperand(before) && beginsOperand(next) && !next.spaceBefore && !next.newlineBefore);
    }
    return written;
}

}  // namespace pelorus
