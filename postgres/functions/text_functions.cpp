// Functions of strings. Positions and lengths count characters of UTF-8.
#include "postgres/functions/postgres_functions.h"

#include <openssl/evp.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/functions/text_matching.h"
#include "postgres/sql_error.h"
#include "postgres/types/quoted_name.h"

namespace pelorus::postgres {

namespace {

using Row = std::span<const Value>;

constexpr int64_t kMaxTextBytes = int64_t{256} << 20;

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

int64_t lengthOf(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return !isContinuation(c); });
}

// Returns the byte at which character `index` begins; the end for one after it.
size_t byteOf(std::string_view text, int64_t index) {
    size_t at = 0;
    for (; at < text.size(); ++at) {
        if (isContinuation(text[at])) continue;
        if (index-- == 0) break;
    }
    return at;
}

// Returns characters [begin, end), where both may be outside.
std::string_view part(std::string_view text, int64_t begin, int64_t end) {
    begin = std::max<int64_t>(begin, 0);
    if (end <= begin) return {};
    const size_t from = byteOf(text, begin);
    const std::string_view rest = text.substr(from);
    return rest.substr(0, byteOf(rest, end - begin));
}

void requireLength(int64_t bytes) {
    if (bytes > kMaxTextBytes) throw SqlError(sql_state::kProgramLimit, "requested length too large");
}

// Upper and lower case of letters of ASCII alone, as the collation C has it.
template <int (*kCase)(int)>
Value changedCase(Row row) {
    std::string text(textArgument(row, 0));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 128) c = static_cast<char>(kCase(c));
    return textValue(text);
}
int upperOf(int c) {
    return std::toupper(c);
}
int lowerOf(int c) {
    return std::tolower(c);
}

Value initialCapitals(Row row) {
    std::string text(textArgument(row, 0));
    bool isInside = false;
    for (char& c : text) {
        const bool isWord = std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 128;
        if (static_cast<unsigned char>(c) < 128) c = static_cast<char>(isInside ? std::tolower(c) : std::toupper(c));
        isInside = isWord;
    }
    return textValue(text);
}

Value length(Row row) {
    if (row[0].type() == Type::Blob) return Value::ofInt(static_cast<int32_t>(row[0].string().size()));
    return Value::ofInt(static_cast<int32_t>(lengthOf(textArgument(row, 0))));
}
Value octetLength(Row row) {
    return Value::ofInt(static_cast<int32_t>(textArgument(row, 0).size()));
}
Value bitLength(Row row) {
    return Value::ofInt(static_cast<int32_t>(textArgument(row, 0).size() * 8));
}

Value concatenated(Row row) {
    const std::string_view a = textArgument(row, 0), b = textArgument(row, 1);
    requireLength(static_cast<int64_t>(a.size() + b.size()));
    return textValue(std::string(a) + std::string(b));
}

// concat(…): NULLs are nothing.
Value concatAll(Row row) {
    std::string text;
    for (size_t i = 0; i < row.size(); ++i)
        if (!row[i].isNull()) text += textArgument(row, i);
    return textValue(text);
}

Value concatWithSeparator(Row row) {
    if (row.empty() || row[0].isNull()) return Value();
    std::string text;
    bool isFirst = true;
    for (size_t i = 1; i < row.size(); ++i) {
        if (row[i].isNull()) continue;
        if (!isFirst) text += textArgument(row, 0);
        text += textArgument(row, i);
        isFirst = false;
    }
    return textValue(text);
}

Value substring(Row row) {
    const std::string_view text = textArgument(row, 0);
    const int64_t from = wholeArgument(row, 1) - 1;
    if (row.size() < 3 || isOmitted(row[2])) return textValue(part(text, from, lengthOf(text)));
    const int64_t count = wholeArgument(row, 2);
    if (count < 0) throw SqlError("22011", "negative substring length not allowed");
    return textValue(part(text, from, from + count));
}

Value substringByRegex(Row row) {
    const std::string_view text = textArgument(row, 0);
    const auto regex = compiledRegex(textArgument(row, 1), false);
    re2::StringPiece found[2];
    const int groups = std::min(regex->NumberOfCapturingGroups(), 1);
    if (!regex->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, found,
                      groups + 1))
        return Value();
    const re2::StringPiece& piece = found[groups];
    return piece.data() == nullptr ? Value() : textValue(std::string_view(piece.data(), piece.size()));
}

