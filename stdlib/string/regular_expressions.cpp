// regexFind and related functions.
#include "runtime/kernel/index/assemble.h"
#include "runtime/registry/parameter_lines.h"
#include "stdlib/register_builtins.h"
#include "stdlib/string/map_strings.h"
#include "stdlib/string/regular_expression.h"

namespace pelorus {

namespace {

RegularExpression compiled(Arguments a, size_t i) {
    return RegularExpression(stringArgument(a, i, "pattern"), static_cast<int>(i));
}

int64_t offsetArgument(Arguments a, size_t i) {
    int64_t offset = integerArgument(a, i, "offset", 0);
    if (offset < 0) refuseArgument(i, "offset", "at least 0", a[i]);
    return offset;
}

Value findKernel(Context&, Arguments a) {
    const RegularExpression pattern = compiled(a, 1);
    const int64_t offset = offsetArgument(a, 2);
    return mapStringsTo<int32_t>(Type::Int, a[0], [&](std::string_view s) {
        const auto match = pattern.find(s, offset);
        return match ? match->begin : -1;
    });
}

Value countKernel(Context&, Arguments a) {
    const RegularExpression pattern = compiled(a, 1);
    const int64_t offset = offsetArgument(a, 2);
    return mapStringsTo<int32_t>(Type::Int, a[0], [&](std::string_view s) {
        int64_t count = 0, at = offset;
        while (const auto match = pattern.find(s, at)) {
            at = match->begin + std::max<int64_t>(1, match->size);
            ++count;
        }
        return count;
    });
}

Value findTextKernel(Context&, Arguments a) {
    const RegularExpression pattern = compiled(a, 1);
    const int64_t offset = offsetArgument(a, 2);
    return mapStrings(a[0], [&](std::string_view s) {
        // Empty matches are skipped.
        int64_t at = offset;
        while (const auto match = pattern.find(s, at)) {
            if (match->size > 0)
                return std::string(s.substr(static_cast<size_t>(match->begin), static_cast<size_t>(match->size)));
            at = match->begin + 1;
        }
        return std::string();
    });
}

Value replaceKernel(Context&, Arguments a) {
    const RegularExpression pattern = compiled(a, 1);
    const std::string replacement = stringArgument(a, 2, "replacement");
    pattern.checkReplacement(replacement, 2);
    const auto offset = static_cast<size_t>(offsetArgument(a, 3));
    return mapStrings(a[0], [&](std::string_view s) {
        const size_t begin = std::min(offset, s.size());
        std::string tail = pattern.replaceAll(s.substr(begin), replacement);
        return begin == 0 ? tail : std::string(s.substr(0, begin)) + tail;
    });
}

Value matchKernel(Context&, Arguments a) {
    const RegularExpression pattern = compiled(a, 1);
    return mapStringsTo<int8_t>(Type::Bool, a[0], [&](std::string_view s) { return pattern.find(s, 0).has_value(); });
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "str: a string, or a vector of them\n"
    "pattern: a regular expression\n"
    "replacement: what takes the place of a match; $1 to $9 are groups, $& is the match\n"
    "offset: the byte from which on it is matched, 0 or more";

void registerRegularExpressions(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   TypeRule gives) {
        registry.add(
            syntax, kernel,
            {.summary = summary,
             .parameters = parameterLines(syntax, kParameterLines),
             .errors = "X is not a string, the pattern is no regular expression, or its look-around and "
                       "back-references take too many steps.",
             .complexity = "Linear in the length of the string; patterns with look-around or back-references "
                           "backtrack.",
             .example = example},
            {.takes = {kAnything, kTogether, kTogether, kTogether}, .gives = gives, .kind = FunctionKind::Elementwise});
    };
    add("regexFind(str, pattern, [offset=0])", findKernel, "Where the pattern first matches in str, or -1.",
        "regexFind(\"abc123\", \"[0-9]+\") -> 3", is(Type::Int));
    add("regexCount(str, pattern, [offset=0])", countKernel, "How often the pattern matches in str.",
        "regexCount(\"a1b22\", \"[0-9]+\") -> 2", is(Type::Int));
    add("regexFindStr(str, pattern, [offset=0])", findTextKernel,
        "The first part of str that matches, or the empty string.", "regexFindStr(\"abc123x\", \"[0-9]+\") -> 123",
        stringOf(0));
    add("regexReplace(str, pattern, replacement, [offset=0])", replaceKernel,
        "str with every match replaced; $1 is the first group.", "regexReplace(\"a1b2\", \"[0-9]\", \"-\") -> a-b-",
        stringOf(0));
    add("regexMatch(str, pattern)", matchKernel, "Whether the pattern matches somewhere in str.",
        "regexMatch(\"abc\", \"b\") -> true", is(Type::Bool));
}

}  // namespace pelorus
