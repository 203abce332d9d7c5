#include "server/line_query/query_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <utility>

#include "common/error.h"

namespace pelorus {
namespace {

constexpr size_t kMostFractionDigits = 9;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isWordStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Returns the size of the name in double quotes that begins here, and sets it. "" stands for one quote.
size_t takeQuotedName(std::string_view text, std::string& name) {
    for (size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') {
            if (i + 1 == text.size() || text[i + 1] != '"') {
                if (name.empty()) throw UserError("The query has a name in quotes that is empty.");
                return i + 1;
            }
            ++i;
        }
        name += text[i];
    }
    throw UserError("A name of the query has no closing quote.", "Strings stand in single quotes: host = 'a'.");
}

// Returns the size of the string that begins here.
size_t stringSize(std::string_view text) {
    for (size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '\'') {
            if (i + 1 == text.size() || text[i + 1] != '\'') return i + 1;
            ++i;
        }
    }
    throw UserError("A string of the query has no closing quote.");
}

size_t sizeWhile(std::string_view text, bool (*belongs)(char)) {
    return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), belongs) - text.begin());
}

// Takes `digits` digits from the front; false when there are none so many.
bool takeNumber(std::string_view& text, size_t digits, int& number) {
    if (text.size() < digits || !std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(digits), isDigit))
        return false;
    number = 0;
    for (size_t i = 0; i < digits; ++i) number = number * 10 + (text[i] - '0');
    text.remove_prefix(digits);
    return true;
}

bool take(std::string_view& text, std::string_view oneOf) {
    if (text.empty() || oneOf.find(text[0]) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

bool QueryToken::isWord(std::string_view lower) const {
    return kind == Kind::Word && text.size() == lower.size() &&
           std::equal(lower.begin(), lower.end(), text.begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

std::string QueryToken::unquoted() const {
    std::string plain;
    for (size_t i = 1; i + 1 < text.size(); ++i) {
        const bool isEscape = text[i] == '\\' && (text[i + 1] == '\\' || text[i + 1] == '"' || text[i + 1] == '\'');
        const bool isDoubled = text[i] == '\'';
        if ((isEscape || isDoubled) && i + 2 < text.size()) ++i;
        plain += text[i];
    }
    return plain;
}

QueryTokens queryTokens(std::string_view query) {
    QueryTokens tokens;
    std::string blanks;
    for (size_t i = 0; i < query.size();) {
        const std::string_view rest = query.substr(i);
        const char c = rest[0];
        if (std::isspace(static_cast<unsigned char>(c))) {
            blanks += c;
            ++i;
            continue;
        }
        QueryToken token;
        size_t size = 1;
        if (c == '\'') {
            token.kind = QueryToken::Kind::String;
            size = stringSize(rest);
        } else if (c == '"') {
            token.kind = QueryToken::Kind::Word;
            size = takeQuotedName(rest, token.name);
        } else if (isWordStart(c)) {
            token.kind = QueryToken::Kind::Word;
            size = sizeWhile(rest, [](char x) { return isWordStart(x) || isDigit(x); });
        } else if (isDigit(c)) {
            token.kind = QueryToken::Kind::Number;
            size = sizeWhile(rest, [](char x) { return isWordStart(x) || isDigit(x) || x == '.' || x == ':'; });
        } else if (c == '`') {
            size = 1 + sizeWhile(rest.substr(1), [](char x) { return isWordStart(x) || isDigit(x) || x == '.'; });
        }
        token.text = c == '"' ? quotedName(token.name) : std::string(rest.substr(0, size));
        if (token.isWord() && c != '"') token.name = token.text;
        token.blanks = std::exchange(blanks, "");
        tokens.push_back(std::move(token));
        i += size;
    }
    return tokens;
}

std::string textOf(const QueryTokens& tokens) {
    std::string text;
    for (const QueryToken& token : tokens) text += token.blanks + token.text;
    return text;
}

std::string trimmedText(const QueryTokens& tokens) {
    const std::string text = textOf(tokens);
    return tokens.empty() ? text : text.substr(tokens[0].blanks.size());
}

std::string quoted(std::string_view text) {
    std::string literal = "\"";
    for (const char c : text) {
        switch (c) {
            case '\n':
                literal += "\\n";
                break;
            case '\r':
                literal += "\\r";
                break;
            case '\t':
                literal += "\\t";
                break;
            case '"':
            case '\\':
                literal += '\\';
                [[fallthrough]];
            default:
                literal += c;
        }
    }
    return literal + '"';
}

std::string quotedName(std::string_view name) {
    return '_' + quoted(name);
}

std::optional<std::string> timeLiteral(std::string_view text) {
    int year = 0, month = 0, day = 0;
    std::array<int, 3> clock{};
    std::string fraction;
    if (!takeNumber(text, 4, year) || !take(text, "-") || !takeNumber(text, 2, month) || !take(text, "-") ||
        !takeNumber(text, 2, day))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    if (take(text, "T ")) {
        if (!takeNumber(text, 2, clock[0]) || !take(text, ":") || !takeNumber(text, 2, clock[1])) return std::nullopt;
        if (take(text, ":") && !takeNumber(text, 2, clock[2])) return std::nullopt;
        if (take(text, ".")) {
            fraction = text.substr(0, sizeWhile(text, isDigit));
            text.remove_prefix(fraction.size());
            if (fraction.empty() || fraction.size() > kMostFractionDigits) return std::nullopt;
        }
    }
    take(text, "Z");
    if (!text.empty() || clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return std::nullopt;
    fraction.resize(kMostFractionDigits, '0');
    return fmt::format("{:04}.{:02}.{:02}T{:02}:{:02}:{:02}.{}", year, month, day, clock[0], clock[1], clock[2],
                       fraction);
}

}  // namespace pelorus
