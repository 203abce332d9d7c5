#include "runtime/text/odd_numbers.h"

#include <algorithm>

namespace pelorus::text {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isDigits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

std::string_view withoutSign(std::string_view text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    return text;
}

// Returns whether the text is one to three digits, then groups of three behind the mark; at least `leastGroups`.
bool isGrouped(std::string_view text, char mark, int leastGroups) {
    const size_t first = std::min(text.find(mark), text.size());
    if (first > 3 || !isDigits(text.substr(0, first))) return false;
    int groups = 0;
    for (size_t at = first; at < text.size(); at += 4, ++groups) {
        if (text[at] != mark || text.size() - at < 4 || !isDigits(text.substr(at + 1, 3))) return false;
    }
    return groups >= leastGroups;
}

}  // namespace

bool hasLeadingZeros(std::string_view text) {
    return text.size() > 1 && text[0] == '0' && isDigits(text);
}

bool isInteger(std::string_view text) {
    return isDigits(withoutSign(text));
}

bool hasDecimalComma(std::string_view text) {
    text = withoutSign(text);
    const size_t comma = text.find(',');
    if (comma == std::string_view::npos || !isDigits(text.substr(comma + 1))) return false;
    const std::string_view whole = text.substr(0, comma);
    return isDigits(whole) || isGrouped(whole, '.', 1);
}

bool hasThousandsCommas(std::string_view text) {
    text = withoutSign(text);
    const size_t point = text.find('.');
    if (point != std::string_view::npos && !isDigits(text.substr(point + 1))) return false;
    return isGrouped(text.substr(0, point), ',', 1);
}

std::optional<bool> truthOf(std::string_view text) {
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    return {};
}

}  // namespace pelorus::text
