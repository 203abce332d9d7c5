#include "common/string/ascii_case.h"

#include <algorithm>

namespace pelorus {

static char lowerOf(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string asciiLower(std::string_view string) {
    std::string lower(string);
    std::transform(lower.begin(), lower.end(), lower.begin(), lowerOf);
    return lower;
}

bool isEqualInAnyCase(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lowerOf(x) == lowerOf(y); });
}

}  // namespace pelorus