Value position(Row row) {
    const std::string_view text = textArgument(row, 0), wanted = textArgument(row, 1);
    const size_t at = text.find(wanted);
    return Value::ofInt(at == std::string_view::npos ? 0 : static_cast<int32_t>(lengthOf(text.substr(0, at))) + 1);
}

// Removes characters of a set from one or both ends.
template <bool kLeft, bool kRight>
Value trimmed(Row row) {
    std::string_view text = textArgument(row, 0);
    const std::string_view set = row.size() > 1 && !isOmitted(row[1]) ? textArgument(row, 1) : std::string_view(" ");
    const auto isInSet = [set](std::string_view character) {
        for (size_t i = 0; i < set.size();) {
            size_t end = i + 1;
            while (end < set.size() && isContinuation(set[end])) ++end;
            if (set.substr(i, end - i) == character) return true;
            i = end;
        }
        return false;
    };
    while (kLeft && !text.empty()) {
        const size_t end = byteOf(text, 1);
        if (!isInSet(text.substr(0, end))) break;
        text.remove_prefix(end);
    }
    while (kRight && !text.empty()) {
        size_t begin = text.size() - 1;
        while (begin > 0 && isContinuation(text[begin])) --begin;
        if (!isInSet(text.substr(begin))) break;
        text = text.substr(0, begin);
    }
    return textValue(text);
}

Value replaced(Row row) {
    const std::string_view text = textArgument(row, 0), from = textArgument(row, 1), to = textArgument(row, 2);
    if (from.empty()) return textValue(text);
    std::string result;
    size_t at = 0;
    for (size_t found; (found = text.find(from, at)) != std::string_view::npos; at = found + from.size()) {
        result += text.substr(at, found - at);
        result += to;
        requireLength(static_cast<int64_t>(result.size()));
    }
    return textValue(result + std::string(text.substr(at)));
}

Value leftPart(Row row) {
    const std::string_view text = textArgument(row, 0);
    const int64_t count = wholeArgument(row, 1);
    return textValue(part(text, 0, count < 0 ? lengthOf(text) + count : count));
}
Value rightPart(Row row) {
    const std::string_view text = textArgument(row, 0);
    const int64_t count = wholeArgument(row, 1), all = lengthOf(text);
    return textValue(part(text, count < 0 ? -count : all - count, all));
}

template <bool kLeft>
Value padded(Row row) {
    const std::string_view text = textArgument(row, 0);
    const int64_t wanted = wholeArgument(row, 1);
    const std::string_view fill = row.size() > 2 && !isOmitted(row[2]) ? textArgument(row, 2) : std::string_view(" ");
    requireLength(wanted);
    const int64_t has = lengthOf(text);
    if (wanted <= has) return textValue(part(text, 0, std::max<int64_t>(wanted, 0)));
    if (fill.empty()) return textValue(text);
    std::string pad;
    const int64_t fillLength = lengthOf(fill);
    for (int64_t missing = wanted - has; missing > 0; missing -= fillLength) pad += part(fill, 0, missing);
    return textValue(kLeft ? pad + std::string(text) : std::string(text) + pad);
}

Value repeated(Row row) {
    const std::string_view text = textArgument(row, 0);
    const int64_t count = std::max<int64_t>(wholeArgument(row, 1), 0);
    requireLength(text.empty() ? 0 : std::min<int64_t>(count, kMaxTextBytes + 1) * static_cast<int64_t>(text.size()));
    std::string result;
    for (int64_t i = 0; i < count && !text.empty(); ++i) result += text;
    return textValue(result);
}

Value reversed(Row row) {
    std::string_view text = textArgument(row, 0);
    std::string result;
    while (!text.empty()) {
        size_t begin = text.size() - 1;
        while (begin > 0 && isContinuation(text[begin])) --begin;
        result += text.substr(begin);
        text = text.substr(0, begin);
    }
    return textValue(result);
}

