// Functions of Oracle's SQL under their names there: nvl, nvl2, decode, to_char, to_date, to_number, trunc, instr,
// length, listagg, wm_concat, regexp_like, asciistr. They call the functions of the library that do the same.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/register_builtins.h"
#include "stdlib/string/map_strings.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// nvl(X, Y)
Value nvlKernel(Context& context, Arguments a) {
    return callNamed(context, "iif", {callNamed(context, "isNull", {a[0]}), a[1], a[0]});
}

// nvl2(X, Y, Z)
Value nvl2Kernel(Context& context, Arguments a) {
    return callNamed(context, "iif", {callNamed(context, "isNull", {a[0]}), a[2], a[1]});
}

// decode(expr, args...): pairs of a search and its result, and a default. The first search that is equal counts, so
// the pairs are laid over each other from the last to the first.
Value decodeKernel(Context& context, Arguments a) {
    if (a.size() < 3) throw UserError("decode needs an expression, and a search with its result, at least.");
    const size_t pairs = (a.size() - 1) / 2;
    const bool hasDefault = a.size() % 2 == 0;
    Value result = hasDefault ? a[a.size() - 1] : Value();
    for (size_t i = pairs; i-- > 0;) {
        const Value &search = a[1 + 2 * i], found = a[2 + 2 * i];
        Value isEqual = search.isScalar() && search.isNull() ? callNamed(context, "isNull", {a[0]})
                                                             : callNamed(context, "eq", {a[0], search});
        result = callNamed(context, "iif", {isEqual, found, result});
    }
    return result;
}

// Translates a format of Oracle into ours: that of times letter by letter, that of numbers digit by digit.
std::string timeFormat(std::string_view oracle) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kElements = {{{"YYYY", "yyyy"},
                                                                                          {"YY", "yy"},
                                                                                          {"MONTH", "MMM"},
                                                                                          {"MON", "MMM"},
                                                                                          {"MM", "MM"},
                                                                                          {"MI", "mm"},
                                                                                          {"DD", "dd"},
                                                                                          {"HH24", "HH"},
                                                                                          {"HH12", "hh"},
                                                                                          {"HH", "hh"},
                                                                                          {"SS", "ss"},
                                                                                          {"FF3", "SSS"},
                                                                                          {"FF6", "nnnnnn"},
                                                                                          {"FF9", "nnnnnnnnn"},
                                                                                          {"AM", "aa"},
                                                                                          {"PM", "aa"}}};
    std::string ours;
    for (size_t i = 0; i < oracle.size();) {
        bool isElement = false;
        for (const auto& [theirs, own] : kElements) {
            std::string here(oracle.substr(i, theirs.size()));
            for (char& c : here) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
            if (here != theirs) continue;
            ours += own;
            i += theirs.size();
            isElement = true;
            break;
        }
        if (!isElement) ours += oracle[i++];
    }
    return ours;
}
std::string numberFormat(std::string_view oracle) {
    std::string ours;
    const size_t point = std::min(oracle.find_first_of(".D"), oracle.size());
    for (size_t i = 0; i < oracle.size(); ++i) {
        const char c = oracle[i];
        // Digits behind the point are always shown, and so is the last one before it.
        if (c == '9')
            ours += i > point || i + 1 == point ? '0' : '#';
        else if (c == 'D')
            ours += '.';
        else if (c == 'G')
            ours += ',';
        else if (c != 'F' && c != 'M')
            ours += c;  // FM: without blanks, as ours always are
    }
    return ours;
}

// to_char(X, [fmt])
Value toCharKernel(Context& context, Arguments a) {
    if (!isGiven(a, 1)) return callNamed(context, "string", {a[0]});
    const std::string format = stringArgument(a, 1, "fmt");
    const bool isTime = isTemporal(a[0].type());
    return callNamed(context, isTime ? "temporalFormat" : "decimalFormat",
                     {a[0], Value::ofString(isTime ? timeFormat(format) : numberFormat(format))});
}

// to_date(str, [fmt])
Value toDateKernel(Context& context, Arguments a) {
    const std::string format = stringArgument(a, 1, "fmt", "YYYY-MM-DD");
    return callNamed(context, "temporalParse", {a[0], Value::ofString(timeFormat(format))});
}

