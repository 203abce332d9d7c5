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

constexpr size_t kMaxFractionDigits = 9;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isWordStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Returns the size of the name in double quotes that begins here, and sets `name`; "" is an escaped quote.
size_t takeQuotedName(std::string_view string, std::string& name) {
    for (size_t i = 1; i < string.size(); ++i) {
        if (string[i] == '"') {
            if (i + 1 == string.size() || string[i + 1] != '"') {
                if (name.empty()) throw UserError("The query has a name in quotes that is empty.");
                return i + 1;
            }
            ++i;
        }
        name += string[i];
    }
    throw UserError("A name of the query has no closing quote.", "Strings stand in single quotes: host = 'a'.");
}

// Returns the size of the string that begins here.
size_t stringSize(std::string_view string) {
    for (size_t i = 1; i < string.size(); ++i) {
        if (string[i] == '\\') {
            ++i;
        } else if (string[i] == '\'') {
            if (i + 1 == string.size() || string[i + 1] != '\'') return i + 1;
            ++i;
        }
    }
    throw UserError("A string of the query has no closing quote.");
}

size_t sizeWhile(std::string_view string, bool (*belongs)(char)) {
    return static_cast<size_t>(std::find_if_not(string.begin(), string.end(), belongs) - string.begin());
}

// Takes `digits` digits from the front; false when there are none so many.
bool takeNumber(std::string_view& string, size_t digits, int& number) {
    if (string.size() < digits ||
        !std::all_of(string.begin(), string.begin() + static_cast<ptrdiff_t>(digits), isDigit))
        return false;
    number = 0;
    for (size_t i = 0; i < digits; ++i) number = number * 10 + (string[i] - '0');
    string.remove_prefix(digits);
    return true;
}

bool take(std::string_view& string, std::string_view oneOf) {
    if (string.empty() || oneOf.find(string[0]) == std::string_view::npos) return false;
    string.remove_prefix(1);
    return true;
}

}  // namespace

bool QueryToken::isWord(std::string_view lower) const {
    return kind == Kind::Word && string.size() == lower.size() &&
           std::equal(lower.begin(), lower.end(), string.begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

std::string QueryToken::unquoted() const {
    std::string plain;
    for (size_t i = 1; i + 1 < string.size(); ++i) {
        const bool isEscape =
            string[i] == '\\' && (string[i + 1] == '\\' || string[i + 1] == '"' || string[i + 1] == '\'');
        const bool isDoubled = string[i] == '\'';
        if ((isEscape || isDoubled) && i + 2 < string.size()) ++i;
        plain += string[i];
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
        token.string = c == '"' ? quotedName(token.name) : std::string(rest.substr(0, size));
        if (token.isWord() && c != '"') token.name = token.string;
        token.blanks = std::exchange(blanks, "");
        tokens.push_back(std::move(token));
        i += size;
    }
    return tokens;
}

std::string stringOf(const QueryTokens& tokens) {
    std::string string;
    for (const QueryToken& token : tokens) string += token.blanks + token.string;
    return string;
}

std::string trimmedString(const QueryTokens& tokens) {
    const std::string string = stringOf(tokens);
    return tokens.empty() ? string : string.substr(tokens[0].blanks.size());
}

std::string quoted(std::string_view string) {
    std::string literal = "\"";
    for (const char c : string) {
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

std::optional<std::string> timeLiteral(std::string_view string) {
    int year = 0, month = 0, day = 0;
    std::array<int, 3> clock{};
    std::string fraction;
    if (!takeNumber(string, 4, year) || !take(string, "-") || !takeNumber(string, 2, month) || !take(string, "-") ||
        !takeNumber(string, 2, day))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    if (take(string, "T ")) {
        if (!takeNumber(string, 2, clock[0]) || !take(string, ":") || !takeNumber(string, 2, clock[1]))
            return std::nullopt;
        if (take(string, ":") && !takeNumber(string, 2, clock[2])) return std::nullopt;
        if (take(string, ".")) {
            fraction = string.substr(0, sizeWhile(string, isDigit));
            string.remove_prefix(fraction.size());
            if (fraction.empty() || fraction.size() > kMaxFractionDigits) return std::nullopt;
        }
    }
    take(string, "Z");
    if (!string.empty() || clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return std::nullopt;
    fraction.resize(kMaxFractionDigits, '0');
    return fmt::format("{:04}.{:02}.{:02}T{:02}:{:02}:{:02}.{}", year, month, day, clock[0], clock[1], clock[2],
                       fraction);
}

}  // namespace pelorus
