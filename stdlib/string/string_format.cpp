// stringFormat: formats values by placeholders such as %5.2F.
#include <algorithm>
#include <charconv>

#include "runtime/kernel/forms/elementwise.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// %[(name)][#][+-][0][width or *][.precision or *]letter
struct Placeholder {
    std::string name;
    bool prefix = false, sign = false, left = false, zeros = false;
    bool widthGiven = false, precisionGiven = false;  // given by a star: the argument is a tuple that contains them
    int width = 0, precision = -1;
    char letter = 0;
};

constexpr int kWidest = 10000;

[[noreturn]] void malformed(const std::string& format) {
    throw UserError(0, fmt::format("The format \"{}\" has a placeholder that is not understood.", format),
                    "A placeholder is % and a letter of a type, as in %i, %10.3F or %(name)W; %% is a percent sign.");
}

class FormatReader {
public:
    explicit FormatReader(const std::string& format) : format_(format) {}

    // Appends the characters up to the next placeholder; returns false at the end.
    bool next(std::string& string, Placeholder& p) {
        while (at_ < format_.size()) {
            const char c = format_[at_++];
            if (c != '%') {
                string += c;
            } else if (at_ < format_.size() && format_[at_] == '%') {
                string += '%';
                ++at_;
            } else {
                p = placeholder();
                return true;
            }
        }
        return false;
    }

private:
    char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

    Placeholder placeholder() {
        Placeholder p;
        if (peek() == '(') {
            const size_t close = format_.find(')', at_);
            if (close == std::string::npos) malformed(format_);
            p.name = format_.substr(at_ + 1, close - at_ - 1);
            at_ = close + 1;
        }
        for (;; ++at_) {
            const char c = peek();
            if (c == '#') {
                p.prefix = true;
            } else if (c == '+') {
                p.sign = true;
            } else if (c == '-') {
                p.left = true;
            } else if (c == '0') {
                p.zeros = true;
            } else {
                break;
            }
        }
        number(p.widthGiven, p.width);
        if (peek() == '.') {
            ++at_;
            p.precision = 0;
            number(p.precisionGiven, p.precision);
        }
        if (!std::isalpha(static_cast<unsigned char>(peek()))) malformed(format_);
        p.letter = format_[at_++];
        return p;
    }

    void number(bool& byStar, int& value) {
        if (peek() == '*') {
            byStar = true;
            ++at_;
            return;
        }
        int digits = 0;
        while (std::isdigit(static_cast<unsigned char>(peek()))) {
            digits = digits * 10 + (format_[at_++] - '0');
            if (digits > kWidest) malformed(format_);
            value = digits;
        }
    }

    const std::string& format_;
    size_t at_ = 0;
};

Type typeOfLetter(char letter) {
    for (const TypeFacts& row : kTypeTable) {
        if (row.suffix == letter) return row.type;
    }
    return Type::Void;
}

std::string inBase(int64_t value, int base, bool capitals) {
    char buffer[72];
    const bool negative = value < 0;
    auto magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    auto end = std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr;
    std::string string(buffer, end);
    if (capitals)
        std::transform(string.begin(), string.end(), string.begin(), [](unsigned char c) { return std::toupper(c); });
    return negative ? "-" + string : string;
}

// Formats one value, without padding.
std::string bare(const Placeholder& p, const Value& v, size_t argument) {
    auto refuse = [&](std::string_view needed) { refuseArgument(argument, "args", needed, v); };
    switch (p.letter) {
        case 'o':
        case 'x':
        case 'X': {
            if (!v.isNumber() || isFloating(v.type())) refuse("an integer");
            if (v.isNull()) return "";
            const std::string prefix = !p.prefix ? "" : p.letter == 'o' ? "0o" : p.letter == 'x' ? "0x" : "0X";
            return prefix + inBase(v.integer(), p.letter == 'o' ? 8 : 16, p.letter == 'X');
        }
        case 'f':
        case 'F': {
            if (!v.isNumber() && !isDecimal(v.type())) refuse("a number");
            if (v.isNull()) return "";
            return fmt::format("{:.{}f}", v.asDouble(), p.precision < 0 ? 6 : p.precision);
        }
        case 'W':
        case 'S': {
            if (!v.isString()) refuse("a string");
            const std::string_view string = v.string();
            return std::string(p.precision >= 0 ? string.substr(0, static_cast<size_t>(p.precision)) : string);
        }
        case 'A':
            return display(v);
        default:
            break;
    }
    const Type type = typeOfLetter(p.letter);
    if (type == Type::Void) {
        throw UserError(0, fmt::format("%{} is no placeholder.", p.letter),
                        "Placeholders end in the letter of a type.");
    }
    const bool fits = v.isScalar() && (v.type() == type || v.isVoid() || (isIntegral(type) && isIntegral(v.type())));
    if (!fits) refuse(fmt::format("of type {}", typeName(type)));
    return toString(v);
}

