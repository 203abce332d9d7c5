// Functions on the characters of strings: initcap, isTitle, toCharArray, strlenu, substru, parseInteger.
#include <algorithm>

#include "runtime/kernel/forms/elementwise.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/symbol_base.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/string/map_strings.h"

namespace pelorus {

namespace {

bool isLetterOrDigit(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// A word begins after any character that is no letter or digit.
Value initcapKernel(Context&, Arguments a) {
    return mapStrings(a[0], [](std::string_view string) {
        std::string result(string);
        bool begins = true;
        for (char& c : result) {
            c = static_cast<char>(begins ? std::toupper(static_cast<unsigned char>(c))
                                         : std::tolower(static_cast<unsigned char>(c)));
            begins = !isLetterOrDigit(c);
        }
        return result;
    });
}

Value isTitleKernel(Context&, Arguments a) {
    return mapStringsToValues(Type::Bool, a[0], [](std::string_view string) {
        bool begins = true, any = false;
        for (char c : string) {
            const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
            if (letter && (std::isupper(static_cast<unsigned char>(c)) != 0) != begins) return Value::ofBool(false);
            any |= letter;
            begins = !letter;
        }
        return Value::ofBool(any);
    });
}

Ref<Vector> charactersOf(std::string_view string) {
    return Vector::of(Type::Char, std::vector<int8_t>(string.begin(), string.end()));
}

Value toCharArrayKernel(Context&, Arguments a) {
    if (a[0].isString()) return Value::of(charactersOf(a[0].string()));
    if (!a[0].isTypedVector() || !isLiteral(a[0].type())) refuseArgument(0, "X", "text", a[0]);
    auto rows = makeRef<ArrayVector>(Type::Char);
    for (int64_t i = 0; i < a[0].size(); ++i) rows->appendRow(*charactersOf(a[0].vector().string(i)));
    return Value::of(rows);
}

// UTF-8: every byte but a continuation begins a character.
bool beginsCharacter(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

Value lengthKernel(Context&, Arguments a) {
    return mapStringsToValues(Type::Int, a[0], [](std::string_view string) {
        return Value::ofInt(static_cast<int32_t>(std::count_if(string.begin(), string.end(), beginsCharacter)));
    });
}

// substru(X, offset, [length])
Value substringKernel(Context&, Arguments a) {
    const int64_t offset = integerArgument(a, 1, "offset");
    const int64_t length = integerArgument(a, 2, "length", INT64_MAX);
    if (offset < 0) refuseArgument(1, "offset", "at least 0", a[1]);
    if (length < 0) refuseArgument(2, "length", "at least 0", a[2]);
    return mapStringsToValues(Type::String, a[0], [=](std::string_view string) {
        std::string result;
        int64_t character = -1;
        for (char c : string) {
            character += beginsCharacter(c) ? 1 : 0;
            if (character >= offset && character - offset < length) result += c;
        }
        return Value::ofString(result);
    });
}

int digitOf(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

// Parses the digits up to the first other character; NULL for a blank string.
int64_t parsedInteger(std::string_view string, int64_t radix) {
    while (!string.empty() && string.front() == ' ') string.remove_prefix(1);
    if (string.empty()) return null<int64_t>;
    const bool negative = string.front() == '-';
    if (negative || string.front() == '+') string.remove_prefix(1);
    if (radix == 16 && (string.starts_with("0x") || string.starts_with("0X"))) string.remove_prefix(2);
    uint64_t value = 0;
    size_t digits = 0;
    while (digits < string.size() && digitOf(string[digits]) < radix) {
        value = value * static_cast<uint64_t>(radix) + static_cast<uint64_t>(digitOf(string[digits++]));
    }
    if (digits == 0)
        throw UserError(0, "Invalid string to parse.", fmt::format("It must begin with digits below {}.", radix));
    return static_cast<int64_t>(negative ? 0 - value : value);
}

// parseInteger(X, type, [radix=10])
Value parseIntegerKernel(Context&, Arguments a) {
    const Type type = typeArgument(a, 1, "type");
    if (type != Type::Char && type != Type::Short && type != Type::Int && type != Type::Long) {
        refuseArgument(1, "type", "CHAR, SHORT, INT or LONG", a[1]);
    }
    const int64_t radix = integerArgument(a, 2, "radix", 10);
    if (radix < 2 || radix > 16) refuseArgument(2, "radix", "between 2 and 16", a[2]);
    return mapStringsToValues(
        type, a[0], [=](std::string_view string) { return cast(Value::ofLong(parsedInteger(string, radix)), type); });
}

// symbolCode(X): numbers from 1 in order of first appearance, 0 for the empty string.
Value symbolCodeKernel(Context&, Arguments a) {
    return mapElements(a[0], [](const Vector& v) {
        if (v.type() != Type::Symbol)
            throw UserError(0, fmt::format("X must be SYMBOL, but it is {}.", typeName(v.type())));
        std::vector<int32_t> seen;
        Ref<Vector> out = Vector::make(Type::Int, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            const int32_t code = v.data<int32_t>()[i];
            auto at = std::find(seen.begin(), seen.end(), code);
            if (code != 0 && at == seen.end()) at = seen.insert(seen.end(), code);
            out->mutableData<int32_t>()[i] = code == 0 ? 0 : static_cast<int32_t>(at - seen.begin()) + 1;
        }
        return out;
    });
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "substru.X: a string in UTF-8, or a vector of them\n"
    "offset: the character from which on, from 0\n"
    "length: how many characters at most, 0 or more; all that follow when omitted\n"
    "parseInteger.X: a string, or a vector of them\n"
    "type: the type of the result: CHAR, SHORT, INT or LONG\n"
    "radix: the base of the digits, from 2 to 16";

void registerCharacters(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example, TypeRule gives, FunctionKind kind = FunctionKind::Elementwise) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = "The empty string is NULL.",
                      .errors = errors,
                      .example = example},
                     {.gives = gives, .kind = kind});
    };
    add("initcap(X)", initcapKernel, "X with each word's first letter as capital and the others small.",
        "X is no string.", "initcap(\"one TWO-three\") -> One Two-Three", stringOf(0));
    add("isTitle(X)", isTitleKernel, "Whether each word of X has a capital first and small letters after it.",
        "X is no string.", "isTitle(\"One Two\") -> true", is(Type::Bool));
    add("toCharArray(X)", toCharArrayKernel, "The bytes of a string as CHAR vector, of several as array vector.",
        "X is no string.", "toCharArray(`ab) -> ['a','b']", is(Type::Char), FunctionKind::RowWise);
    add("strlenu(X)", lengthKernel, "How many characters a string in UTF-8 has, as INT.", "X is no string.",
        "strlenu(`abc) -> 3", is(Type::Int));
    add("substru(X, offset, [length])", substringKernel,
        "The characters of a string in UTF-8 from offset on, at most length of them.", "offset is negative.",
        "substru(`abcdef, 2, 3) -> cde", is(Type::String));
    add("parseInteger(X, type, [radix=10])", parseIntegerKernel,
        "The integer that the string X begins with, written to the radix, in the type.",
        "X begins with no digit, or the radix is not 2 to 16.", "parseInteger(`2f, INT, 16) -> 47", named(1));
    registry.alias("parseInt", "parseInteger");
    add("symbolCode(X)", symbolCodeKernel, "The number of each distinct string of a SYMBOL vector, from 1.",
        "X is not SYMBOL.", "symbolCode(symbol(`u`v`u)) -> [1,2,1]", is(Type::Int), FunctionKind::Window);
}

}  // namespace pelorus