// to_number(str)
Value toNumberKernel(Context&, Arguments a) {
    if (!isStringOrChar(a[0].type()) && !isNumeric(a[0].type()) && !isDecimal(a[0].type()))
        refuseArgument(0, "str", "a string or a number", a[0]);
    return cast(a[0], Type::Double);
}

// trunc(X, [fmt])
Value truncKernel(Context& context, Arguments a) {
    if (isTemporal(a[0].type())) {
        const std::string unit = stringArgument(a, 1, "fmt", "DD");
        if (unit == "DD" || unit == "DDD" || unit == "J") return callNamed(context, "date", {a[0]});
        if (unit == "MM" || unit == "MONTH" || unit == "MON") return callNamed(context, "monthBegin", {a[0]});
        if (unit == "Q") return callNamed(context, "quarterBegin", {a[0]});
        if (unit == "YYYY" || unit == "YEAR" || unit == "YY") return callNamed(context, "yearBegin", {a[0]});
        refuseArgument(1, "fmt", "DD, MM, Q or YYYY for a time", a[1]);
    }
    const int64_t digits = integerArgument(a, 1, "fmt", 0);
    if (digits < -18 || digits > 18) refuseArgument(1, "fmt", "from -18 to 18 digits", a[1]);
    const double scale = std::pow(10, static_cast<double>(digits));
    const Ref<Vector> numbers = realsArgument(a, 0, "X");
    Ref<Vector> results = Vector::make(Type::Double, numbers->size());
    for (int64_t i = 0; i < numbers->size(); ++i) {
        const double x = numbers->data<double>()[i];
        results->mutableData<double>()[i] = isNull(x) ? x : std::trunc(x * scale) / scale;
    }
    return a[0].isScalar() ? results->at(0) : Value::of(std::move(results));
}

// Returns the place of the nth occurrence, counted from 1, or 0. A search from a place below 0 goes backwards.
int64_t placeOf(std::string_view string, std::string_view wanted, int64_t position, int64_t nth) {
    if (wanted.empty() || position == 0) return 0;
    const bool goesBack = position < 0;
    const auto size = static_cast<int64_t>(string.size());
    int64_t at = goesBack ? size + position : position - 1;
    for (; at >= 0 && at < size; at += goesBack ? -1 : 1) {
        if (string.substr(static_cast<size_t>(at)).starts_with(wanted) && --nth == 0) return at + 1;
    }
    return 0;
}

// instr(str, sub, [pos], [nth])
Value instrKernel(Context&, Arguments a) {
    const std::string wanted = stringArgument(a, 1, "sub");
    const int64_t position = integerArgument(a, 2, "pos", 1), nth = integerArgument(a, 3, "nth", 1);
    if (nth < 1) refuseArgument(3, "nth", "1 or more", a[3]);
    return mapStringsTo<int32_t>(Type::Int, a[0],
                                 [&](std::string_view s) { return placeOf(s, wanted, position, nth); });
}

// length(str)
Value lengthOfTextKernel(Context& context, Arguments a) {
    const Value strings = isStringOrChar(a[0].type()) ? a[0] : callNamed(context, "string", {a[0]});
    return callNamed(context, "strlenu", {strings});
}

Value joined(Arguments a, std::string_view separator) {
    const Ref<Vector> elements = vectorArgument(a, 0, "expr");
    std::string all;
    bool isFirst = true;
    for (int64_t i = 0; i < elements->size(); ++i) {
        if (elements->isNullAt(i)) continue;
        if (!isFirst) all += separator;
        all += toString(elements->at(i));
        isFirst = false;
    }
    return Value::ofString(all);
}

// listagg(expr, [sep])
Value listaggKernel(Context&, Arguments a) {
    return joined(a, stringArgument(a, 1, "sep", ""));
}
// wm_concat(expr)
Value wmConcatKernel(Context&, Arguments a) {
    return joined(a, ",");
}

// regexp_like(str, pattern)
Value regexpLikeKernel(Context& context, Arguments a) {
    return callNamed(context, "ge", {callNamed(context, "regexFind", {a[0], a[1]}), Value::ofInt(0)});
}

