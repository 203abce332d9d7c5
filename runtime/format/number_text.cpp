// Floating-point numbers as strings: by the display rule, and for exports.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr int kDisplayDecimals = 6;
constexpr double kDisplayScale = 1e6;

// Returns d.dddddd with one to six decimals, and the exponent: 1.189796E6.
std::string scientific(double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.6e", x);
    char* exponent = std::strchr(buffer, 'e');
    char* end = exponent;
    while (end[-1] == '0' && end[-2] != '.') --end;
    return std::string(buffer, end) + "E" + std::to_string(std::atoi(exponent + 1));
}

}  // namespace

std::string displayDouble(double x) {
    if (isNull(x)) return "";
    if (x == 0) return "0";
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    double magnitude = std::fabs(x);
    if (magnitude <= 1e-6 || magnitude >= 1e6) return scientific(x);

    // Below 1e6 the scaled number has at most twelve digits: exact in 64 bits.
    auto scaled = static_cast<uint64_t>(std::llround(magnitude * kDisplayScale));
    char digits[24];
    char* end = digits + sizeof digits;
    char* at = end;
    int decimals = kDisplayDecimals;
    while (decimals > 0 && scaled % 10 == 0) {
        scaled /= 10;
        --decimals;
    }
    for (int i = 0; i < decimals; ++i, scaled /= 10) *--at = static_cast<char>('0' + scaled % 10);
    if (decimals > 0) *--at = '.';
    do {
        *--at = static_cast<char>('0' + scaled % 10);
        scaled /= 10;
    } while (scaled > 0);
    if (x < 0) *--at = '-';
    return std::string(at, end);
}

// Writes the fewest digits that read back as the same number of this type.
template <class Real>
static std::string exported(Real x) {
    if (isNull(x)) return "";
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    constexpr Real kLeast = Real(1e-5), kMax = Real(1e15);  // between them without an exponent
    const Real size = std::abs(x);
    const bool isFixed = x == 0 || (size >= kLeast && size < kMax);
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, x,
                                      isFixed ? std::chars_format::fixed : std::chars_format::scientific);
    return std::string(buffer, result.ptr);
}

std::string exportDouble(double x) {
    return exported(x);
}

std::string exportFloat(float x) {
    return exported(x);
}

}  // namespace pelorus
