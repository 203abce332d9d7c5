#include "apps/editor/candidate_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "presentation/view/text_width.h"

namespace pelorus {

std::string listCandidates(const Completion& completion, size_t screenRows, size_t screenColumns) {
    const std::vector<Candidate>& candidates = completion.candidates;
    const size_t rows = screenRows > 4 ? screenRows - 3 : 1;  // the input, and the count of the others, stay in sight
    const auto shownIn = [&](std::string_view text) { return printableString(text); };
    std::string list;
    const bool hasSignatures =
        std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.shown != c.text; });
    if (hasSignatures && candidates.size() <= rows) {
        for (const Candidate& candidate : candidates) {
            const std::string shown = shownIn(candidate.shown);
            const size_t bytes = prefixOfWidth(shown, screenColumns - 1);
            list += bytes == shown.size() ? shown : shown.substr(0, prefixOfWidth(shown, screenColumns - 2)) + "…";
            list += '\n';
        }
        return list;
    }
    std::vector<std::string> names;
    size_t widest = 1;
    for (const Candidate& candidate : candidates) {
        names.push_back(shownIn(candidate.text));
        widest = std::max(widest, textWidth(names.back()));
    }
    constexpr size_t kGap = 2;
    const size_t columns = std::max<size_t>(1, screenColumns / (widest + kGap));
    const size_t shown = std::min(names.size(), rows * columns);
    const size_t lines = (shown + columns - 1) / columns;
    for (size_t line = 0; line < lines; ++line) {
        for (size_t i = line; i < shown; i += lines) {
            list += names[i];
            if (i + lines < shown) list.append(widest + kGap - textWidth(names[i]), ' ');
        }
        list += '\n';
    }
    if (shown < names.size()) list += fmt::format("… and {} more\n", names.size() - shown);
    return list;
}

}  // namespace pelorus
