#include "server/postgres/wire/wire_numbers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "postgres/sql_error.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {
namespace {

constexpr int kMaxDigits = 38;
constexpr size_t kGroupDigits = 4;
constexpr uint16_t kNegative = 0x4000;
constexpr int kMaxScale = 16'383;

std::string_view trimmed(std::string_view text) {
    const auto isBlank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
    return text;
}

[[noreturn]] void refuseText(std::string_view type, std::string_view text) {
    throw SqlError(sql_state::kInvalidText,
                   "invalid input syntax for type " + std::string(type) + ": \"" + std::string(text) + "\"");
}

[[noreturn]] void refuseDigits() {
    throw SqlError(sql_state::kOutOfRange, "value overflows numeric format", -1, "A numeric has at most 38 digits.");
}

// Floats with an exponent from -4 to below `ownDigits` are shown without one: from 0.0001 to below `plainEnd`.
template <class T>
void appendReal(std::string& out, T x, int digits, int ownDigits, T plainEnd) {
    if (std::isnan(x)) {
        out += "NaN";
        return;
    }
    if (std::isinf(x)) {
        out += x < 0 ? "-Infinity" : "Infinity";
        return;
    }
    char buffer[400];
    if (digits <= 0) {
        const int size =
            std::snprintf(buffer, sizeof buffer, "%.*g", std::max(1, ownDigits + digits), static_cast<double>(x));
        out.append(buffer, static_cast<size_t>(size));
        return;
    }
    if (x == 0) {
        out += std::signbit(x) ? "-0" : "0";
        return;
    }
    const T size = std::abs(x);
    const bool isPlain = size >= static_cast<T>(0.0001) && size < plainEnd;
    const auto form = isPlain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, form).ptr;
    out.append(buffer, static_cast<size_t>(end - buffer));
}

void addDigit(DecimalNumber& number, int digit) {
    constexpr __int128 kMost = static_cast<__int128>(~static_cast<unsigned __int128>(0) >> 1);
    if (number.raw > (kMost - digit) / 10) refuseDigits();
    number.raw = number.raw * 10 + digit;
}

// Brings the scale into 0 … 38; zeros at the end beyond it are dropped.
void normalize(DecimalNumber& number) {
    for (; number.scale < 0; ++number.scale) addDigit(number, 0);
    for (; number.scale > kMaxDigits && number.raw % 10 == 0; --number.scale) number.raw /= 10;
    if (number.scale > kMaxDigits) refuseDigits();
}

}  // namespace

void appendFloat8(std::string& out, double x, int digits) {
    appendReal(out, x, digits, 15, 1e15);
}

void appendFloat4(std::string& out, float x, int digits) {
    appendReal(out, x, digits, 6, 1e6F);
}

void appendDecimal(std::string& out, DecimalNumber number) {
    char buffer[64];
    char* const end = buffer + sizeof buffer;
    char* at = end;
    auto rest =
        number.raw < 0 ? -static_cast<unsigned __int128>(number.raw) : static_cast<unsigned __int128>(number.raw);
    for (int digits = 0; rest > 0 || digits <= number.scale; ++digits) {
        if (digits == number.scale && digits > 0) *--at = '.';
        *--at = static_cast<char>('0' + static_cast<int>(rest % 10));
        rest /= 10;
    }
    if (number.raw < 0) *--at = '-';
    out.append(at, static_cast<size_t>(end - at));
}

DecimalNumber parseDecimal(std::string_view whole) {
    std::string_view text = trimmed(whole);
    const bool isNegative = text.starts_with('-');
    if (isNegative || text.starts_with('+')) text.remove_prefix(1);
    DecimalNumber number;
    bool hasPoint = false, hasDigit = false;
    size_t i = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == '.' && !hasPoint) {
            hasPoint = true;
        } else if (text[i] >= '0' && text[i] <= '9') {
            hasDigit = true;
            addDigit(number, text[i] - '0');
            number.scale += hasPoint ? 1 : 0;
        } else {
            break;
        }
    }
    if (!hasDigit) refuseText("numeric", whole);
    if (i < text.size()) {
        if (text[i] != 'e' && text[i] != 'E') refuseText("numeric", whole);
        const char* from = text.data() + i + 1;
        if (i + 1 < text.size() && *from == '+') ++from;
        int exponent = 0;
        const auto [end, error] = std::from_chars(from, text.data() + text.size(), exponent);
        if (error == std::errc::result_out_of_range) refuseDigits();
        if (error != std::errc() || end != text.data() + text.size()) refuseText("numeric", whole);
        if (std::abs(exponent) > 1000) refuseDigits();
        number.scale -= exponent;
        if (number.raw == 0) number.scale = std::clamp(number.scale, 0, kMaxDigits);
    }
    normalize(number);
    if (isNegative) number.raw = -number.raw;
    return number;
}

