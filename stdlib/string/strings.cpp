// Functions that cut, trim, concatenate and measure strings. Positions and lengths count bytes; letters beyond ASCII
// stay whole only in functions that do not cut.
#include "stdlib/string/map_strings.h"

#include <algorithm>
#include <cctype>

#include "runtime/kernel/index/assemble.h"
#include "runtime/registry/parameter_lines.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

char lowerOf(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
char upperOf(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

template <char (*kChange)(char)>
std::string changed(std::string_view string) {
    std::string out(string);
    for (char& c : out) c = kChange(c);
    return out;
}

std::string_view trimmed(std::string_view string, bool left, bool right, bool (*drop)(char)) {
    while (left && !string.empty() && drop(string.front())) string.remove_prefix(1);
    while (right && !string.empty() && drop(string.back())) string.remove_suffix(1);
    return string;
}

Value lowerKernel(Context&, Arguments a) {
    return mapStrings(a[0], changed<lowerOf>);
}
Value upperKernel(Context&, Arguments a) {
    return mapStrings(a[0], changed<upperOf>);
}
bool isSpace(char c) {
    return c == ' ';
}
Value trimKernel(Context&, Arguments a) {
    return mapStrings(a[0], [](std::string_view s) { return trimmed(s, true, true, isSpace); });
}
Value ltrimKernel(Context&, Arguments a) {
    return mapStrings(a[0], [](std::string_view s) { return trimmed(s, true, false, isSpace); });
}
Value rtrimKernel(Context&, Arguments a) {
    return mapStrings(a[0], [](std::string_view s) { return trimmed(s, false, true, isSpace); });
}
// strip also drops tabs and line ends.
Value stripKernel(Context&, Arguments a) {
    return mapStrings(a[0], [](std::string_view s) { return trimmed(s, true, true, isBlank); });
}

Value lengthKernel(Context&, Arguments a) {
    return mapStringsTo<int32_t>(Type::Int, a[0], [](std::string_view s) { return static_cast<int64_t>(s.size()); });
}

Value wordsKernel(Context&, Arguments a) {
    return mapStringsTo<int32_t>(Type::Int, a[0], [](std::string_view s) {
        int64_t words = 0;
        for (size_t i = 0; i < s.size(); ++i) words += !isBlank(s[i]) && (i == 0 || isBlank(s[i - 1]));
        return words;
    });
}

std::string_view part(std::string_view string, int64_t offset, int64_t length) {
    auto size = static_cast<int64_t>(string.size());
    if (offset < 0 || offset >= size || length <= 0) return {};
    return string.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
}

Value substrKernel(Context&, Arguments a) {
    int64_t offset = integerArgument(a, 1, "offset");
    int64_t length = integerArgument(a, 2, "length", INT32_MAX);
    if (offset < 0) refuseArgument(1, "offset", "at least 0", a[1]);
    return mapStrings(a[0], [&](std::string_view s) { return part(s, offset, length); });
}
Value leftKernel(Context&, Arguments a) {
    int64_t n = integerArgument(a, 1, "n");
    return mapStrings(a[0], [&](std::string_view s) { return part(s, 0, n); });
}
Value rightKernel(Context&, Arguments a) {
    int64_t n = integerArgument(a, 1, "n");
    return mapStrings(a[0], [&](std::string_view s) {
        auto size = static_cast<int64_t>(s.size());
        return n <= 0 ? std::string_view() : part(s, std::max<int64_t>(0, size - n), n);
    });
}
Value charAtKernel(Context&, Arguments a) {
    const Value& index = a[1];
    if (a[0].isScalar()) {
        std::string s = stringArgument(a, 0, "X");
        if (index.isScalar() && index.isNull()) return Value::nullOf(Type::Char);
        int64_t i = integerArgument(a, 1, "Y");
        return i < 0 || i >= static_cast<int64_t>(s.size()) ? Value::nullOf(Type::Char)
                                                            : Value::ofChar(s[static_cast<size_t>(i)]);
    }
    if (!a[0].isTypedVector() || !isLiteral(a[0].type())) refuseArgument(0, "X", "text", a[0]);
    if (!index.isScalar() && index.size() != a[0].size()) refuseArgument(1, "Y", "as long as X", index);
    Ref<Vector> out = Vector::make(Type::Char, a[0].size());
    for (int64_t k = 0; k < out->size(); ++k) {
        std::string_view s = a[0].vector().string(k);
        int64_t i = index.isScalar() ? index.asLong() : index.vector().asLong(k);
        bool inside = i >= 0 && i < static_cast<int64_t>(s.size());
        out->mutableData<int8_t>()[k] = inside ? s[static_cast<size_t>(i)] : null<int8_t>;
    }
    return Value::of(out);
}

template <bool kLeft>
Value padKernel(Context&, Arguments a) {
    int64_t length = integerArgument(a, 1, "length");
    std::string pattern = stringArgument(a, 2, "pattern", " ");
    constexpr int64_t kLongest = 65535;
    if (length < 0 || length > kLongest) refuseArgument(1, "length", "between 0 and 65535", a[1]);
    return mapStrings(a[0], [&](std::string_view s) {
        if (static_cast<int64_t>(s.size()) >= length) return std::string(s.substr(0, static_cast<size_t>(length)));
        std::string padding;
        while (!pattern.empty() && static_cast<int64_t>(padding.size() + s.size()) < length) padding += pattern;
        padding.resize(std::min(padding.size(), static_cast<size_t>(length) - s.size()));
        return kLeft ? padding + std::string(s) : std::string(s) + padding;
    });
}

Value repeatKernel(Context&, Arguments a) {
    int64_t n = integerArgument(a, 1, "n");
    constexpr int64_t kMax = 1 << 20;
    if (n < 0 || n > kMax) refuseArgument(1, "n", "between 0 and 1048576", a[1]);
    return mapStrings(a[0], [&](std::string_view s) {
        std::string out;
        for (int64_t i = 0; i < n; ++i) out += s;
        return out;
    });
}

// All occurrences, left to right.
std::string replaced(std::string_view string, std::string_view pattern, std::string_view replacement) {
    if (pattern.empty()) return std::string(string);
    std::string out;
    size_t at = 0;
    for (size_t found; (found = string.find(pattern, at)) != std::string_view::npos; at = found + pattern.size()) {
        out.append(string.substr(at, found - at)).append(replacement);
    }
    return out.append(string.substr(at));
}
Value replaceKernel(Context&, Arguments a) {
    std::string pattern = stringArgument(a, 1, "pattern"), replacement = stringArgument(a, 2, "replacement");
    return mapStrings(a[0], [&](std::string_view s) { return replaced(s, pattern, replacement); });
}

// concat(X, [delimiter]): the elements of X as one string; concat(X, Y): elementwise.
Value concatKernel(Context&, Arguments a) {
    bool delimited = !isGiven(a, 1) || (a[1].isScalar() && a[0].isVector());
    if (!delimited) {
        return mapStringPairs(a[0], a[1],
                              [](const std::string& x, const std::string& y) { return Value::ofString(x + y); });
    }
    std::string delimiter = isGiven(a, 1) ? stringArgument(a, 1, "delimiter") : "";
    std::string out;
    if (a[0].isScalar()) return Value::ofString(toString(a[0]));
    for (int64_t i = 0; i < a[0].size(); ++i) {
        checkCancelled();
        if (i > 0) out += delimiter;
        out += toString(a[0].at(i));
    }
    return Value::ofString(out);
}

std::vector<std::string> pieces(std::string_view string, std::string_view delimiter) {
    std::vector<std::string> out;
    size_t at = 0;
    if (delimiter.empty()) {
        // Runs of blanks.
        while (at < string.size()) {
            while (at < string.size() && isBlank(string[at])) ++at;
            size_t end = at;
            while (end < string.size() && !isBlank(string[end])) ++end;
            if (end > at) out.emplace_back(string.substr(at, end - at));
            at = end;
        }
        return out;
    }
    for (size_t found; (found = string.find(delimiter, at)) != std::string_view::npos; at = found + delimiter.size()) {
        checkCancelled();
        out.emplace_back(string.substr(at, found - at));
    }
    out.emplace_back(string.substr(at));
    return out;
}

Value splitKernel(Context&, Arguments a) {
    if (!isGiven(a, 1) && a[0].isScalar()) {
        std::string string = stringArgument(a, 0, "str");
        return Value::of(Vector::of(Type::Char, std::vector<int8_t>(string.begin(), string.end())));
    }
    std::string delimiter = stringArgument(a, 1, "delimiter", ",");
    if (a[0].isScalar()) return Value::of(Vector::ofStrings(pieces(stringArgument(a, 0, "str"), delimiter)));
    if (!isLiteral(a[0].type())) refuseArgument(0, "str", "text", a[0]);
    std::vector<Value> parts;
    for (int64_t i = 0; i < a[0].size(); ++i)
        parts.push_back(Value::of(Vector::ofStrings(pieces(a[0].vector().string(i), delimiter))));
    return Value::of(makeRef<Tuple>(std::move(parts), TupleKind::Columnar));
}

// Elementwise tests and searches of strings in strings.
template <class Result, class F>
Value pairTest(Arguments a, F f) {
    return mapStringPairs(a[0], a[1], [&](const std::string& x, const std::string& y) -> Value {
        if constexpr (std::is_same_v<Result, bool>) return Value::ofBool(f(x, y));
        return Value::ofInt(static_cast<int32_t>(f(x, y)));
    });
}
Value startsWithKernel(Context&, Arguments a) {
    return pairTest<bool>(a, [](const std::string& x, const std::string& y) { return x.starts_with(y); });
}
Value endsWithKernel(Context&, Arguments a) {
    return pairTest<bool>(a, [](const std::string& x, const std::string& y) { return x.ends_with(y); });
}
Value strposKernel(Context&, Arguments a) {
    return pairTest<int32_t>(a, [](const std::string& x, const std::string& y) {
        size_t at = x.find(y);
        return at == std::string::npos ? -1 : static_cast<int32_t>(at);
    });
}
Value strCountKernel(Context&, Arguments a) {
    return pairTest<int32_t>(a, [](const std::string& x, const std::string& y) {
        int32_t count = 0;
        for (size_t at = 0; !y.empty() && (at = x.find(y, at)) != std::string::npos; at += y.size()) ++count;
        return count;
    });
}

template <int (*kTest)(int)>
Value classKernel(Context&, Arguments a) {
    return mapStringsTo<int8_t>(Type::Bool, a[0], [](std::string_view s) {
        return !s.empty() &&
               std::all_of(s.begin(), s.end(), [](char c) { return kTest(static_cast<unsigned char>(c)) != 0; });
    });
}

// Tests whether letters of one case occur and none of the other; other characters are ignored.
template <int (*kCase)(int), int (*kOther)(int)>
Value caseKernel(Context&, Arguments a) {
    return mapStringsTo<int8_t>(Type::Bool, a[0], [](std::string_view s) {
        auto has = [&](int (*test)(int)) {
            return std::any_of(s.begin(), s.end(), [&](char c) { return test(static_cast<unsigned char>(c)) != 0; });
        };
        return has(kCase) && !has(kOther);
    });
}

Value reverseTextKernel(Context&, Arguments a) {
    return mapStrings(a[0], [](std::string_view s) { return std::string(s.rbegin(), s.rend()); });
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "substr.X: a string, or a vector of them\n"
    "offset: the byte from which on, from 0\n"
    "substr.length: how many bytes at most; all that follow when omitted\n"
    "lpad.str: a string, or a vector of them\n"
    "rpad.str: a string, or a vector of them\n"
    "strReplace.str: a string, or a vector of them\n"
    "lpad.length: the bytes of the result, from 0 to 65535\n"
    "rpad.length: the bytes of the result, from 0 to 65535\n"
    "lpad.pattern: the string that is repeated to fill; a blank when omitted\n"
    "rpad.pattern: the string that is repeated to fill; a blank when omitted\n"
    "strReplace.pattern: the string that is looked for, as it is\n"
    "replacement: the string that takes its place";

void registerStrings(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   TypeRule gives, const Parameters& takes = {}) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = "The empty string is the NULL of strings.",
                      .errors = "X is not a string.",
                      .example = example},
                     {.takes = takes, .gives = gives, .kind = FunctionKind::Elementwise});
    };
    add("lower(X)", lowerKernel, "X with the letters A-Z as small letters.", "lower(\"AbC\") -> abc", stringOf(0));
    add("upper(X)", upperKernel, "X with the letters a-z as capitals.", "upper(`abc) -> ABC", stringOf(0));
    add("trim(X)", trimKernel, "X without blanks at both ends.", "trim(\" a b \") -> a b", stringOf(0));
    add("ltrim(X)", ltrimKernel, "X without leading blanks.", "ltrim(\"  a\") -> a", stringOf(0));
    add("rtrim(X)", rtrimKernel, "X without trailing blanks.", "rtrim(\"a  \") -> a", stringOf(0));
    add("strip(X)", stripKernel, "X without blanks, tabs and line ends at both ends.", "strip(\"\\t a\\n\") -> a",
        stringOf(0));
    add("strlen(X)", lengthKernel, "The bytes of X, as INT.", "strlen(`abc`de) -> [3,2]", is(Type::Int));
    add("wc(X)", wordsKernel, "The words of X, which blanks part, as INT.", "wc(\"one more word\") -> 3",
        is(Type::Int));
    add("substr(X, offset, [length])", substrKernel, "The bytes of X from offset on, at most length.",
        "substr(\"abcdef\", 2, 3) -> cde", stringOf(0));
    add("left(X, n)", leftKernel, "The first n bytes of X.", "left(\"abcdef\", 2) -> ab", stringOf(0));
    add("right(X, n)", rightKernel, "The last n bytes of X.", "right(\"abcdef\", 2) -> ef", stringOf(0));
    add("charAt(X, Y)", charAtKernel, "The byte of X at position Y, as CHAR.", "charAt(`abc, 1) -> b", is(Type::Char),
        {kAnything, kWhole});
    add("lpad(str, length, [pattern=' '])", padKernel<true>, "str filled on the left to the length, or cut to it.",
        "lpad(`7, 3, `0) -> 007", stringOf(0));
    add("rpad(str, length, [pattern=' '])", padKernel<false>, "str filled on the right to the length, or cut to it.",
        "rpad(`7, 3, `0) -> 700", stringOf(0));
    add("repeat(X, n)", repeatKernel, "X written n times.", "repeat(`ab, 3) -> ababab", stringOf(0));
    add("strReplace(str, pattern, replacement)", replaceKernel, "str with every occurrence of pattern replaced.",
        "strReplace(\"a-b-c\", \"-\", \"+\") -> a+b+c", stringOf(0));
    add("startsWith(X, str)", startsWithKernel, "Whether X begins with str.",
        "startsWith(`abc`xbc, `ab) -> [true,false]", is(Type::Bool));
    add("endsWith(X, str)", endsWithKernel, "Whether X ends with str.", "endsWith(`abc, `bc) -> true", is(Type::Bool));
    add("strpos(X, Y)", strposKernel, "The position of the first Y in X, or -1.", "strpos(`abcd, `cd) -> 2",
        is(Type::Int));
    registry.alias("strFind", "strpos");
    add("isAlpha(X)", classKernel<std::isalpha>, "Whether X has only letters.", "isAlpha(`abc) -> true",
        is(Type::Bool));
    add("isDigit(X)", classKernel<std::isdigit>, "Whether X has only digits.", "isDigit(`12a) -> false",
        is(Type::Bool));
    registry.alias("isNumeric", "isDigit");
    add("isAlNum(X)", classKernel<std::isalnum>, "Whether X has only letters and digits.", "isAlNum(`12a) -> true",
        is(Type::Bool));
    add("isUpper(X)", caseKernel<std::isupper, std::islower>, "Whether the letters of X are capitals.",
        "isUpper(`AB) -> true", is(Type::Bool));
    add("isLower(X)", caseKernel<std::islower, std::isupper>, "Whether the letters of X are small.",
        "isLower(`AB) -> false", is(Type::Bool));
    add("isSpace(X)", classKernel<std::isspace>, "Whether X has only blanks.", "isSpace(\" \") -> true",
        is(Type::Bool));
    add("strReverse(X)", reverseTextKernel, "X from its last byte to its first.", "strReverse(`abc) -> cba",
        stringOf(0));
    registry.add("concat(X, [Y])", concatKernel,
                 {.summary = "The elements of the vector X as one string, with the delimiter Y between; or X and Y "
                             "concatenated elementwise.",
                  .nulls = "Count as empty.",
                  .example = "concat(`a`b`c, \"-\") -> a-b-c"});
    registry.add("split(str, [delimiter])", splitKernel,
                 {.summary = "The parts of str between the delimiters, as a STRING vector, its characters when the "
                             "delimiter is omitted; a columnar tuple of the parts for a vector.",
                  .example = "split(\"a,b,,c\", \",\") -> [\"a\",\"b\",,\"c\"]"});
    registry.add("strCount(X, Y)", strCountKernel,
                 {.summary = "How often Y occurs in X.", .example = "strCount(`banana, `an) -> 2"},
                 {.gives = is(Type::Int), .kind = FunctionKind::Elementwise});
}

}  // namespace pelorus
