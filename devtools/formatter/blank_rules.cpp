#include "devtools/formatter/blank_rules.h"

#include <algorithm>
#include <array>

#include "common/check.h"

namespace pelorus {

namespace {

constexpr std::array<std::string_view, 14> kSpaced = {
    "+=", "-=", "*=", "/=", "\\=", "==", "!=", "<>", "<=", ">=", "&&", "||", "->", "<-"};
// Spaced when they are written without any blank between two operands.
constexpr std::array<std::string_view, 7> kArithmetic = {"+", "-", "*", "/", "\\", "<", ">"};

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

// An operator that touches both of its operands, on one line.
static bool isTight(const Token& left, const Token& sign, const Token& right) {
    return isAmong(sign, kArithmetic) && !sign.spaceBefore && !right.spaceBefore && endsOperand(left) &&
           beginsOperand(right);
}

bool wantsBlank(const std::vector<Token>& tokens, const std::vector<TokenPlace>& places, size_t i) {
    CHECK(i > 0 && i < tokens.size()) << "a blank stands between two tokens";
    CHECK(tokens.size() == places.size()) << "every token has its place";
    const Token &before = tokens[i - 1], &after = tokens[i];
    const TokenPlace &beforePlace = places[i - 1], &afterPlace = places[i];
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
    if (i + 1 < tokens.size() && isTight(before, after, tokens[i + 1])) return true;
    return written || (i > 1 && isTight(tokens[i - 2], before, after));
}

}  // namespace pelorus