Value splitPart(Row row) {
    const std::string_view text = textArgument(row, 0), separator = textArgument(row, 1);
    int64_t wanted = wholeArgument(row, 2);
    if (wanted == 0) throw SqlError(sql_state::kInvalidParameter, "field position must not be zero");
    std::vector<std::string_view> parts;
    size_t at = 0;
    for (size_t found; !separator.empty() && (found = text.find(separator, at)) != std::string_view::npos;
         at = found + separator.size())
        parts.push_back(text.substr(at, found - at));
    parts.push_back(text.substr(at));
    const auto count = static_cast<int64_t>(parts.size());
    if (wanted < 0) wanted = count + wanted + 1;
    return textValue(wanted < 1 || wanted > count ? std::string_view() : parts[static_cast<size_t>(wanted - 1)]);
}

Value translated(Row row) {
    const std::string_view text = textArgument(row, 0), from = textArgument(row, 1), to = textArgument(row, 2);
    std::string result;
    const int64_t count = lengthOf(text), fromCount = lengthOf(from);
    for (int64_t i = 0; i < count; ++i) {
        const std::string_view character = part(text, i, i + 1);
        int64_t k = 0;
        while (k < fromCount && part(from, k, k + 1) != character) ++k;
        result += k == fromCount ? character : part(to, k, k + 1);
    }
    return textValue(result);
}

Value startsWith(Row row) {
    return Value::ofBool(textArgument(row, 0).starts_with(textArgument(row, 1)));
}

// The code point at the beginning of a string.
Value codeOf(Row row) {
    const std::string_view text = textArgument(row, 0);
    if (text.empty()) return Value::ofInt(0);
    const auto first = static_cast<unsigned char>(text[0]);
    int32_t code = first < 0x80 ? first : first < 0xE0 ? first & 0x1F : first < 0xF0 ? first & 0x0F : first & 0x07;
    for (size_t i = 1; i < text.size() && first >= 0xC0 && isContinuation(text[i]); ++i)
        code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
    return Value::ofInt(code);
}

Value characterOf(Row row) {
    const int64_t code = wholeArgument(row, 0);
    if (code == 0) throw SqlError("54000", "null character not permitted");
    if (code < 0 || code > 0x10FFFF)
        throw SqlError("54000", "requested character too large for encoding: " + std::to_string(code));
    if (code >= 0xD800 && code <= 0xDFFF)
        throw SqlError("54000", "requested character not valid for encoding: " + std::to_string(code));
    std::string text;
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0 | (code >> 6));
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0 | (code >> 12));
        text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        text += static_cast<char>(0xF0 | (code >> 18));
        text += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
        text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    }
    return textValue(text);
}

Value md5(Row row) {
    const std::string_view text = textArgument(row, 0);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_Digest(text.data(), text.size(), digest, &size, EVP_md5(), nullptr);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
    return textValue(hex);
}

std::string quotedLiteral(std::string_view text) {
    std::string quoted = text.find('\\') == std::string_view::npos ? "'" : " E'";
    for (const char c : text) quoted += c == '\'' || c == '\\' ? std::string(2, c) : std::string(1, c);
    return quoted + "'";
}

Value quoteIdent(Row row) {
    return textValue(quotedName(textArgument(row, 0)));
}
Value quoteLiteral(Row row) {
    return textValue(quotedLiteral(textArgument(row, 0)));
}
Value quoteNullable(Row row) {
    return row[0].isNull() ? textValue("NULL") : quoteLiteral(row);
}

