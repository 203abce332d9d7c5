#include "runtime/registry/parameter_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pelorus {

namespace {

// Returns whether c is part of a name, which may have two forms as in key|filter.
bool isOfName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '|';
}

// Returns where the name stands in the parameters as a word of its own, and not as a default as in [tiesMethod='min'];
// npos when it does not.
size_t placeOf(std::string_view parameters, std::string_view name) {
    size_t at = parameters.find(name);
    for (; at != std::string_view::npos; at = parameters.find(name, at + 1)) {
        const size_t end = at + name.size();
        const bool begins = at == 0 || parameters[at - 1] == ' ' || parameters[at - 1] == '[';
        if (begins && (end == parameters.size() || !isOfName(parameters[end]))) break;
    }
    return at;
}

}  // namespace

std::string parameterLines(std::string_view syntax, std::string_view lines) {
    const size_t open = std::min(syntax.find('('), syntax.size());
    const std::string function = std::string(syntax.substr(0, open)) + '.';
    const std::string_view parameters = syntax.substr(std::min(open + 1, syntax.size()));
    const std::string all = "\n" + std::string(lines);
    std::vector<std::pair<size_t, std::string_view>> explained;  // by their places
    while (!lines.empty()) {
        const size_t end = std::min(lines.find('\n'), lines.size());
        std::string_view line = lines.substr(0, end);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        const std::string_view key = line.substr(0, line.find(": "));
        const bool isOwn = key.starts_with(function);
        if (isOwn) line.remove_prefix(function.size());
        const size_t place = placeOf(parameters, isOwn ? key.substr(function.size()) : key);
        if (place == std::string_view::npos) continue;
        const bool hasOwn = !isOwn && all.find("\n" + function + std::string(key) + ": ") != std::string::npos;
        if (!hasOwn) explained.emplace_back(place, line);
    }
    std::sort(explained.begin(), explained.end());
    std::string result;
    for (const auto& [place, line] : explained) {
        result += result.empty() ? "" : "\n";
        result += line;
    }
    return result;
}

}  // namespace pelorus