std::string padded(const Placeholder& p, std::string string, bool number) {
    const bool negative = number && !string.empty() && string[0] == '-';
    if (p.sign && number && !negative) string.insert(0, "+");
    const auto width = static_cast<size_t>(std::max(p.width, 0));
    if (string.size() >= width) return string;
    const size_t missing = width - string.size();
    if (p.left && number) return string + std::string(missing, p.zeros ? '0' : ' ');
    if (p.zeros) return string.insert(number && (negative || p.sign) ? 1 : 0, std::string(missing, '0'));
    return std::string(missing, ' ') + string;
}

std::string written(Placeholder p, Value v, size_t argument) {
    // (width, precision, value), as many of them as there are stars
    if (p.widthGiven || p.precisionGiven) {
        const int64_t stars = (p.widthGiven ? 1 : 0) + (p.precisionGiven ? 1 : 0);
        if (!v.isVector() || v.size() != stars + 1) {
            refuseArgument(argument, "args", "a tuple of the width, the precision and the value where a * stands", v);
        }
        auto part = [&](int64_t i) {
            const Value n = v.at(i);
            const int64_t x = n.isNumber() ? n.asLong() : -1;
            if (x < 0 || x > kWidest) refuseArgument(argument, "args", "a tuple that begins with a width", v);
            return static_cast<int>(x);
        };
        if (p.widthGiven) p.width = part(0);
        if (p.precisionGiven) p.precision = part(stars - 1);
        v = v.at(stars);
    }
    const bool number = v.isNumber() || isDecimal(v.type());
    return padded(p, bare(p, v, argument), number);
}

Value stringFormatKernel(Context&, Arguments a) {
    const std::string format = stringArgument(a, 0, "format");
    FormatReader reader(format);
    std::string string;
    Placeholder p;
    size_t next = 1;
    while (reader.next(string, p)) {
        if (!p.name.empty()) {
            if (a.size() < 2 || !a[1].isDictionary())
                throw UserError(1, "A named placeholder takes its value from a dictionary.");
            const Value key = Value::ofString(p.name);
            if (!a[1].dictionary().contains(key))
                throw UserError(1, fmt::format("The dictionary has no key {}.", p.name));
            string += written(p, a[1].dictionary().get(key), 1);
            next = 2;
            continue;
        }
        if (next >= a.size()) throw UserError(0, "The format has more placeholders than there are values.");
        string += written(p, a[next], next);
        ++next;
    }
    if (next < a.size())
        throw UserError(static_cast<int>(next), "There are more values than the format has placeholders.");
    return Value::ofString(string);
}

}  // namespace

void registerStringFormat(FunctionRegistry& registry) {
    registry.add(
        "stringFormat(format, args...)", stringFormatKernel,
        {.summary = "The format with its placeholders replaced by the values.",
         .parameters = "format: a string with %[(name)][#][+-][0][width][.precision]letter; the letter is that of "
                       "the type (b c h i l d M t m s D T n N f F S W), o x X for other bases, A for any; a * "
                       "stands for a number that is given in a tuple before the value; %% is a percent sign",
         .nulls = "NULL is written as nothing.",
         .errors = "Values and placeholders differ in number or type.",
         .example = "stringFormat(\"%W: %6.2F\", `gain, 1.5) -> gain:   1.50"});
}

}  // namespace pelorus
