#include "postgres/translate/function_calls.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "postgres/translate/operator_calls.h"

namespace pelorus::postgres {

namespace {

NodeRef number(int64_t x) {
    return constantNode(Value::ofInt(static_cast<int32_t>(x)));
}

// A function that is a call of a built-in of the dialect. Each letter is a parameter: t text, i integer, l bigint,
// f double precision, n numeric, b boolean, d date, s timestamp (any instant), c time, v interval, y bytea; what
// follows
// `*` may repeat, as strings of any type.
struct Plain {
    std::string_view name;
    std::string_view parameters;
    const char* builtin;
    Oid result;
};

constexpr Plain kPlain[] = {
    {"upper", "t", "pgUpper", oid::kText},
    {"lower", "t", "pgLower", oid::kText},
    {"initcap", "t", "pgInitcap", oid::kText},
    {"length", "t", "pgLength", oid::kInt4},
    {"length", "y", "pgLength", oid::kInt4},
    {"char_length", "t", "pgLength", oid::kInt4},
    {"character_length", "t", "pgLength", oid::kInt4},
    {"octet_length", "t", "pgOctetLength", oid::kInt4},
    {"bit_length", "t", "pgBitLength", oid::kInt4},
    {"concat", "*", "pgConcatAll", oid::kText},
    {"concat_ws", "t*", "pgConcatWs", oid::kText},
    {"format", "t*", "pgFormat", oid::kText},
    {"substring", "tt", "pgSubstringRegex", oid::kText},
    {"substring", "ti", "pgSubstring", oid::kText},
    {"substring", "tii", "pgSubstring", oid::kText},
    {"substr", "ti", "pgSubstring", oid::kText},
    {"substr", "tii", "pgSubstring", oid::kText},
    {"position", "tt", "pgPosition", oid::kInt4},
    {"strpos", "tt", "pgPosition", oid::kInt4},
    {"btrim", "t", "pgTrim", oid::kText},
    {"btrim", "tt", "pgTrim", oid::kText},
    {"ltrim", "t", "pgLtrim", oid::kText},
    {"ltrim", "tt", "pgLtrim", oid::kText},
    {"rtrim", "t", "pgRtrim", oid::kText},
    {"rtrim", "tt", "pgRtrim", oid::kText},
    {"replace", "ttt", "pgReplace", oid::kText},
    {"left", "ti", "pgLeft", oid::kText},
    {"right", "ti", "pgRight", oid::kText},
    {"lpad", "ti", "pgLpad", oid::kText},
    {"lpad", "tit", "pgLpad", oid::kText},
    {"rpad", "ti", "pgRpad", oid::kText},
    {"rpad", "tit", "pgRpad", oid::kText},
    {"repeat", "ti", "pgRepeat", oid::kText},
    {"reverse", "t", "pgReverse", oid::kText},
    {"split_part", "tti", "pgSplitPart", oid::kText},
    {"translate", "ttt", "pgTranslate", oid::kText},
    {"starts_with", "tt", "pgStartsWith", oid::kBool},
    {"ascii", "t", "pgAscii", oid::kInt4},
    {"chr", "i", "pgChr", oid::kText},
    {"md5", "t", "pgMd5", oid::kText},
    {"quote_ident", "t", "pgQuoteIdent", oid::kText},
    {"quote_literal", "t", "pgQuoteLiteral", oid::kText},
    {"quote_nullable", "t", "pgQuoteNullable", oid::kText},
    {"regexp_replace", "ttt", "pgRegexReplace", oid::kText},
    {"regexp_replace", "tttt", "pgRegexReplace", oid::kText},
    {"sqrt", "f", "pgSqrt", oid::kFloat8},
    {"ln", "f", "pgLn", oid::kFloat8},
    {"log", "f", "pgLog10", oid::kFloat8},
    {"log10", "f", "pgLog10", oid::kFloat8},
    {"exp", "f", "pgExp", oid::kFloat8},
    {"power", "ff", "pgPower", oid::kFloat8},
    {"pow", "ff", "pgPower", oid::kFloat8},
    {"cbrt", "f", "pgCbrt", oid::kFloat8},
    {"sin", "f", "pgSin", oid::kFloat8},
    {"cos", "f", "pgCos", oid::kFloat8},
    {"tan", "f", "pgTan", oid::kFloat8},
    {"asin", "f", "pgAsin", oid::kFloat8},
    {"acos", "f", "pgAcos", oid::kFloat8},
    {"atan", "f", "pgAtan", oid::kFloat8},
    {"atan2", "ff", "pgAtan2", oid::kFloat8},
    {"degrees", "f", "pgDegrees", oid::kFloat8},
    {"radians", "f", "pgRadians", oid::kFloat8},
    {"width_bucket", "fffi", "pgWidthBucket", oid::kInt4},
    {"gcd", "ll", "pgGcd", oid::kInt8},
    {"age", "ss", "pgAge", oid::kInterval},
    {"make_date", "iii", "pgMakeDate", oid::kDate},
    {"make_timestamp", "iiiiif", "pgMakeTimestamp", oid::kTimestamp},
    {"to_timestamp", "f", "pgFromEpoch", oid::kTimestamptz},
    {"to_timestamp", "tt", "pgToTimestamp", oid::kTimestamptz},
    {"to_date", "tt", "pgToDate", oid::kDate},
    {"to_char", "st", "pgToCharTime", oid::kText},
    {"to_char", "ct", "pgToCharTime", oid::kText},
    {"to_char", "vt", "pgToCharTime", oid::kText},
    {"to_char", "nt", "pgToCharNumber", oid::kText},
    {"to_char", "ft", "pgToCharNumber", oid::kText},
    {"date_part", "ts", "pgDatePart", oid::kFloat8},
    {"date_part", "tc", "pgDatePart", oid::kFloat8},
    {"date_part", "tv", "pgDatePart", oid::kFloat8},
    {"date_bin", "vss", "pgDateBin", oid::kTimestamp},
};

Oid parameterType(char letter) {
    switch (letter) {
        case 't':
            return oid::kText;
        case 'i':
            return oid::kInt4;
        case 'l':
            return oid::kInt8;
        case 'f':
            return oid::kFloat8;
        case 'n':
            return oid::kNumeric;
        case 'b':
            return oid::kBool;
        case 'd':
            return oid::kDate;
        case 's':
            return oid::kTimestamptz;
        case 'c':
            return oid::kTime;
        case 'v':
            return oid::kInterval;
        default:
            return oid::kBytea;
    }
}

bool takes(const Plain& function, const std::vector<Typed>& arguments) {
    const size_t star = function.parameters.find('*');
    const size_t fixed = std::min(star, function.parameters.size());
    if (star == std::string_view::npos ? arguments.size() != fixed : arguments.size() < fixed) return false;
    for (size_t i = 0; i < fixed; ++i)
        if (!convertsImplicitly(arguments[i].type, parameterType(function.parameters[i]))) return false;
    return true;
}

Typed callPlain(const Plain& function, std::vector<Typed> arguments, int place, const ConversionHost& host) {
    NodeList codes;
    bool isNullable = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const bool isFixed = i < function.parameters.size() && function.parameters[i] != '*';
        const bool isInstant = isFixed && function.parameters[i] == 's' && isInstantType(arguments[i].type);
        // What a list of strings takes may be of any type; booleans are t and f there.
        Typed converted = isInstant
                              ? arguments[i]
                              : convert(arguments[i], isFixed ? parameterType(function.parameters[i]) : oid::kText, -1,
                                        isFixed ? Conversion::Implicit : Conversion::Explicit, host);
        isNullable |= converted.isNullable;
        codes.push_back(converted.code);
    }
    Typed result = typedCode(callNode(function.builtin, std::move(codes)), function.result, -1, place);
    result.isNullable = isNullable || function.result == oid::kText;
    return result;
}

// Rounding and the like, which exist for exact numbers and for floats.
struct Rounder {
    std::string_view name;
    const char* real;
    const char* exact;
};
constexpr Rounder kRounders[] = {
    {"round", "pgRound", "pgNumericRound"}, {"trunc", "pgTrunc", "pgNumericTrunc"},
    {"floor", "pgFloor", "pgNumericFloor"}, {"ceil", "pgCeil", "pgNumericCeil"},
    {"ceiling", "pgCeil", "pgNumericCeil"},
};

std::optional<Typed> rounded(const Rounder& rounder, std::vector<Typed>& arguments, int place,
                             const ConversionHost& host) {
    if (arguments.empty() || arguments.size() > 2 || (!isNumberType(arguments[0].type) && !arguments[0].isUnknown()))
        return {};
    if (arguments.size() == 2 && isFloatType(arguments[0].type)) return {};  // as in PostgreSQL
    if (arguments.size() == 1 &&
        (isFloatType(arguments[0].type) || isIntegerType(arguments[0].type) || arguments[0].isUnknown())) {
        Typed x = convert(arguments[0], oid::kFloat8, -1, Conversion::Explicit, host);
        Typed result = typedCode(callNode(rounder.real, {x.code}), oid::kFloat8, -1, place);
        result.isNullable = x.isNullable;
        return result;
    }
    Typed x = convert(arguments[0], oid::kNumeric, -1, Conversion::Implicit, host);
    int scale = 0;
    NodeRef digits = number(0);
    if (arguments.size() == 2) {
        if (rounder.name != "round" && rounder.name != "trunc") return {};
        Typed second = convert(arguments[1], oid::kInt4, -1, Conversion::Implicit, host);
        digits = second.code;
        // A constant says how many digits are shown; else those of x are.
        scale = second.constant && !second.isNullConstant()
                    ? static_cast<int>(std::clamp<int64_t>(second.constant->integer(), 0, 38))
                    : x.scale;
    }
    Typed result = typedNumeric(callNode(rounder.exact, {x.code, digits, number(scale)}), scale, place);
    result.isNullable = x.isNullable;
    return result;
}

std::optional<Typed> absolute(const std::string& name, std::vector<Typed>& arguments, int place,
                              const ConversionHost& host) {
    if (arguments.size() != 1) return {};
    Typed x =
        arguments[0].isUnknown() ? convert(arguments[0], oid::kFloat8, -1, Conversion::Implicit, host) : arguments[0];
    if (!isNumberType(x.type)) return {};
    if (name == "sign" && isIntegerType(x.type))
        x = convert(std::move(x), oid::kFloat8, -1, Conversion::Explicit, host);
    if (x.type == oid::kNumeric) {
        const int scale = name == "sign" ? 0 : x.scale;
        return typedNumeric(callNode(name == "sign" ? "pgNumericSign" : "pgNumericAbs", {x.code, number(scale)}), scale,
                            place, std::min(x.modifier, -1));
    }
    if (isIntegerType(x.type)) return typedCode(callNode("abs", {x.code}), x.type, -1, place);
    return typedCode(callNode(name == "sign" ? "pgSign" : "pgAbs", {x.code}), oid::kFloat8, -1, place);
}

std::optional<Typed> extracted(std::vector<Typed>& arguments, int place, const ConversionHost& host) {
    if (arguments.size() != 2) return {};
    const Typed field = convert(arguments[0], oid::kText, -1, Conversion::Implicit, host);
    if (!field.constant || field.isNullConstant()) return {};
    const std::string name = std::string(textOfValue(*field.constant));
    Typed x = arguments[1].isUnknown() ? convert(arguments[1], oid::kTimestamp, -1, Conversion::Implicit, host)
                                       : arguments[1];
    if (!isInstantType(x.type) && x.type != oid::kTime && x.type != oid::kInterval) return {};
    // PostgreSQL shows fractions where the field of the type has them.
    const bool hasFraction = (name.starts_with("sec") || name == "s" || name == "epoch") && x.type != oid::kDate;
    const int scale = hasFraction ? 6 : name.starts_with("milli") || name == "ms" ? 3 : 0;
    return typedNumeric(callNode("pgExtract", {field.code, x.code, number(scale)}), scale, place);
}

std::optional<Typed> truncatedTime(std::vector<Typed>& arguments, int place, const ConversionHost& host) {
    if (arguments.size() < 2 || arguments.size() > 3) return {};
    const Typed field = convert(arguments[0], oid::kText, -1, Conversion::Implicit, host);
    Typed x = arguments[1].isUnknown() ? convert(arguments[1], oid::kTimestamptz, -1, Conversion::Implicit, host)
                                       : arguments[1];
    if (!isInstantType(x.type)) return {};
    // A date becomes a time with a zone.
    const Oid type = x.type == oid::kTimestamp ? oid::kTimestamp : oid::kTimestamptz;
    return typedCode(callNode("pgDateTrunc", {field.code, x.code}), type, -1, place);
}

std::optional<Typed> extremeOf(const std::string& name, std::vector<Typed>& arguments, int place,
                               const ConversionHost& host) {
    if (arguments.empty()) return {};
    convertAll(arguments, name == "greatest" ? "GREATEST" : "LEAST", place, host);
    Typed result = arguments[0];
    for (size_t i = 1; i < arguments.size(); ++i) {
        const Typed& next = arguments[i];
        const Comparison comparison = resolveComparison(name == "greatest" ? ">" : "<", next, result, place, host);
        // The other one where this one is NULL.
        NodeRef takesNext = binaryNode(Operator::Or, isNullNode(result.code), comparisonIs(comparison, true));
        takesNext = binaryNode(Operator::And, isValidNode(next.code), std::move(takesNext));
        Typed chosen = result;
        chosen.constant.reset();
        chosen.code = callNode("iif", {std::move(takesNext), next.code, result.code});
        chosen.isNullable = result.isNullable && next.isNullable;
        result = std::move(chosen);
    }
    return result;
}

std::optional<Typed> nullIf(std::vector<Typed>& arguments, int place, const ConversionHost& host) {
    if (arguments.size() != 2) return {};
    const Comparison comparison = resolveComparison("=", arguments[0], arguments[1], place, host);
    Typed result = comparison.left;
    result.constant.reset();
    result.code = callNode(
        "iif", {comparisonIs(comparison, true), typedConstant(Value(), result.type).code, comparison.left.code});
    result.isNullable = true;
    return result;
}

std::optional<Typed> remainder(std::vector<Typed>& arguments, int place, const ConversionHost& host) {
    if (arguments.size() != 2) return {};
    return resolveOperator("%", arguments[0], arguments[1], place, host);
}

std::optional<Typed> madeInterval(std::vector<Typed>& arguments, int place, const ConversionHost& host) {
    if (arguments.size() > 7) return {};
    NodeList codes;
    for (size_t i = 0; i < 7; ++i) {
        const Oid type = i == 6 ? oid::kFloat8 : oid::kInt4;
        codes.push_back(
            i < arguments.size()
                ? convert(arguments[i], type, -1, Conversion::Implicit, host).code
                : convert(typedConstant(Value::ofInt(0), oid::kInt4), type, -1, Conversion::Implicit, host).code);
    }
    return typedCode(callNode("pgMakeInterval", std::move(codes)), oid::kInterval, -1, place);
}

// json_build_object(key, value, …): numbers and booleans stand without quotes.
std::optional<Typed> builtObject(std::vector<Typed>& arguments, int place, const ConversionHost& host) {
    if (arguments.size() % 2 != 0)
        throw SqlError(sql_state::kInvalidParameter, "argument list must have even number of elements", place);
    std::string kinds;
    NodeList codes = {NodeRef()};
    for (const Typed& argument : arguments) {
        kinds += isNumberType(argument.type) || argument.type == oid::kBool ? 'n' : 't';
        codes.push_back(convert(argument, oid::kText, -1, Conversion::Explicit, host).code);
    }
    codes[0] = constantNode(textValue(kinds));
    Typed result = typedCode(callNode("pgJsonObject", std::move(codes)), oid::kJson, -1, place);
    result.isNullable = false;
    return result;
}

// The functions of one json or jsonb.
std::optional<Typed> jsonCall(std::string_view name, const std::vector<Typed>& arguments, int place,
                              const ConversionHost& host) {
    const bool isLength = name.ends_with("_array_length");
    if (arguments.size() != 1 || (!isLength && !name.ends_with("_typeof"))) return {};
    const Typed json =
        convert(arguments[0], name.starts_with("jsonb") ? oid::kJsonb : oid::kJson, -1, Conversion::Implicit, host);
    Typed result = typedCode(callNode(isLength ? "pgJsonLength" : "pgJsonType", {json.code}),
                             isLength ? oid::kInt4 : oid::kText, -1, place);
    result.isNullable = json.isNullable;
    return result;
}

std::optional<Typed> resolveSpecial(const std::string& name, std::vector<Typed>& arguments, int place,
                                    const ConversionHost& host) {
    for (const Rounder& rounder : kRounders)
        if (rounder.name == name) return rounded(rounder, arguments, place, host);
    if (name.starts_with("json_") || name.starts_with("jsonb_"))
        if (auto json = jsonCall(name, arguments, place, host)) return json;
    if (name == "abs" || name == "sign") return absolute(name, arguments, place, host);
    if (name == "extract") return extracted(arguments, place, host);
    if (name == "date_trunc") return truncatedTime(arguments, place, host);
    if (name == "greatest" || name == "least") return extremeOf(name, arguments, place, host);
    if (name == "nullif") return nullIf(arguments, place, host);
    if (name == "json_build_object" || name == "jsonb_build_object") return builtObject(arguments, place, host);
    if (name == "mod") return remainder(arguments, place, host);
    if (name == "make_interval") return madeInterval(arguments, place, host);
    if (name == "age" && arguments.size() == 1)
        return typedCode(
            callNode("pgAge", {callNode("date", {nameNode("pgNow")}),
                               convert(arguments[0], oid::kTimestamp, -1, Conversion::Implicit, host).code}),
            oid::kInterval, -1, place);
    if (name == "pi" && arguments.empty()) return typedConstant(Value::ofDouble(3.14159265358979323846), oid::kFloat8);
    if (name == "random" && arguments.empty())
        return typedCode(callNode("rand", {constantNode(Value::ofDouble(1)), number(1)}), oid::kFloat8, -1, place);
    if ((name == "now" || name == "transaction_timestamp" || name == "statement_timestamp" ||
         name == "clock_timestamp") &&
        arguments.empty())
        return typedCode(nameNode("pgNow"), oid::kTimestamptz, -1, place);
    if (name == "timezone" && arguments.size() == 2) {
        const Typed zone = convert(arguments[0], oid::kText, -1, Conversion::Implicit, host);
        std::string word = zone.constant && !zone.isNullConstant() ? std::string(textOfValue(*zone.constant)) : "";
        std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
        if (word != "utc" && word != "gmt" && word != "z" && word != "etc/utc")
            throw SqlError(sql_state::kFeatureNotSupported,
                           "Times are in UTC: other zones are not supported by timezone().", place);
        Typed x = arguments[1].isUnknown() ? convert(arguments[1], oid::kTimestamptz, -1, Conversion::Implicit, host)
                                           : arguments[1];
        x.type = x.type == oid::kTimestamptz ? oid::kTimestamp : oid::kTimestamptz;
        return x;
    }
    return {};
}

}  // namespace

