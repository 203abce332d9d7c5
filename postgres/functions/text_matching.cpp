#include "postgres/functions/text_matching.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

// Returns the bytes of the character that begins here.
size_t characterLength(std::string_view text, size_t at) {
    size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    return end - at;
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return c < 128 ? std::tolower(c) : c; });
    return result;
}

// One part of a pattern.
struct Part {
    enum class Kind : uint8_t { Any, One, Literal } kind;
    std::string_view literal;
};

std::vector<Part> partsOf(std::string_view pattern, std::string_view escape) {
    std::vector<Part> parts;
    for (size_t i = 0; i < pattern.size();) {
        if (!escape.empty() && pattern.substr(i).starts_with(escape)) {
            i += escape.size();
            if (i >= pattern.size()) throw SqlError("22025", "LIKE pattern must not end with escape character");
        } else if (pattern[i] == '%') {
            if (parts.empty() || parts.back().kind != Part::Kind::Any) parts.push_back({Part::Kind::Any, {}});
            ++i;
            continue;
        } else if (pattern[i] == '_') {
            parts.push_back({Part::Kind::One, {}});
            ++i;
            continue;
        }
        const size_t length = characterLength(pattern, i);
        parts.push_back({Part::Kind::Literal, pattern.substr(i, length)});
        i += length;
    }
    return parts;
}

// Goes back to the last % only: O(string × pattern), never more.
bool matchesParts(std::string_view text, const std::vector<Part>& parts) {
    size_t at = 0, part = 0;
    size_t anyPart = std::string_view::npos, anyAt = 0;
    while (at < text.size()) {
        if (part < parts.size() && parts[part].kind == Part::Kind::Any) {
            anyPart = part++;
            anyAt = at;
        } else if (part < parts.size() && parts[part].kind == Part::Kind::One) {
            at += characterLength(text, at);
            ++part;
        } else if (part < parts.size() && text.substr(at).starts_with(parts[part].literal)) {
            at += parts[part++].literal.size();
        } else if (anyPart != std::string_view::npos) {
            anyAt += characterLength(text, anyAt);
            at = anyAt;
            part = anyPart + 1;
        } else {
            return false;
        }
    }
    while (part < parts.size() && parts[part].kind == Part::Kind::Any) ++part;
    return part == parts.size();
}

constexpr size_t kMaxKeptRegexes = 8;
constexpr int64_t kMaxRegexBytes = 1 << 20;

// A compiled expression and what it was made from.
struct KeptRegex {
    std::string pattern;
    bool isCaseless;
    std::shared_ptr<const re2::RE2> compiled;
};

}  // namespace

bool matchesLike(std::string_view text, std::string_view pattern, std::string_view escape, bool isCaseless) {
    if (escape.size() > 1 && characterLength(escape, 0) != escape.size())
        throw SqlError("22019", "invalid escape string", -1, "The escape is one character, or empty.");
    if (!isCaseless) return matchesParts(text, partsOf(pattern, escape));
    const std::string lowText = lowered(text), lowPattern = lowered(pattern), lowEscape = lowered(escape);
    return matchesParts(lowText, partsOf(lowPattern, lowEscape));
}

std::shared_ptr<const re2::RE2> compiledRegex(std::string_view pattern, bool isCaseless) {
    thread_local std::vector<KeptRegex> kept;
    for (const KeptRegex& one : kept)
        if (one.isCaseless == isCaseless && one.pattern == pattern) return one.compiled;
    re2::RE2::Options options;
    options.set_case_sensitive(!isCaseless);
    options.set_log_errors(false);
    options.set_dot_nl(true);
    options.set_max_mem(kMaxRegexBytes);
    const auto compiled = std::make_shared<const re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
    if (!compiled->ok()) throw SqlError("2201B", "invalid regular expression: " + compiled->error());
    if (kept.size() >= kMaxKeptRegexes) kept.erase(kept.begin());
    kept.push_back({std::string(pattern), isCaseless, compiled});
    return compiled;
}

bool matchesRegex(std::string_view text, std::string_view pattern, bool isCaseless) {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiledRegex(pattern, isCaseless));
}

}  // namespace pelorus::postgres
