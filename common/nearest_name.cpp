#include "common/nearest_name.h"

#include <algorithm>
#include <cctype>

namespace pelorus {

// Levenshtein distance, cut off once it passes `limit`.
static int editDistance(std::string_view a, std::string_view b, int limit) {
    if (std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())) > limit) return limit + 1;
    std::vector<int> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
    for (size_t i = 1; i <= a.size(); ++i) {
        int diagonal = row[0];
        row[0] = static_cast<int>(i);
        for (size_t j = 1; j <= b.size(); ++j) {
            int above = row[j];
            bool same = std::tolower(a[i - 1]) == std::tolower(b[j - 1]);
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::vector<std::string_view> nearestNames(std::string_view name, const std::vector<std::string_view>& candidates) {
    const int limit = name.size() <= 3 ? 1 : 2;
    std::vector<std::pair<int, std::string_view>> found;
    for (std::string_view candidate : candidates) {
        const int distance = editDistance(name, candidate, limit);
        if (distance <= limit) found.emplace_back(distance, candidate);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    constexpr size_t kMost = 3;
    std::vector<std::string_view> names;
    for (size_t i = 0; i < found.size() && i < kMost; ++i) names.push_back(found[i].second);
    return names;
}

std::string didYouMean(const std::vector<std::string_view>& names) {
    std::string hint;
    for (std::string_view name : names) {
        hint += hint.empty() ? "Did you mean " : " or ";
        hint += name;
    }
    return hint.empty() ? hint : hint + "?";
}

}  // namespace pelorus
