#include "server/line_protocol/line_lexer.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace pelorus {
namespace {

constexpr int64_t kNanosPerMicro = 1000;
constexpr uint8_t kBinaryDouble = 0x10;
constexpr uint8_t kBinaryArray = 0x0E;
constexpr uint8_t kArrayOfDoubles = 0x0A;
// An ARRAY's values must fit a line.
constexpr uint32_t kMaxArrayValues = 100'000;
constexpr uint8_t kMaxDimensions = 32;
constexpr size_t kExcerptBytes = 40;

constexpr std::array<bool, 256> endsName = [] {
    std::array<bool, 256> ends{};
    for (const char c : {' ', ',', '=', '\n', '\r', '\\'}) ends[static_cast<uint8_t>(c)] = true;
    return ends;
}();

bool isEscapable(char c) {
    return c == ' ' || c == ',' || c == '=' || c == '"' || c == '\\' || c == '\n' || c == '\r';
}

bool isDigit(char c) {
    return static_cast<unsigned char>(c - '0') < 10;
}

// Returns whether the value of a field ends at this character.
bool isBoundary(char c) {
    return c == ',' || c == ' ' || c == '\n' || c == '\r';
}

const char* endOfToken(const char* at, const char* end) {
    while (at < end && !isBoundary(*at)) ++at;
    if (at == end) throw CutLine{};
    return at;
}

void setDouble(LineValue& value, double x) {
    value.kind = LineKind::Double;
    // NaN and infinity become NULL, as in a script that divides by zero.
    value.bits = std::bit_cast<int64_t>(std::isfinite(x) ? x : null<double>);
}

const char* readString(const char* at, const char* end, LineValue& value) {
    value.kind = LineKind::String;
    value.isEscaped = false;
    const char* begin = ++at;
    for (; at < end; ++at) {
        if (*at == '"') {
            value.string = {begin, static_cast<size_t>(at - begin)};
            return at + 1;
        }
        if (*at == '\n') throw LineError("a string is not closed by a quote on its line");
        if (*at == '\\') {
            value.isEscaped = true;
            ++at;
        }
    }
    throw CutLine{};
}

// Reads words: true and false, NaN and infinity.
const char* readWord(const char* at, const char* end, LineValue& value) {
    const char* last = endOfToken(at, end);
    const std::string_view word(at, static_cast<size_t>(last - at));
    const auto isOneOf = [&](std::initializer_list<std::string_view> words) {
        for (const std::string_view known : words) {
            if (word == known) return true;
        }
        return false;
    };
    if (isOneOf({"t", "T", "true", "True", "TRUE"}) || isOneOf({"f", "F", "false", "False", "FALSE"})) {
        value.kind = LineKind::Bool;
        value.bits = word[0] == 't' || word[0] == 'T' ? 1 : 0;
    } else if (isOneOf({"NaN", "nan", "Infinity", "inf", "-Infinity", "-inf", "+Infinity"})) {
        setDouble(value, std::nan(""));
    } else {
        throw LineError(
            fmt::format("{} is no value of a field: a number, string or truth value is expected", excerpt(at, last)));
    }
    return last;
}

int64_t scaled(int64_t number, int64_t unit, const char* at, const char* end) {
    int64_t nanos = 0;
    if (__builtin_mul_overflow(number, unit, &nanos) || isNull(nanos))
        throw LineError(fmt::format("the time {} is outside of the years 1677 to 2262; its unit may be another one",
                                    excerpt(at, end)));
    return nanos;
}

// Reads digits with an optional sign; false when they do not fit 64 bits.
bool readInteger(const char*& at, const char* end, int64_t& number) {
    const bool isNegative = *at == '-';
    if (isNegative || *at == '+') ++at;
    uint64_t sum = 0;
    bool fits = true;
    const char* begin = at;
    for (; at < end && isDigit(*at); ++at) {
        if (at - begin >= 18) {
            fits = fits && !__builtin_mul_overflow(sum, uint64_t{10}, &sum) &&
                   !__builtin_add_overflow(sum, static_cast<uint64_t>(*at - '0'), &sum);
        } else {
            sum = sum * 10 + static_cast<uint64_t>(*at - '0');
        }
    }
    number = static_cast<int64_t>(isNegative ? ~sum + 1 : sum);
    return fits && sum <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

const char* readReal(const char* at, const char* end, LineValue& value) {
    const char* last = endOfToken(at, end);
    double x = 0;
    const char* begin = at < last && *at == '+' ? at + 1 : at;
    const auto [stopped, error] = fast_float::from_chars(begin, last, x);
    if (stopped != last || error == std::errc::invalid_argument) return readWord(at, end, value);
    if (error == std::errc::result_out_of_range || !std::isfinite(x))
        throw LineError(fmt::format("{} is outside of the range of DOUBLE", excerpt(at, last)));
    setDouble(value, x);
    return last;
}

const char* readNumber(const char* at, const char* end, LineValue& value) {
    const char* begin = at;
    int64_t number = 0;
    const bool fits = readInteger(at, end, number);
    if (at == end) throw CutLine{};
    const bool hasDigits = isDigit(at[-1]) && at > begin;
    if (!hasDigits || (*at != 'i' && *at != 't' && *at != 'n')) return readReal(begin, end, value);
    const char suffix = *at++;
    if (at == end) throw CutLine{};
    if (!isBoundary(*at)) return readReal(begin, end, value);
    if (suffix == 'i') {
        if (!fits) throw LineError(fmt::format("{} is outside of the range of LONG", excerpt(begin, at)));
        value.kind = LineKind::Long;
        value.bits = number;
    } else {
        if (!fits) throw LineError(fmt::format("{} is no time", excerpt(begin, at)));
        value.kind = LineKind::Time;
        value.bits = scaled(number, suffix == 't' ? kNanosPerMicro : 1, begin, at);
    }
    return at;
}

uint32_t littleEndian32(const char* at) {
    uint32_t x = 0;
    std::memcpy(&x, at, sizeof x);
    return x;
}

const char* readBinary(const char* at, const char* end, LineValue& value) {
    const auto need = [&](size_t bytes) {
        if (static_cast<size_t>(end - at) < bytes) throw CutLine{};
    };
    need(1);
    const auto form = static_cast<uint8_t>(*at++);
    if (form == kBinaryDouble) {
        need(sizeof(double));
        double x = 0;
        std::memcpy(&x, at, sizeof x);
        setDouble(value, x);
        return at + sizeof(double);
    }
    if (form != kBinaryArray) throw LineError(fmt::format("the binary form {:#04x} of a value is not known", form));
    need(2);
    if (static_cast<uint8_t>(*at++) != kArrayOfDoubles) throw LineError("an array's elements must be DOUBLEs");
    const auto dimensions = static_cast<uint8_t>(*at++);
    if (dimensions < 1 || dimensions > kMaxDimensions)
        throw LineError(fmt::format("an array has {} dimensions; it must have 1 to {}", dimensions, kMaxDimensions));
    need(dimensions * sizeof(uint32_t));
    const std::string_view shape(at, dimensions * sizeof(uint32_t));
    uint64_t count = 1;
    for (size_t d = 0; d < dimensions; ++d) {
        const uint32_t length = littleEndian32(at + d * sizeof(uint32_t));
        if (length > kMaxArrayValues || count * length > kMaxArrayValues)
            throw LineError(fmt::format("an array has more than {} elements", kMaxArrayValues));
        count *= length;
    }
    at += shape.size();
    need(count * sizeof(double));
    value.kind = LineKind::Array;
    value.isEscaped = false;
    value.string = {at, count * sizeof(double)};
    value.shape = dimensions > 1 ? shape : std::string_view();
    return at + count * sizeof(double);
}

}  // namespace

std::string excerpt(const char* at, const char* end) {
    std::string string;
    for (; at < end && string.size() < kExcerptBytes; ++at) string += static_cast<unsigned char>(*at) < ' ' ? '?' : *at;
    return at < end ? string + "…" : string;
}

void appendUnescaped(std::string& target, std::string_view string) {
    for (size_t i = 0; i < string.size(); ++i) {
        if (string[i] == '\\' && i + 1 < string.size() && isEscapable(string[i + 1])) ++i;
        target += string[i];
    }
}

std::string LineName::unescaped() const {
    if (!isEscaped) return std::string(string);
    std::string plain;
    appendUnescaped(plain, string);
    return plain;
}

const char* readName(const char* at, const char* end, LineName& name) {
    const char* begin = at;
    name.isEscaped = false;
    for (; at < end; ++at) {
        if (!endsName[static_cast<uint8_t>(*at)]) continue;
        if (*at != '\\') {
            name.string = {begin, static_cast<size_t>(at - begin)};
            return at;
        }
        if (at + 1 == end) break;
        if (isEscapable(at[1])) {
            name.isEscaped = true;
            ++at;
        }
    }
    throw CutLine{};
}

const char* readValue(const char* at, const char* end, LineValue& value) {
    if (at == end) throw CutLine{};
    // Small integers are the most common values.
    if (isDigit(*at) || *at == '-' || *at == '+' || *at == '.') return readNumber(at, end, value);
    if (*at == '"') return readString(at, end, value);
    if (*at == '=') return readBinary(at + 1, end, value);
    return readWord(at, end, value);
}

const char* readTime(const char* at, const char* end, int64_t unit, int64_t& nanos) {
    const char* begin = at;
    int64_t number = 0;
    const bool fits = readInteger(at, end, number);
    if (at == end) throw CutLine{};
    if (!isDigit(at[-1]) || at == begin) {
        throw LineError(fmt::format("the time {} is no number", excerpt(begin, endOfToken(begin, end))));
    }
    if (*at == 't' || *at == 'n') {
        unit = *at == 't' ? kNanosPerMicro : 1;
        ++at;
        if (at == end) throw CutLine{};
    }
    if (!isBoundary(*at) || *at == ',')
        throw LineError(fmt::format("the time {} is no integer", excerpt(begin, endOfToken(begin, end))));
    if (!fits) throw LineError(fmt::format("the time {} is too large", excerpt(begin, at)));
    nanos = scaled(number, unit, begin, at);
    return at;
}

}  // namespace pelorus