void appendBinaryNumeric(std::string& out, std::string_view text) {
    if (text == "NaN") {
        for (const int part : {0, 0, 0xC000, 0}) appendInt16(out, static_cast<int16_t>(part));
        return;
    }
    const bool isNegative = text.starts_with('-');
    if (isNegative) text.remove_prefix(1);
    const size_t point = std::min(text.find('.'), text.size());
    std::string digits((kGroupDigits - point % kGroupDigits) % kGroupDigits, '0');
    digits += text.substr(0, point);
    const size_t wholeGroups = digits.size() / kGroupDigits;
    size_t scale = 0;
    if (point < text.size()) {
        scale = text.size() - point - 1;
        digits += text.substr(point + 1);
    }
    digits.append((kGroupDigits - digits.size() % kGroupDigits) % kGroupDigits, '0');
    const size_t all = digits.size() / kGroupDigits;
    const auto group = [&](size_t i) {
        int x = 0;
        for (size_t k = 0; k < kGroupDigits; ++k) x = x * 10 + (digits[i * kGroupDigits + k] - '0');
        return x;
    };
    size_t first = 0, last = all;
    while (first < last && group(first) == 0) ++first;
    while (last > first && group(last - 1) == 0) --last;
    const bool isZero = first == last;
    appendInt16(out, static_cast<int16_t>(last - first));
    appendInt16(out, static_cast<int16_t>(isZero ? 0 : static_cast<int>(wholeGroups) - 1 - static_cast<int>(first)));
    appendInt16(out, static_cast<int16_t>(isNegative && !isZero ? kNegative : 0));
    appendInt16(out, static_cast<int16_t>(scale));
    for (size_t i = first; i < last; ++i) appendInt16(out, static_cast<int16_t>(group(i)));
}

DecimalNumber parseBinaryNumeric(std::string_view bytes) {
    MessageReader reader(bytes);
    const int count = reader.int16(), weight = reader.int16();
    const auto sign = static_cast<uint16_t>(reader.int16());
    const int scale = reader.int16();
    if (count < 0 || scale < 0 || scale > kMaxScale || (sign != 0 && sign != kNegative) ||
        bytes.size() != 8 + 2 * static_cast<size_t>(count)) {
        if (sign == 0xC000 || sign == 0xD000 || sign == 0xF000)
            throw SqlError(sql_state::kOutOfRange, "NaN and infinity are not supported by numeric");
        throw SqlError("22P03", "invalid binary form of numeric");
    }
    DecimalNumber number;
    for (int i = 0; i < count; ++i) {
        const int group = reader.int16();
        if (group < 0 || group > 9999) throw SqlError("22P03", "invalid digit in the binary form of numeric");
        for (const int unit : {1000, 100, 10, 1}) addDigit(number, group / unit % 10);
    }
    // The last group has this many digits behind the point.
    number.scale = 4 * (count - 1 - weight);
    if (number.raw == 0) number.scale = 0;
    for (; number.scale > scale && number.raw % 10 == 0; --number.scale) number.raw /= 10;
    if (number.scale < -1000) refuseDigits();
    normalize(number);
    for (; number.scale < std::min(scale, kMaxDigits); ++number.scale) addDigit(number, 0);
    if (sign == kNegative) number.raw = -number.raw;
    return number;
}

int64_t parseInteger(std::string_view whole, int64_t least, int64_t most, std::string_view type) {
    std::string_view text = trimmed(whole);
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
    int64_t x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    const bool isNumber = !text.empty() && end == text.data() + text.size();
    if (!isNumber || error == std::errc::invalid_argument) refuseText(type, whole);
    if (error == std::errc::result_out_of_range || x < least || x > most) {
        throw SqlError(sql_state::kOutOfRange,
                       "value \"" + std::string(text) + "\" is out of range for type " + std::string(type));
    }
    return x;
}

double parseFloat8(std::string_view whole, std::string_view type) {
    std::string_view text = trimmed(whole);
    if (text.starts_with('+')) text.remove_prefix(1);
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size())
        refuseText(type, whole);
    if (error == std::errc::result_out_of_range)
        throw SqlError(sql_state::kOutOfRange,
                       "\"" + std::string(text) + "\" is out of range for type " + std::string(type));
    return x;
}

bool parseBool(std::string_view whole) {
    std::string word(trimmed(whole));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto begins = [&](std::string_view full, size_t least) {
        return word.size() >= least && full.starts_with(word);
    };
    if (begins("true", 1) || begins("yes", 1) || word == "on" || word == "1") return true;
    if (begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0") return false;
    refuseText("boolean", whole);
}

}  // namespace pelorus::postgres