// Returns a string in ASCII: other letters as a backslash and the four hexadecimal digits of each UTF-16 unit.
std::string asAscii(std::string_view string) {
    std::string out;
    for (size_t i = 0; i < string.size();) {
        const auto first = static_cast<unsigned char>(string[i]);
        const size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (length == 1 || i + length > string.size()) {
            out += string[i++];
            continue;
        }
        uint32_t letter = first & (0xFFu >> (length + 1));
        for (size_t k = 1; k < length; ++k) letter = letter << 6 | (static_cast<unsigned char>(string[i + k]) & 0x3Fu);
        if (letter < 0x10000)
            out += fmt::format("\\{:04X}", letter);
        else
            out += fmt::format("\\{:04X}\\{:04X}", 0xD800 + ((letter - 0x10000) >> 10), 0xDC00 + (letter & 0x3FF));
        i += length;
    }
    return out;
}
// asciistr(str)
Value asciistrKernel(Context&, Arguments a) {
    return mapStrings(a[0], asAscii);
}

constexpr std::string_view kSource = "Oracle's SQL Language Reference";

void registerNullChoices(FunctionRegistry& registry) {
    registry.add("nvl(X, Y)", nvlKernel,
                 {.summary = "X, and Y where X is NULL.",
                  .parameters = "X: a scalar or vector of any type\nY: a scalar or vector of that type, as long as X",
                  .nulls = "NULL where both are.",
                  .errors = "X and Y differ in length, or have types without a common one.",
                  .complexity = "O(elements)",
                  .source = kSource,
                  .example = "nvl(1 NULL 3, 0) -> [1,0,3]"});
    registry.add("nvl2(X, Y, Z)", nvl2Kernel,
                 {.summary = "Y where X holds a value, and Z where X is NULL.",
                  .parameters = "X: a scalar or vector of any type\nY, Z: scalars or vectors as long as X, of one type",
                  .errors = "The arguments differ in length; Y and Z have no common type.",
                  .complexity = "O(elements)",
                  .source = kSource,
                  .example = "nvl2(1 NULL 3, `there, `missing) -> [\"there\",\"missing\",\"there\"]"});
    registry.add("decode(expr, args...)", decodeKernel,
                 {.summary = "The result beside the first search that equals expr, else the default.",
                  .parameters = "expr: a scalar or vector\nargs: search, result, search, result …, and at the end the "
                                "default, NULL when it is left out",
                  .nulls = "A NULL search equals NULL.",
                  .errors = "There is no search with a result; types or lengths do not fit.",
                  .complexity = "O(elements · searches)",
                  .source = kSource,
                  .example = "decode(1 2 3, 1, `one, 2, `two, `more) -> [\"one\",\"two\",\"more\"]"});
}

