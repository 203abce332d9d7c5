#include "stdlib/string/regular_expression.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "common/error.h"
#include "common/thread/cancellation.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace pelorus {

namespace {

bool isGroup(std::string_view replacement, size_t i) {
    return replacement[i] == '$' && i + 1 < replacement.size() && replacement[i + 1] >= '0' &&
           replacement[i + 1] <= '9';
}

// Rewrites `$1` to `\1`, RE2's way to name a group.
std::string rewriteForRe2(std::string_view replacement) {
    std::string out;
    for (size_t i = 0; i < replacement.size(); ++i) {
        const char c = replacement[i];
        if (isGroup(replacement, i)) {
            out += '\\';
        } else if (c == '\\') {
            out += "\\\\";
        } else {
            out += c;
        }
    }
    return out;
}

// Returns the place of the character behind the one at `i`.
size_t nextCharacter(std::string_view string, size_t i) {
    ++i;
    while (i < string.size() && (static_cast<unsigned char>(string[i]) & 0xc0) == 0x80) ++i;
    return i;
}

struct FreeCode {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
struct FreeContext {
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

}  // namespace

struct RegularExpression::Linear {
    explicit Linear(std::string_view pattern) : compiled(re2::StringPiece(pattern.data(), pattern.size()), quiet()) {}

    static RE2::Options quiet() {
        RE2::Options options;
        options.set_log_errors(false);
        return options;
    }

    RE2 compiled;
};

struct RegularExpression::Backtracking {
    std::unique_ptr<pcre2_code, FreeCode> code;
    std::unique_ptr<pcre2_match_context, FreeContext> context;
    std::unique_ptr<pcre2_match_data, FreeMatch> match;
    uint32_t groups = 0;

    // Compiles the pattern; `code` is null if it is not valid.
    explicit Backtracking(std::string_view pattern) : context(pcre2_match_context_create(nullptr)) {
        if (!context) throw std::bad_alloc();
        int error = 0;
        PCRE2_SIZE offset = 0;
        // Strings hold any bytes: those that are no UTF-8 match nothing. \C would split characters.
        constexpr uint32_t kOptions =
            PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
        code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), kOptions, &error,
                                 &offset, nullptr));
        if (!code) return;
        pcre2_set_match_limit(context.get(), kBacktrackingSteps);
        pcre2_set_heap_limit(context.get(), kBacktrackingKilobytes);
        pcre2_pattern_info(code.get(), PCRE2_INFO_CAPTURECOUNT, &groups);
        match.reset(pcre2_match_data_create_from_pattern(code.get(), nullptr));
        if (!match) throw std::bad_alloc();
    }

    // Fills `match` with the first match at or after `from`; false if there is none. The limits of PCRE2 are for each
    // place where a match may begin: the places are tried a few at a time, and cancellation is checked between.
    bool find(std::string_view string, size_t from, uint32_t options) const {
        if (from > 0) from = nextCharacter(string, from - 1);  // not into a character
        constexpr size_t kPlaces = 64;
        for (size_t begin = from;;) {
            checkCancelled();
            const size_t end = std::min(string.size(), begin + kPlaces);
            pcre2_set_offset_limit(context.get(), end);
            if (matchFrom(string, begin, options)) return true;
            if (end == string.size() || (options & PCRE2_ANCHORED)) return false;
            begin = nextCharacter(string, end);
        }
    }

    bool matchFrom(std::string_view string, size_t begin, uint32_t options) const {
        const int found = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(string.data()), string.size(), begin,
                                      options, match.get(), context.get());
        if (found >= 0) return true;
        if (found == PCRE2_ERROR_NOMATCH) return false;
        if (found == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
        throw UserError("The regular expression takes too many steps on a string.",
                        "Look-around and back-references try all ways to match: make repetitions less nested, or "
                        "leave them out.");
    }
};

RegularExpression::RegularExpression(std::string_view pattern, int position)
    : linear_(std::make_unique<Linear>(pattern)) {
    if (linear_->compiled.ok()) return;
    backtracking_ = std::make_unique<Backtracking>(pattern);
    if (!backtracking_->code) {
        throw UserError(position, fmt::format("The regular expression is not valid: {}.", linear_->compiled.error()));
    }
    linear_.reset();
}

RegularExpression::~RegularExpression() = default;
RegularExpression::RegularExpression(RegularExpression&&) noexcept = default;

std::optional<RegularExpression::Match> RegularExpression::find(std::string_view string, int64_t from) const {
    if (from > static_cast<int64_t>(string.size())) return std::nullopt;
    if (linear_) {
        re2::StringPiece match;
        const re2::StringPiece input(string.data(), string.size());
        if (!linear_->compiled.Match(input, static_cast<size_t>(from), string.size(), RE2::UNANCHORED, &match, 1))
            return std::nullopt;
        return Match{match.data() - string.data(), static_cast<int64_t>(match.size())};
    }
    if (!backtracking_->find(string, static_cast<size_t>(from), 0)) return std::nullopt;
    // \K may put the begin of a match behind its end.
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(backtracking_->match.get());
    const auto begin = static_cast<int64_t>(std::min(ends[0], ends[1]));
    return Match{begin, static_cast<int64_t>(ends[1]) - begin};
}

void RegularExpression::checkReplacement(const std::string& replacement, int position) const {
    std::string problem;
    if (linear_) {
        if (!linear_->compiled.CheckRewriteString(rewriteForRe2(replacement), &problem))
            throw UserError(position, problem);
        return;
    }
    for (size_t i = 0; i < replacement.size(); ++i) {
        if (isGroup(replacement, i) && static_cast<uint32_t>(replacement[i + 1] - '0') > backtracking_->groups) {
            throw UserError(position, fmt::format("The replacement names the group {}, but the pattern has {}.",
                                                  replacement[i + 1], backtracking_->groups));
        }
    }
}

std::string RegularExpression::replaceAll(std::string_view string, const std::string& replacement) const {
    if (linear_) {
        std::string result(string);
        RE2::GlobalReplace(&result, linear_->compiled, rewriteForRe2(replacement));
        return result;
    }
    std::string result;
    size_t copied = 0;  // bytes of `string` that were copied
    uint32_t options = 0;
    for (size_t at = 0; at <= string.size();) {
        if (!backtracking_->find(string, at, options)) {
            if (options == 0) break;
            // No other match begins where an empty one was: go on behind the next character.
            at = nextCharacter(string, at);
            options = 0;
            continue;
        }
        const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(backtracking_->match.get());
        const size_t begin = std::max(copied, std::min(ends[0], ends[1]));
        const size_t end = std::max(begin, ends[1]);
        result += string.substr(copied, begin - copied);
        for (size_t i = 0; i < replacement.size(); ++i) {
            if (!isGroup(replacement, i)) {
                result += replacement[i];
                continue;
            }
            const auto group = static_cast<size_t>(replacement[++i] - '0');
            const PCRE2_SIZE first = ends[2 * group], last = ends[2 * group + 1];
            if (first != PCRE2_UNSET && last >= first) result += string.substr(first, last - first);
        }
        copied = end;
        at = end;
        options = begin == end ? PCRE2_NOTEMPTY_ATSTART | PCRE2_ANCHORED : 0;
    }
    return result += string.substr(copied);
}

}  // namespace pelorus
