// Themes of built-in functions ("window functions", "strings"), for help() and its "See also".
#pragma once

#include <string_view>
#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

// A scope in which registrations belong to the theme; the innermost one counts. Functions that one object covers are a
// family: help() shows them together. Themes are filled before the first script runs, then only read: no locks.
class FunctionTheme {
public:
    // REQUIRES: the name lives as long as the process.
    explicit FunctionTheme(std::string_view name);
    ~FunctionTheme();
    FunctionTheme(const FunctionTheme&) = delete;
    FunctionTheme& operator=(const FunctionTheme&) = delete;

    // Each of the registrations is a family of the theme.
    static void registerAll(FunctionRegistry& registry, std::string_view theme,
                            std::initializer_list<void (*)(FunctionRegistry&)> families);

private:
    std::string_view name_;
    int family_ = 0;
    FunctionTheme* outer_ = nullptr;

    friend void recordTheme(std::string_view function);
};

// Called by the registry for each function that is registered.
void recordTheme(std::string_view function);

// Returns the themes in the order of their first registration.
std::vector<std::string_view> functionThemes();
// Returns the functions of a theme, sorted; none when there is no such theme.
std::vector<std::string_view> functionsOfTheme(std::string_view theme);
// Returns an empty name for a function without a theme.
std::string_view themeOfFunction(std::string_view function);
// Returns functions that a reader of this one may want to know, the closest first: those whose names share a word with
// it, as mavg and cumavg with avg, before others of its family.
std::vector<std::string_view> relatedFunctions(std::string_view function, size_t most);

}  // namespace pelorus