// format(…) with %s, %I, %L, %% and positions.
Value formatted(Row row) {
    if (row.empty() || row[0].isNull()) return Value();
    const std::string_view pattern = textArgument(row, 0);
    std::string text;
    size_t next = 1;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            text += pattern[i];
            continue;
        }
        if (++i >= pattern.size()) throw SqlError(sql_state::kInvalidParameter, "unterminated format() type specifier");
        if (pattern[i] == '%') {
            text += '%';
            continue;
        }
        size_t number = 0, end = i;
        while (end < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[end])) != 0 && number < 1'000)
            number = number * 10 + static_cast<size_t>(pattern[end++] - '0');
        if (number > 0 && end < pattern.size() && pattern[end] == '$') {
            next = number;
            i = end + 1;
        }
        if (i >= pattern.size()) throw SqlError(sql_state::kInvalidParameter, "unterminated format() type specifier");
        if (next >= row.size()) throw SqlError(sql_state::kInvalidParameter, "too few arguments for format()");
        const Value& value = row[next];
        const size_t place = next++;
        switch (pattern[i]) {
            case 's':
                text += value.isNull() ? std::string_view() : textArgument(row, place);
                break;
            case 'I':
                if (value.isNull()) throw SqlError("22004", "null values cannot be formatted as an SQL identifier");
                text += quotedName(textArgument(row, place));
                break;
            case 'L':
                text += value.isNull() ? "NULL" : quotedLiteral(textArgument(row, place));
                break;
            default:
                throw SqlError(sql_state::kInvalidParameter,
                               std::string("unrecognized format() type specifier \"") + pattern[i] + "\"");
        }
    }
    return textValue(text);
}

// Returns a replacement with RE2's \1 for PostgreSQL's, which is the same, and \& as \0.
std::string rewriteOf(std::string_view replacement) {
    std::string rewrite;
    for (size_t i = 0; i < replacement.size(); ++i) {
        if (replacement[i] == '\\' && i + 1 < replacement.size() && replacement[i + 1] == '&') {
            rewrite += "\\0";
            ++i;
        } else {
            rewrite += replacement[i];
        }
    }
    return rewrite;
}

Value regexReplaced(Row row) {
    const std::string_view flags = row.size() > 3 && !isOmitted(row[3]) ? textArgument(row, 3) : std::string_view();
    const auto regex = compiledRegex(textArgument(row, 1), flags.find('i') != std::string_view::npos);
    std::string text(textArgument(row, 0));
    const std::string rewrite = rewriteOf(textArgument(row, 2));
    if (flags.find('g') != std::string_view::npos)
        re2::RE2::GlobalReplace(&text, *regex, rewrite);
    else
        re2::RE2::Replace(&text, *regex, rewrite);
    requireLength(static_cast<int64_t>(text.size()));
    return textValue(text);
}

std::string jsonString(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            quoted += std::string("\\") + c;
        else if (static_cast<unsigned char>(c) < 0x20)
            quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            quoted += c;
    }
    return quoted + "\"";
}

// pgJsonObject(kinds, key, value, …): a letter for each, n for what needs no quotes.
Value jsonObject(Row row) {
    const std::string_view kinds = textArgument(row, 0);
    if (kinds.size() + 1 != row.size()) throw UserError("A letter for each argument is needed here.");
    std::string text = "{";
    for (size_t i = 1; i + 1 < row.size(); i += 2) {
        if (row[i].isNull()) throw SqlError("22023", "null value not allowed for object key");
        const bool isPlain = kinds[i] == 'n';
        const std::string value = row[i + 1].isNull() ? "null"
                                  : isPlain           ? std::string(textArgument(row, i + 1))
                                                      : jsonString(textArgument(row, i + 1));
        text += (text.size() > 1 ? ", " : "") + jsonString(textArgument(row, i)) + " : " + value;
    }
    return textValue(text + "}");
}

