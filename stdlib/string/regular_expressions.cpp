// regexFind and related functions, in the syntax of RE2: linear time whatever the pattern.
#include <re2/re2.h>

#include <memory>

#include "runtime/kernel/index/assemble.h"
#include "stdlib/register_builtins.h"
#include "stdlib/string/map_strings.h"

namespace pelorus {

namespace {

std::unique_ptr<RE2> compiled(Arguments a, size_t i) {
    RE2::Options options;
    options.set_log_errors(false);
    auto pattern = std::make_unique<RE2>(stringArgument(a, i, "pattern"), options);
    if (!pattern->ok()) {
        throw UserError(static_cast<int>(i), fmt::format("The regular expression is not valid: {}.", pattern->error()));
    }
    return pattern;
}

int64_t offsetArgument(Arguments a, size_t i) {
    int64_t offset = integerArgument(a, i, "offset", 0);
    if (offset < 0) refuseArgument(i, "offset", "at least 0", a[i]);
    return offset;
}

// Returns the position of the first match at or after `from`, or -1.
int64_t matchAt(const RE2& pattern, std::string_view text, int64_t from, re2::StringPiece* match) {
    re2::StringPiece input(text.data(), text.size());
    if (from > static_cast<int64_t>(text.size())) return -1;
    bool found = pattern.Match(input, static_cast<size_t>(from), text.size(), RE2::UNANCHORED, match, 1);
    return found ? match->data() - text.data() : -1;
}

Value findKernel(Context&, Arguments a) {
    auto pattern = compiled(a, 1);
    int64_t offset = offsetArgument(a, 2);
    return mapStringsTo<int32_t>(Type::Int, a[0], [&](std::string_view s) {
        re2::StringPiece match;
        return matchAt(*pattern, s, offset, &match);
    });
}

Value countKernel(Context&, Arguments a) {
    auto pattern = compiled(a, 1);
    int64_t offset = offsetArgument(a, 2);
    return mapStringsTo<int32_t>(Type::Int, a[0], [&](std::string_view s) {
        int64_t count = 0, at = offset;
        re2::StringPiece match;
        for (int64_t found; (found = matchAt(*pattern, s, at, &match)) >= 0; ++count) {
            at = found + std::max<int64_t>(1, static_cast<int64_t>(match.size()));
        }
        return count;
    });
}

Value findTextKernel(Context&, Arguments a) {
    auto pattern = compiled(a, 1);
    int64_t offset = offsetArgument(a, 2);
    return mapStrings(a[0], [&](std::string_view s) {
        // Empty matches are skipped.
        re2::StringPiece match;
        for (int64_t at = offset, found; (found = matchAt(*pattern, s, at, &match)) >= 0; at = found + 1) {
            if (!match.empty()) return std::string(match.data(), match.size());
        }
        return std::string();
    });
}

// `$1` of the replacement is the first group, in RE2 `\1`.
std::string rewriteOf(std::string_view replacement) {
    std::string out;
    for (size_t i = 0; i < replacement.size(); ++i) {
        char c = replacement[i];
        bool group = c == '$' && i + 1 < replacement.size() && replacement[i + 1] >= '0' && replacement[i + 1] <= '9';
        if (group) {
            out += '\\';
        } else if (c == '\\') {
            out += "\\\\";
        } else {
            out += c;
        }
    }
    return out;
}

Value replaceKernel(Context&, Arguments a) {
    auto pattern = compiled(a, 1);
    std::string rewrite = rewriteOf(stringArgument(a, 2, "replacement"));
    std::string problem;
    if (!pattern->CheckRewriteString(rewrite, &problem)) throw UserError(2, problem);
    auto offset = static_cast<size_t>(offsetArgument(a, 3));
    return mapStrings(a[0], [&](std::string_view s) {
        const size_t begin = std::min(offset, s.size());
        std::string tail(s.substr(begin));
        RE2::GlobalReplace(&tail, *pattern, rewrite);
        return begin == 0 ? tail : std::string(s.substr(0, begin)) + tail;
    });
}

Value matchKernel(Context&, Arguments a) {
    auto pattern = compiled(a, 1);
    return mapStringsTo<int8_t>(Type::Bool, a[0], [&](std::string_view s) {
        return RE2::PartialMatch(re2::StringPiece(s.data(), s.size()), *pattern);
    });
}

}  // namespace

void registerRegularExpressions(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   TypeRule gives) {
        registry.add(
            syntax, kernel,
            {.summary = summary,
             .errors = "X is not a string, or the pattern is no regular expression.",
             .complexity = "Linear in the length of the string.",
             .example = example},
            {.takes = {kAnything, kTogether, kTogether, kTogether}, .gives = gives, .kind = FunctionKind::Elementwise});
    };
    add("regexFind(str, pattern, [offset=0])", findKernel, "Where the pattern first matches in str, or -1.",
        "regexFind(\"abc123\", \"[0-9]+\") -> 3", is(Type::Int));
    add("regexCount(str, pattern, [offset=0])", countKernel, "How often the pattern matches in str.",
        "regexCount(\"a1b22\", \"[0-9]+\") -> 2", is(Type::Int));
    add("regexFindStr(str, pattern, [offset=0])", findTextKernel,
        "The first part of str that matches, or the empty string.", "regexFindStr(\"abc123x\", \"[0-9]+\") -> 123",
        textOf(0));
    add("regexReplace(str, pattern, replacement, [offset=0])", replaceKernel,
        "str with every match replaced; $1 is the first group.", "regexReplace(\"a1b2\", \"[0-9]\", \"-\") -> a-b-",
        textOf(0));
    add("regexMatch(str, pattern)", matchKernel, "Whether the pattern matches somewhere in str.",
        "regexMatch(\"abc\", \"b\") -> true", is(Type::Bool));
}

}  // namespace pelorus
