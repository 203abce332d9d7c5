#include "common/nearest_name.h"

#include <algorithm>
#include <cctype>

namespace pelorus {

static bool isSameLetter(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Damerau-Levenshtein distance (two neighbours in the wrong order are one error), cut off once it passes `limit`.
static int editDistance(std::string_view a, std::string_view b, int limit) {
    if (std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())) > limit) return limit + 1;
    std::vector<int> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
    for (size_t i = 1; i <= a.size(); ++i) {
        next[0] = static_cast<int>(i);
        for (size_t j = 1; j <= b.size(); ++j) {
            const bool same = isSameLetter(a[i - 1], b[j - 1]);
            next[j] = std::min({next[j - 1] + 1, row[j] + 1, row[j - 1] + (same ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && isSameLetter(a[i - 1], b[j - 2]) && isSameLetter(a[i - 2], b[j - 1]);
            if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
        }
        std::swap(before, row);
        std::swap(row, next);
    }
    return row[b.size()];
}

bool differsInCaseOnly(std::string_view a, std::string_view b) {
    return a != b && std::equal(a.begin(), a.end(), b.begin(), b.end(), isSameLetter);
}

std::vector<std::string_view> nearestNames(std::string_view name, const std::vector<std::string_view>& candidates) {
    constexpr size_t kShort = 5;  // two errors make any short word of any other
    const int limit = name.size() <= kShort ? 1 : 2;
    std::vector<std::pair<int, std::string_view>> found;
    for (std::string_view candidate : candidates) {
        const int distance = editDistance(name, candidate, limit);
        if (distance <= limit && distance < static_cast<int>(name.size())) found.emplace_back(distance, candidate);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    constexpr size_t kMax = 3;
    std::vector<std::string_view> names;
    // A name with fewer errors makes those with more improbable.
    for (size_t i = 0; i < found.size() && i < kMax && found[i].first == found[0].first; ++i)
        names.push_back(found[i].second);
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