constexpr RowFunction kTexts[] = {
    {.syntax = "pgJsonObject(x...)",
     .compute = jsonObject,
     .result = Type::String,
     .isStrict = false,
     .summary = "An object of JSON."},
    {.syntax = "pgUpper(x)", .compute = changedCase<upperOf>, .result = Type::String, .summary = "x in upper case."},
    {.syntax = "pgLower(x)", .compute = changedCase<lowerOf>, .result = Type::String, .summary = "x in lower case."},
    {.syntax = "pgInitcap(x)", .compute = initialCapitals, .result = Type::String, .summary = "Words with capitals."},
    {.syntax = "pgLength(x)", .compute = length, .result = Type::Int, .summary = "The number of characters."},
    {.syntax = "pgOctetLength(x)", .compute = octetLength, .result = Type::Int, .summary = "The number of bytes."},
    {.syntax = "pgBitLength(x)", .compute = bitLength, .result = Type::Int, .summary = "The number of bits."},
    {.syntax = "pgConcat(a, b)", .compute = concatenated, .result = Type::String, .summary = "a || b."},
    {.syntax = "pgConcatAll(x...)",
     .compute = concatAll,
     .result = Type::String,
     .isStrict = false,
     .summary = "The texts one after the other."},
    {.syntax = "pgConcatWs(x...)",
     .compute = concatWithSeparator,
     .result = Type::String,
     .isStrict = false,
     .summary = "The texts with the first one between."},
    {.syntax = "pgSubstring(x, from, [count])",
     .compute = substring,
     .result = Type::String,
     .summary = "A part of x."},
    {.syntax = "pgSubstringRegex(x, pattern)",
     .compute = substringByRegex,
     .result = Type::String,
     .summary = "The part that matches."},
    {.syntax = "pgPosition(x, wanted)",
     .compute = position,
     .result = Type::Int,
     .summary = "Where the wanted text begins; 0: nowhere."},
    {.syntax = "pgTrim(x, [characters])",
     .compute = trimmed<true, true>,
     .result = Type::String,
     .summary = "x without these at its ends."},
    {.syntax = "pgLtrim(x, [characters])",
     .compute = trimmed<true, false>,
     .result = Type::String,
     .summary = "x without these at its begin."},
    {.syntax = "pgRtrim(x, [characters])",
     .compute = trimmed<false, true>,
     .result = Type::String,
     .summary = "x without these at its end."},
    {.syntax = "pgReplace(x, from, to)",
     .compute = replaced,
     .result = Type::String,
     .summary = "x with parts replaced."},
    {.syntax = "pgLeft(x, count)", .compute = leftPart, .result = Type::String, .summary = "The first characters."},
    {.syntax = "pgRight(x, count)", .compute = rightPart, .result = Type::String, .summary = "The last characters."},
    {.syntax = "pgLpad(x, length, [fill])",
     .compute = padded<true>,
     .result = Type::String,
     .summary = "x filled on the left."},
    {.syntax = "pgRpad(x, length, [fill])",
     .compute = padded<false>,
     .result = Type::String,
     .summary = "x filled on the right."},
    {.syntax = "pgRepeat(x, count)", .compute = repeated, .result = Type::String, .summary = "x so many times."},
    {.syntax = "pgReverse(x)", .compute = reversed, .result = Type::String, .summary = "x backwards."},
    {.syntax = "pgSplitPart(x, separator, number)",
     .compute = splitPart,
     .result = Type::String,
     .summary = "One part of x."},
    {.syntax = "pgTranslate(x, from, to)",
     .compute = translated,
     .result = Type::String,
     .summary = "x with characters replaced."},
    {.syntax = "pgStartsWith(x, prefix)",
     .compute = startsWith,
     .result = Type::Bool,
     .summary = "Whether x begins so."},
    {.syntax = "pgAscii(x)", .compute = codeOf, .result = Type::Int, .summary = "The code of the first character."},
    {.syntax = "pgChr(code)", .compute = characterOf, .result = Type::String, .summary = "The character of a code."},
    {.syntax = "pgMd5(x)", .compute = md5, .result = Type::String, .summary = "The MD5 of x in hexadecimal digits."},
    {.syntax = "pgQuoteIdent(x)", .compute = quoteIdent, .result = Type::String, .summary = "x as a name of SQL."},
    {.syntax = "pgQuoteLiteral(x)",
     .compute = quoteLiteral,
     .result = Type::String,
     .summary = "x as a literal of SQL."},
    {.syntax = "pgQuoteNullable(x)",
     .compute = quoteNullable,
     .result = Type::String,
     .isStrict = false,
     .summary = "x as a literal, or NULL."},
    {.syntax = "pgFormat(x...)",
     .compute = formatted,
     .result = Type::String,
     .isStrict = false,
     .summary = "A text by a format."},
    {.syntax = "pgRegexReplace(x, pattern, to, [flags])",
     .compute = regexReplaced,
     .result = Type::String,
     .summary = "x with what matches replaced."},
};

}  // namespace

void registerTextFunctions(FunctionRegistry& registry) {
    registerRowFunctions<kTexts>(registry);
}

}  // namespace pelorus::postgres