void refuseFunction(const std::string& name, const std::vector<Typed>& arguments, int place) {
    std::string types;
    for (const Typed& argument : arguments) types += (types.empty() ? "" : ", ") + displayOf(argument);
    throw SqlError(sql_state::kUndefinedFunction, fmt::format("function {}({}) does not exist", name, types), place,
                   "No function matches the given name and argument types. You might need to add explicit type casts.");
}

Oid typeOfAll(const std::vector<Typed>& values, std::string_view construct, int place) {
    Oid type = oid::kUnknown;
    for (const Typed& value : values) {
        const Oid common = commonType(type, value.type);
        if (common == 0)
            throw SqlError(
                sql_state::kDatatypeMismatch,
                fmt::format("{} types {} and {} cannot be matched", construct, formatType(type, -1), displayOf(value)),
                value.place >= 0 ? value.place : place);
        type = common;
    }
    return type == oid::kUnknown ? oid::kText : type;
}

void convertAll(std::vector<Typed>& values, std::string_view construct, int place, const ConversionHost& host) {
    const Oid type = typeOfAll(values, construct, place);
    int scale = 0;
    bool hasOwnScales = false;
    for (Typed& value : values) {
        value = convert(std::move(value), type, -1, Conversion::Implicit, host);
        scale = std::max(scale, value.scale);
        hasOwnScales |= type == oid::kNumeric && value.modifier == kOwnScales;
    }
    const bool isMixedKind = std::any_of(values.begin(), values.end(), [&](const Typed& x) {
        return x.kept != values[0].kept || x.scale != values[0].scale;
    });
    if (!isMixedKind) return;
    for (Typed& value : values) {
        // One kind of value for the engine: decimals of one scale, times of one unit.
        if (type == oid::kNumeric && (value.scale != scale || value.kept != Type::Decimal128))
            value = convert(std::move(value), type, numericModifier(38, scale), Conversion::Implicit, host);
        if (isInstantType(type) && type != oid::kDate && value.kept != Type::NanoTimestamp)
            value.code = callNode("pgTimestamp", {value.code}), value.kept = Type::NanoTimestamp;
        if (type == oid::kTime && value.kept != Type::NanoTime)
            value.code = callNode("pgTime", {value.code}), value.kept = Type::NanoTime;
        if (type == oid::kDate && value.kept != Type::Date)
            value.code = callNode("pgDate", {value.code}), value.kept = Type::Date;
        if (isIntegerType(type) && value.kept != oidFacts(type)->kept)
            value.code = callNode(type == oid::kInt2   ? "short"
                                  : type == oid::kInt4 ? "int"
                                                       : "long",
                                  {value.code}),
            value.kept = oidFacts(type)->kept;
        value.modifier = hasOwnScales ? kOwnScales : -1;
    }
}

Typed coalesced(std::vector<Typed> values, int place, const ConversionHost& host) {
    convertAll(values, "COALESCE", place, host);
    Typed result = values.back();
    for (size_t i = values.size() - 1; i-- > 0;) {
        Typed chosen = values[i];
        chosen.code = callNode("iif", {isNullNode(values[i].code), result.code, values[i].code});
        chosen.isNullable = values[i].isNullable && result.isNullable;
        chosen.constant.reset();
        result = values[i].isNullable ? std::move(chosen) : values[i];
    }
    return result;
}

Typed resolveFunction(const std::string& name, std::vector<Typed> arguments, int place, const ConversionHost& host) {
    if (auto special = resolveSpecial(name, arguments, place, host)) return std::move(*special);
    for (const Plain& function : kPlain)
        if (function.name == name && takes(function, arguments))
            return callPlain(function, std::move(arguments), place, host);
    refuseFunction(name, arguments, place);
}

}  // namespace pelorus::postgres
