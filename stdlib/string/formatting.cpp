// Numbers and times by a format, and back.
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include "common/time/calendar.h"

#include "stdlib/register_builtins.h"
#include "stdlib/string/map_strings.h"

namespace pelorus {

namespace {

// ---- numbers: 0 digit, # optional digit, . , %, E0…, ; for negative numbers

struct NumberPattern {
    std::string prefix, suffix;
    int leastWhole = 0, leastDecimals = 0, mostDecimals = 0, group = 0, exponentDigits = 0;
    bool percent = false;
};

NumberPattern patternOf(std::string_view string) {
    NumberPattern p;
    bool point = false, seen = false, grouping = false;
    int sinceComma = 0;
    for (size_t i = 0; i < string.size(); ++i) {
        char c = string[i];
        if (c == '0' || c == '#') {
            seen = true;
            if (point) {
                ++p.mostDecimals;
                if (c == '0') p.leastDecimals = p.mostDecimals;
            } else {
                ++sinceComma;
                if (c == '0' || p.leastWhole > 0) ++p.leastWhole;
            }
        } else if (c == '.' && !point) {
            point = seen = true;
        } else if (c == ',' && !point && seen) {
            grouping = true;
            sinceComma = 0;
        } else if (c == 'E' && seen) {
            while (i + 1 < string.size() && string[i + 1] == '0') {
                ++p.exponentDigits;
                ++i;
            }
        } else {
            if (c == '%') p.percent = true;
            (seen ? p.suffix : p.prefix) += c;
        }
    }
    if (grouping) p.group = sinceComma;
    return p;
}

std::string formatted(double x, const NumberPattern& p) {
    double magnitude = std::fabs(x) * (p.percent ? 100 : 1);
    int exponent = 0;
    if (p.exponentDigits > 0 && magnitude > 0) {
        exponent = static_cast<int>(std::floor(std::log10(magnitude))) - std::max(0, p.leastWhole - 1);
        magnitude /= std::pow(10.0, exponent);
    }
    // Rounding starts from the shortest decimal representation, which is the number as written; further digits are
    // rounded half up.
    char buffer[400];
    double scale = std::pow(10.0, p.mostDecimals);
    if (magnitude * scale < 9e15) {
        double scaled = magnitude * scale, low = std::floor(scaled);
        bool half = scaled - low >= 0.5 - 1e-9;
        magnitude = (low + (half ? 1 : 0)) / scale;
    }
    std::snprintf(buffer, sizeof buffer, "%.*f", p.mostDecimals, magnitude);
    std::string digits = buffer;
    size_t point = digits.find('.');
    std::string whole = digits.substr(0, point), decimals = point == std::string::npos ? "" : digits.substr(point + 1);
    while (static_cast<int>(decimals.size()) > p.leastDecimals && decimals.back() == '0') decimals.pop_back();
    if (whole == "0" && p.leastWhole == 0 && !decimals.empty()) whole.clear();
    while (static_cast<int>(whole.size()) < p.leastWhole) whole.insert(0, "0");
    if (p.group > 0) {
        for (int at = static_cast<int>(whole.size()) - p.group; at > 0; at -= p.group)
            whole.insert(static_cast<size_t>(at), ",");
    }
    std::string string = whole + (decimals.empty() ? "" : "." + decimals);
    if (p.exponentDigits > 0) {
        string += fmt::format("E{}{:0{}}", exponent < 0 ? "-" : "", std::abs(exponent), p.exponentDigits);
    }
    return string;
}

Value numberFormat(const Value& x, const std::string& format) {
    size_t semicolon = format.find(';');
    NumberPattern positive = patternOf(format.substr(0, semicolon));
    NumberPattern negative = positive;
    bool ownNegative = semicolon != std::string::npos;
    if (ownNegative) negative = patternOf(format.substr(semicolon + 1));
    auto one = [&](double v) -> std::string {
        if (isNull(v)) return "";
        const NumberPattern& p = v < 0 ? negative : positive;
        std::string sign = v < 0 && !ownNegative ? "-" : "";
        return sign + p.prefix + formatted(v, p) + p.suffix;
    };
    return mapContainer(x, [&](const Value& v) -> Value {
        if (v.isScalar()) return Value::ofString(one(v.asDouble()));
        Ref<Vector> out = Vector::make(Type::String, v.size());
        for (int64_t i = 0; i < v.size(); ++i) out->setString(i, one(v.vector().asDouble(i)));
        return Value::of(out);
    });
}

// ---- times: yyyy yy MM MMM dd HH hh mm ss aa SSS nnnnnn nnnnnnnnn

constexpr const char* kMonths[] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};

struct Field {
    char letter = 0;  // 0 for a separator
    int count = 0;
    std::string string;  // characters of a separator
};

std::vector<Field> fieldsOf(const std::string& format, int argument) {
    std::vector<Field> fields;
    for (size_t i = 0; i < format.size();) {
        char c = format[i];
        if (std::string_view("yMdHhmsaSn").find(c) == std::string_view::npos) {
            fields.push_back({0, 1, std::string(1, c)});
            ++i;
            continue;
        }
        size_t end = i;
        while (end < format.size() && format[end] == c) ++end;
        Field field{c, static_cast<int>(end - i), ""};
        if (c == 'S' && field.count != 3) {
            throw UserError(
                argument,
                fmt::format("Invalid temporal format: '{}'. Millisecond (S) must have three digits.", format));
        }
        if (c == 'n' && field.count != 6 && field.count != 9) {
            throw UserError(
                argument,
                fmt::format("Invalid temporal format: '{}'. Nanosecond (n) must have six or nine digits.", format));
        }
        fields.push_back(field);
        i = end;
    }
    return fields;
}

bool uses(const std::vector<Field>& fields, std::string_view letters) {
    for (const Field& f : fields) {
        if (f.letter != 0 && letters.find(f.letter) != std::string_view::npos) return true;
    }
    return false;
}

// The type a format speaks of.
Type typeOf(const std::vector<Field>& fields) {
    bool date = uses(fields, "yd"), day = uses(fields, "d"), nano = uses(fields, "n"), milli = uses(fields, "S");
    bool second = uses(fields, "s"), clock = uses(fields, "Hhm");
    if (date && !clock && !second) return day ? Type::Date : Type::Month;
    if (date) {
        if (!second && !milli && !nano && !uses(fields, "m")) return Type::DateHour;
        return nano ? Type::NanoTimestamp : milli ? Type::Timestamp : Type::DateTime;
    }
    return nano ? Type::NanoTime : milli ? Type::Time : second ? Type::Second : Type::Minute;
}

int64_t parseTime(std::string_view string, const std::vector<Field>& fields, Type type) {
    int64_t year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, nanos = 0;
    int half = -1;
    size_t at = 0;
    const int64_t none = widthOf(type) == 8 ? null<int64_t> : null<int32_t>;
    for (size_t f = 0; f < fields.size(); ++f) {
        const Field& field = fields[f];
        if (field.letter == 0) {
            if (at >= string.size() || string[at] != field.string[0]) return none;
            ++at;
            continue;
        }
        if (field.letter == 'a') {
            if (at + 2 > string.size()) return none;
            char c = string[at];
            if (c != 'A' && c != 'P' && c != 'a' && c != 'p') return none;
            half = c == 'P' || c == 'p';
            at += 2;
            continue;
        }
        if (field.letter == 'M' && field.count == 3) {
            std::string name(string.substr(at, 3));
            for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
            month = 0;
            for (int i = 0; i < 12; ++i) {
                if (name == kMonths[i]) month = i + 1;
            }
            at += 3;
            if (month == 0) return none;
            continue;
        }
        // A single letter takes as many digits as there are, a longer run than the field has digits (sss) as many as
        // stand there; others exactly their count.
        int64_t value = 0;
        int digits = 0;
        int most = field.count == 1 ? 9 : field.count;
        while (at < string.size() && digits < most && string[at] >= '0' && string[at] <= '9') {
            value = value * 10 + (string[at++] - '0');
            ++digits;
        }
        const bool isExact = field.count == 2 || std::string_view("ySn").find(field.letter) != std::string_view::npos;
        if (digits == 0 || (field.count > 1 && isExact && digits != field.count)) return none;
        switch (field.letter) {
            case 'y':
                year = field.count == 2 || digits <= 2 ? (value < 40 ? 2000 + value : 1900 + value) : value;
                break;
            case 'M':
                month = value;
                break;
            case 'd':
                day = value;
                break;
            case 'H':
                hour = value;
                break;
            case 'h':
                hour = value % 12;
                if (value < 1 || value > 12) return none;
                if (half < 0) half = 0;
                break;
            case 'm':
                minute = value;
                break;
            case 's':
                second = value;
                break;
            case 'S':
                nanos = value * 1000000;
                break;
            default:
                nanos = field.count == 6 ? value * 1000 : value;
        }
    }
    if (at != string.size() || month < 1 || month > 12 ||
        !calendar::isDate(year, static_cast<int32_t>(month), static_cast<int32_t>(day)))
        return none;
    if (half == 1 && uses(fields, "h")) hour += 12;
    if (hour > 23 || minute > 59 || second > 59) return none;
    if (type == Type::Month) return year * 12 + month - 1;
    int64_t inDay = ((hour * 60 + minute) * 60 + second) * calendar::kNanosPerSecond + nanos;
    int64_t days = calendar::daysFromCivil(year, static_cast<int32_t>(month), static_cast<int32_t>(day));
    int64_t perDay = calendar::unitsPerDay(type);
    bool instant = calendar::temporalKind(type) == calendar::TemporalKind::Instant;
    return (instant ? days * perDay : 0) + inDay / (calendar::kNanosPerDay / perDay);
}

Value temporalParseKernel(Context&, Arguments a) {
    std::string format = stringArgument(a, 1, "format");
    std::vector<Field> fields = fieldsOf(format, 1);
    Type type = typeOf(fields);
    if (widthOf(type) == 8)
        return mapStringsTo<int64_t>(type, a[0], [&](std::string_view s) { return parseTime(s, fields, type); });
    return mapStringsTo<int32_t>(type, a[0], [&](std::string_view s) { return parseTime(s, fields, type); });
}

std::string formatTime(int64_t stored, Type type, const std::vector<Field>& fields) {
    int64_t days = 0, inDay = 0;
    calendar::CivilDate date{1970, 1, 1};
    if (type == Type::Month) {
        date.year = static_cast<int32_t>(calendar::floorDivide(stored, 12));
        date.month = static_cast<int32_t>(calendar::floorModulo(stored, 12)) + 1;
    } else {
        int64_t perDay = calendar::unitsPerDay(type);
        days = calendar::floorDivide(stored, perDay);
        inDay = calendar::floorModulo(stored, perDay) * (calendar::kNanosPerDay / perDay);
        if (calendar::temporalKind(type) == calendar::TemporalKind::Instant) date = calendar::civilFromDays(days);
    }
    int64_t seconds = inDay / calendar::kNanosPerSecond, nanos = inDay % calendar::kNanosPerSecond;
    int64_t hour = seconds / 3600;
    std::string out;
    for (const Field& field : fields) {
        int64_t value = 0;
        switch (field.letter) {
            case 0:
                out += field.string;
                continue;
            case 'a':
                out += hour < 12 ? "AM" : "PM";
                continue;
            case 'y':
                value = field.count == 2 ? date.year % 100 : date.year;
                break;
            case 'M':
                if (field.count == 3) {
                    out += kMonths[date.month - 1];
                    continue;
                }
                value = date.month;
                break;
            case 'd':
                value = date.day;
                break;
            case 'H':
                value = hour;
                break;
            case 'h':
                value = hour % 12 == 0 ? 12 : hour % 12;
                break;
            case 'm':
                value = seconds / 60 % 60;
                break;
            case 's':
                value = seconds % 60;
                break;
            case 'S':
                value = nanos / 1000000;
                break;
            default:
                value = field.count == 6 ? nanos / 1000 : nanos;
        }
        std::string digits = std::to_string(value);
        if (field.count > 1 && static_cast<int>(digits.size()) < field.count)
            digits.insert(0, static_cast<size_t>(field.count) - digits.size(), '0');
        out += digits;
    }
    return out;
}

Value temporalString(const Value& x, const std::string& format) {
    std::vector<Field> fields = fieldsOf(format, 1);
    return mapContainer(x, [&](const Value& v) -> Value {
        if (!isTemporal(v.type())) refuseArgument(0, "X", "temporal", v);
        if (v.isScalar()) return Value::ofString(v.isNull() ? "" : formatTime(v.integer(), v.type(), fields));
        Ref<Vector> out = Vector::make(Type::String, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            if (!v.vector().isNullAt(i)) out->setString(i, formatTime(v.vector().at(i).integer(), v.type(), fields));
        }
        return Value::of(out);
    });
}

Value temporalFormatKernel(Context&, Arguments a) {
    return temporalString(a[0], stringArgument(a, 1, "format"));
}
Value decimalFormatKernel(Context&, Arguments a) {
    if (!isNumeric(a[0].type()) && !a[0].isTuple()) refuseArgument(0, "X", "numeric", a[0]);
    return numberFormat(a[0], stringArgument(a, 1, "format"));
}
Value formatKernel(Context&, Arguments a) {
    std::string format = stringArgument(a, 1, "format");
    return isTemporal(a[0].type()) ? temporalString(a[0], format) : numberFormat(a[0], format);
}

}  // namespace