void registerTexts(FunctionRegistry& registry) {
    registry.add("instr(str, sub, [pos=1], [nth=1])", instrKernel,
                 {.summary = "The place of sub in each string, counted from 1, as INT; 0 where it is not.",
                  .parameters = "str: a string or a vector of strings\nsub: a string\npos: where the search begins, "
                                "from 1; below 0 from the end, backwards\nnth: which occurrence, from 1",
                  .nulls = "0 in an empty string.",
                  .errors = "str or sub is no string; nth is below 1.",
                  .complexity = "O(bytes · length of sub)",
                  .source = kSource,
                  .example = "instr(\"banana\", \"an\", 1, 2) -> 4"});
    registry.add("length(str)", lengthOfTextKernel,
                 {.summary = "The letters of each string, or of each number as text, as INT.",
                  .parameters = "str: a scalar or a vector",
                  .nulls = "0 for the empty string.",
                  .errors = "str is no scalar or vector.",
                  .complexity = "O(bytes)",
                  .source = kSource,
                  .example = "length(`ab`abc) -> [2,3]"});
    registry.add("regexp_like(str, pattern)", regexpLikeKernel,
                 {.summary = "Whether each string holds a match of the regular expression.",
                  .parameters = "str: a string or a vector of strings\npattern: a regular expression",
                  .nulls = "false for the empty string, unless the pattern matches it.",
                  .errors = "str is no string; pattern is no regular expression.",
                  .complexity = "O(bytes)",
                  .source = kSource,
                  .example = "regexp_like([\"ab1\", \"ab\"], \"[0-9]\") -> [true,false]"});
    registry.add("asciistr(str)", asciistrKernel,
                 {.summary = "Each string in ASCII: any other letter as a backslash and its UTF-16 in hexadecimal.",
                  .parameters = "str: a string or a vector of strings, in UTF-8",
                  .nulls = "The empty string stays.",
                  .errors = "str is no string.",
                  .complexity = "O(bytes)",
                  .source = kSource,
                  .example = "asciistr(`abc) -> abc"});
    const Declaration ofGroups{.gives = is(Type::String), .kind = FunctionKind::Aggregate, .orderSensitive = true};
    registry.add("listagg(expr, [sep=''])", listaggKernel,
                 {.summary = "The elements of a column as one string, with sep between them.",
                  .parameters = "expr: a vector of any type\nsep: a string",
                  .nulls = "NULLs are left out.",
                  .errors = "expr is no vector; sep is no string.",
                  .complexity = "O(elements)",
                  .source = kSource,
                  .example = "listagg(`a`b`c, \"-\") -> a-b-c"},
                 ofGroups);
    registry.add("wm_concat(expr)", wmConcatKernel,
                 {.summary = "The elements of a column as one string, with commas between them.",
                  .parameters = "expr: a vector of any type",
                  .nulls = "NULLs are left out.",
                  .errors = "expr is no vector.",
                  .complexity = "O(elements)",
                  .source = "WM_CONCAT of Oracle's workspace manager",
                  .example = "wm_concat(1 NULL 3) -> 1,3"},
                 ofGroups);
}

}  // namespace

void registerOracleNames(FunctionRegistry& registry) {
    registerNullChoices(registry);
    registerTexts(registry);
    registry.add("to_char(X, [fmt])", toCharKernel,
                 {.summary = "X as STRING, by a format of Oracle when fmt is given.",
                  .parameters = "X: a number, a time, or a vector of them\nfmt: for times YYYY, YY, MON, MM, DD, HH24, "
                                "HH12, MI, SS, FF3, FF6 and FF9; for numbers 9 and 0 for digits, . or D for the point, "
                                ", or G between thousands",
                  .nulls = "The empty string for NULL.",
                  .errors = "fmt is no format for the type of X.",
                  .complexity = "O(elements)",
                  .source = kSource,
                  .example = "to_char(2024.03.15, \"YYYY/MM/DD\") -> 2024/03/15"});
    registry.add("to_date(str, [fmt='YYYY-MM-DD'])", toDateKernel,
                 {.summary = "The time that each string writes, of the type that the format asks for: DATE for days, "
                             "DATETIME for seconds.",
                  .parameters = "str: a string or a vector of strings\nfmt: as of to_char",
                  .nulls = "NULL for a string that is not written so.",
                  .errors = "str is no string; fmt is no format of times.",
                  .complexity = "O(elements)",
                  .source = kSource,
                  .example = "to_date(\"15-03-2024\", \"DD-MM-YYYY\") -> 2024.03.15"});
    registry.add("to_number(str)", toNumberKernel,
                 {.summary = "The number that each string writes, as DOUBLE.",
                  .parameters = "str: a string, a number, or a vector of them",
                  .nulls = "NULL for a string that is no number.",
                  .errors = "str is neither string nor number.",
                  .complexity = "O(elements)",
                  .source = kSource,
                  .example = "to_number([\"1.5\", \"x\"]) -> [1.5,]"});
    registry.add(
        "trunc(X, [fmt])", truncKernel,
        {.summary = "X cut off: numbers towards 0, as DOUBLE; times to the day, or to the first day of a "
                    "longer unit, as DATE.",
         .parameters = "X: a number, a time, or a vector of them\nfmt: for numbers how many digits stay behind "
                       "the point, default 0, below 0 before it; for times DD, MM, Q or YYYY, default DD",
         .nulls = "NULL for NULL.",
         .errors = "X is neither number nor time; fmt does not fit.",
         .complexity = "O(elements)",
         .source = kSource,
         .example = "trunc(12.789, 1) -> 12.7"});
}

}  // namespace pelorus
