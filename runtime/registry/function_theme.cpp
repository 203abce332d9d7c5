#include "runtime/registry/function_theme.h"

#include <algorithm>
#include <string>

namespace pelorus {

namespace {

struct ThemedFunction {
    std::string function;
    std::string_view theme;
    int family;
};

std::vector<ThemedFunction>& themedFunctions() {
    static std::vector<ThemedFunction> functions;
    return functions;
}
FunctionTheme* current = nullptr;
int families = 0;

const ThemedFunction* themed(std::string_view function) {
    for (const ThemedFunction& f : themedFunctions()) {
        if (f.function == function) return &f;
    }
    return nullptr;
}

std::string lowered(std::string_view string) {
    std::string lower(string);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
}

// Returns how many letters of the longer name are the shorter one, at its end (avg in mavg, rowAvg) or as its first
// word (mavg in mavgTopN, but not min in minute).
size_t sharedLetters(std::string_view shorter, std::string_view longer) {
    constexpr size_t kShortest = 3;
    if (shorter.size() > longer.size()) std::swap(shorter, longer);
    if (shorter.size() < kShortest || shorter.size() == longer.size()) return 0;
    if (lowered(longer).ends_with(lowered(shorter))) return shorter.size();
    const char next = longer[shorter.size()];
    return longer.starts_with(shorter) && !(next >= 'a' && next <= 'z') ? shorter.size() : 0;
}

}  // namespace

FunctionTheme::FunctionTheme(std::string_view name) : name_(name), family_(families++), outer_(current) {
    current = this;
}

FunctionTheme::~FunctionTheme() {
    current = outer_;
}

void FunctionTheme::registerAll(FunctionRegistry& registry, std::string_view theme,
                                std::initializer_list<void (*)(FunctionRegistry&)> families) {
    for (auto* family : families) {
        const FunctionTheme scope(theme);
        family(registry);
    }
}

void recordTheme(std::string_view function) {
    if (current) themedFunctions().push_back({std::string(function), current->name_, current->family_});
}

std::vector<std::string_view> functionThemes() {
    std::vector<std::string_view> themes;
    for (const ThemedFunction& f : themedFunctions()) {
        if (std::find(themes.begin(), themes.end(), f.theme) == themes.end()) themes.push_back(f.theme);
    }
    return themes;
}

std::vector<std::string_view> functionsOfTheme(std::string_view theme) {
    std::vector<std::string_view> functions;
    for (const ThemedFunction& f : themedFunctions()) {
        if (f.theme == theme && FunctionRegistry::instance().find(f.function)) functions.push_back(f.function);
    }
    std::sort(functions.begin(), functions.end());
    return functions;
}

std::string_view themeOfFunction(std::string_view function) {
    const ThemedFunction* f = themed(function);
    return f ? f->theme : std::string_view();
}

std::vector<std::string_view> relatedFunctions(std::string_view function, size_t most) {
    const std::vector<ThemedFunction>& all = themedFunctions();
    const ThemedFunction* self = themed(function);
    if (!self) return {};
    struct Candidate {
        int64_t score;
        std::string_view name;
    };
    std::vector<Candidate> candidates;
    for (const ThemedFunction& f : all) {
        if (&f == self || !FunctionRegistry::instance().find(f.function)) continue;
        constexpr int64_t kSameTheme = 4, kSameFamily = 6, kPerLetter = 4, kLeast = 6;
        int64_t score = static_cast<int64_t>(sharedLetters(function, f.function)) * kPerLetter;
        if (f.theme == self->theme) score += kSameTheme;
        if (f.family == self->family) score += kSameFamily;
        if (score < kLeast) continue;
        // Among equals, functions that are registered close by and whose names are about as long come first.
        constexpr int64_t kOrders = 10'000;
        const int64_t distance = std::abs(&f - self) + 10 * std::abs(static_cast<int64_t>(f.function.size()) -
                                                                     static_cast<int64_t>(function.size()));
        candidates.push_back({score * kOrders - std::min(distance, kOrders - 1), f.function});
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.score != b.score ? a.score > b.score : a.name < b.name;
    });
    std::vector<std::string_view> names;
    for (size_t i = 0; i < std::min(candidates.size(), most); ++i) names.push_back(candidates[i].name);
    return names;
}

}  // namespace pelorus
