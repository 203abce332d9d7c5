// Converts bytes to the form in which tests quote them, "04 00 2a", and back.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace pelorus::testing {

inline std::string fromHex(std::string_view hex) {
    std::string bytes;
    int digits = 0;
    unsigned value = 0;
    for (char c : hex) {
        if (c == ' ' || c == '\n') continue;
        value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
        if (++digits % 2 == 0) {
            bytes.push_back(static_cast<char>(value));
            value = 0;
        }
    }
    return bytes;
}

inline std::string toHex(std::string_view bytes) {
    std::string hex;
    char pair[4];
    for (unsigned char c : bytes) {
        std::snprintf(pair, sizeof pair, hex.empty() ? "%02x" : " %02x", c);
        hex += pair;
    }
    return hex;
}

}  // namespace pelorus::testing
