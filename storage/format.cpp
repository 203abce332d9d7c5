#include "storage/format.h"

#include <fmt/format.h>

#include <charconv>

namespace pelorus::format {

// Sixteen digits, so that the order of names is the order of numbers.
std::string numberedName(uint64_t number, std::string_view suffix) {
    return fmt::format("{:016x}{}", number, suffix);
}

bool parseNumberedName(std::string_view name, std::string_view suffix, uint64_t& number) {
    if (name.size() != 16 + suffix.size() || name.substr(16) != suffix) return false;
    const auto [end, error] = std::from_chars(name.data(), name.data() + 16, number, 16);
    return error == std::errc() && end == name.data() + 16;
}

}  // namespace pelorus::format