void registerFormatting(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view nulls,
                   std::string_view errors, std::string_view example, TypeRule gives, const Takes& takes = kAnything) {
        registry.add(syntax, kernel, {.summary = summary, .nulls = nulls, .errors = errors, .example = example},
                     {.takes = {takes, kString | Takes::Constant}, .gives = gives, .kind = FunctionKind::Elementwise});
    };
    add("temporalParse(X, format)", temporalParseKernel,
        "The time written in X by a format of yyyy yy MM MMM dd HH hh mm ss aa SSS nnnnnn nnnnnnnnn; its type follows "
        "from the format.",
        "Text that does not fit is NULL.", "The format is not valid.",
        "temporalParse(\"14-02-2018\", \"dd-MM-yyyy\") -> 2018.02.14", varying());
    add("temporalFormat(X, format)", temporalFormatKernel, "X as a string by a format, as in temporalParse.",
        "Empty for NULL.", "X is not temporal.", "temporalFormat(2018.02.14, \"dd-MM-yyyy\") -> 14-02-2018",
        is(Type::String));
    registry.alias("datetimeParse", "temporalParse");
    registry.alias("datetimeFormat", "temporalFormat");
    add("decimalFormat(X, format)", decimalFormatKernel,
        "The number X as a string: 0 a digit, # an optional digit, a comma groups, % is percent, E0 an exponent, ; "
        "parts "
        "positive from negative.",
        "Empty for NULL.", "X is not numeric.",
        "decimalFormat(1234.567, \"#,###.00\") -> 1,234.57\ndecimalFormat(0.125, \"0.0%\") -> 12.5%", is(Type::String));
    add("format(X, format)", formatKernel, "X as a string: as temporalFormat for times, as decimalFormat for numbers.",
        "Empty for NULL.", "", "format(5, \"000\") -> 005", is(Type::String), kNumberOrTime);
}

}  // namespace pelorus
