#include "common/string/trim.h"

namespace pelorus {

std::string_view trimEnd(std::string_view string, std::string_view blanks) {
    const size_t last = string.find_last_not_of(blanks);
    return string.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view trim(std::string_view string, std::string_view blanks) {
    const size_t first = string.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view() : trimEnd(string.substr(first), blanks);
}

}  // namespace pelorus
