#include "common/io/base64.h"

#include <array>
#include <cstdint>

namespace pelorus {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> kValues = [] {
    std::array<int, 256> values{};
    values.fill(-1);
    for (size_t i = 0; i < kDigits.size(); ++i) {
        values[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
    }
    return values;
}();

}  // namespace

std::string toBase64(std::string_view bytes) {
    std::string string;
    string.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const size_t left = bytes.size() - i;
        uint32_t group = static_cast<unsigned char>(bytes[i]) << 16;
        if (left > 1) group |= static_cast<unsigned char>(bytes[i + 1]) << 8;
        if (left > 2) group |= static_cast<unsigned char>(bytes[i + 2]);
        string += kDigits[group >> 18];
        string += kDigits[(group >> 12) & 63];
        string += left > 1 ? kDigits[(group >> 6) & 63] : '=';
        string += left > 2 ? kDigits[group & 63] : '=';
    }
    return string;
}

bool fromBase64(std::string_view string, std::string& bytes) {
    bytes.clear();
    uint32_t group = 0;
    int digits = 0, padding = 0;
    for (char c : string) {
        if (c == ' ' || c == '\r' || c == '\n' || c == '\t') continue;
        const int value = kValues[static_cast<unsigned char>(c)];
        if (c == '=') {
            ++padding;
        } else if (value < 0 || padding > 0) {
            return false;
        }
        group = group << 6 | static_cast<uint32_t>(value < 0 ? 0 : value);
        if (++digits % 4 != 0) continue;
        if (padding > 2) return false;
        bytes.push_back(static_cast<char>(group >> 16));
        if (padding < 2) bytes.push_back(static_cast<char>(group >> 8));
        if (padding < 1) bytes.push_back(static_cast<char>(group));
        group = 0;
    }
    return digits % 4 == 0;
}

}  // namespace pelorus
