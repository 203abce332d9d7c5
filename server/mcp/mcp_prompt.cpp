#include "server/mcp/mcp_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "common/error.h"

namespace pelorus {

namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

// Calls `take` with each piece of text, and `place` with the name of each place.
void cut(std::string_view message, const std::function<void(std::string_view text)>& take,
         const std::function<void(std::string_view name)>& place) {
    const auto isLetter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    size_t begin = 0;
    for (size_t at = message.find("${"); at != std::string_view::npos; at = message.find("${", at + 2)) {
        const size_t end = message.find('}', at);
        if (end == std::string_view::npos) break;
        const std::string_view name = message.substr(at + 2, end - at - 2);
        if (name.empty() || !std::all_of(name.begin(), name.end(), isLetter)) continue;
        take(message.substr(begin, at - begin));
        place(name);
        begin = end + 1;
    }
    take(message.substr(begin));
}

}  // namespace

std::vector<std::string> mcpPlaces(std::string_view message) {
    std::vector<std::string> names;
    cut(
        message, [](std::string_view) {},
        [&](std::string_view name) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
        });
    return names;
}

std::string mcpFilled(std::string_view message, const std::map<std::string, std::string>& arguments) {
    const std::vector<std::string> places = mcpPlaces(message);
    for (const auto& [name, ignored] : arguments) {
        if (std::find(places.begin(), places.end(), name) == places.end())
            throw UserError(fmt::format("The prompt has no place ${{{}}}.", name.substr(0, 100)));
    }
    std::string filled;
    const auto add = [&](std::string_view text) {
        if (filled.size() + text.size() > kMaxBytes) throw UserError("The prompt would be longer than 1 MiB.");
        filled += text;
    };
    cut(message, add, [&](std::string_view name) {
        const auto given = arguments.find(std::string(name));
        if (given == arguments.end()) throw UserError(fmt::format("The argument {} of the prompt is missing.", name));
        add(given->second);
    });
    return filled;
}

}  // namespace pelorus
