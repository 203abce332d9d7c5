#include "apps/process/setting_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "common/check.h"
#include "common/error.h"
#include "common/string/trim.h"

namespace pelorus {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr double kGigabyte = 1 << 30;
constexpr int kMaxMegabytes = 1 << 20;
constexpr int kMaxGigabytes = 1 << 20;

// Returns false when the whole of `string` is no number of this type.
template <class T>
bool parseNumber(const std::string& string, T& number) {
    const char* const end = string.data() + string.size();
    const auto [rest, error] = std::from_chars(string.data(), end, number);
    return error == std::errc() && rest == end;
}

[[noreturn]] void refuse(std::string_view name, const std::string& takes, const std::string& string) {
    throw UserError(fmt::format("{} must be {}, but it is '{}'.", name, takes, string));
}

bool parseFlag(std::string_view name, const std::string& string) {
    if (string == "true" || string == "1") return true;
    if (string == "false" || string == "0") return false;
    refuse(name, "true or false", string);
}

std::vector<std::string> parseList(const std::string& string) {
    std::vector<std::string> names;
    std::istringstream stream(string);
    for (std::string name; std::getline(stream, name, ',');) {
        if (const std::string_view bare = trim(name); !bare.empty()) names.emplace_back(bare);
    }
    return names;
}

SettingField flag(SettingPlace<bool> place, std::string_view whenTrue, std::string_view whenFalse) {
    return {
        .values = fmt::format("{}, {}", whenTrue, whenFalse),
        .assign = [set = std::move(place.set)](NodeSettings& settings, std::string_view name,
                                               const std::string& string) { set(settings, parseFlag(name, string)); },
        .print = [get = std::move(place.get), whenTrue, whenFalse](
                     const NodeSettings& settings) { return std::string(get(settings) ? whenTrue : whenFalse); }};
}

// Returns the place as one of ints, which count units of `unit`.
template <class T>
SettingPlace<int> countedIn(SettingPlace<T> place, T unit) {
    return {.get = [get = std::move(place.get),
                    unit](const NodeSettings& settings) { return static_cast<int>(get(settings) / unit); },
            .set = [set = std::move(place.set), unit](NodeSettings& settings,
                                                      int count) { set(settings, static_cast<T>(count) * unit); }};
}

SettingField withUnit(std::string_view unit, SettingField field) {
    field.values = fmt::format("{}, {}", unit, field.values);
    return field;
}

// "skip, fail or add".
std::string alternatives(const std::vector<std::string_view>& words) {
    CHECK(words.size() > 1u) << "a choice is one of several words";
    return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

}  // namespace

SettingField stringField(SettingPlace<std::string> place) {
    return {.values = "string",
            .takesAnyString = true,
            .assign = [set = std::move(place.set)](NodeSettings& settings, std::string_view,
                                                   const std::string& string) { set(settings, string); },
            .print = std::move(place.get)};
}

SettingField listField(SettingPlace<std::vector<std::string>> place) {
    return {.values = "list",
            .takesAnyString = true,
            .assign = [set = std::move(place.set)](NodeSettings& settings, std::string_view,
                                                   const std::string& string) { set(settings, parseList(string)); },
            .print = [get = std::move(place.get)](
                         const NodeSettings& settings) { return fmt::format("{}", fmt::join(get(settings), ",")); }};
}

SettingField databaseField(SettingPlace<std::string> place) {
    static constexpr std::string_view kScheme = "dfs://";
    SettingField field = stringField(place);
    field.values = "dfs://NAME";
    field.takesAnyString = false;
    field.assign = [set = std::move(place.set)](NodeSettings& settings, std::string_view name,
                                                const std::string& string) {
        if (!string.starts_with(kScheme) || string.size() == kScheme.size())
            throw UserError(
                fmt::format("The setting {} must be a database such as dfs://ilp, but it is {}.", name, string));
        set(settings, string);
    };
    return field;
}

SettingField flagField(SettingPlace<bool> place) {
    return flag(std::move(place), "true", "false");
}

SettingField digitField(SettingPlace<bool> place) {
    return flag(std::move(place), "1", "0");
}

SettingField numberField(SettingPlace<int> place, int low, int high) {
    return {.values = fmt::format("{} to {}", low, high),
            .assign =
                [set = std::move(place.set), low, high](NodeSettings& settings, std::string_view name,
                                                        const std::string& string) {
                    int number = 0;
                    if (!parseNumber(string, number) || number < low || number > high)
                        refuse(name, fmt::format("a number from {} to {}", low, high), string);
                    set(settings, number);
                },
            .print =
                [get = std::move(place.get), low](const NodeSettings& settings) {
                    const int number = get(settings);
                    return number < low ? "" : std::to_string(number);
                }};
}

SettingField secondsField(SettingPlace<double> place, int high) {
    return withUnit("s", numberField(countedIn(std::move(place), 1.0), 0, high));
}

SettingField secondsField(SettingPlace<int64_t> place, int high) {
    return withUnit("s", numberField(countedIn(std::move(place), int64_t{1}), 0, high));
}

SettingField secondsField(SettingPlace<int> place, int high) {
    return withUnit("s", numberField(std::move(place), 0, high));
}

SettingField megabytesField(SettingPlace<int64_t> place) {
    return withUnit("MB", numberField(countedIn(std::move(place), kMegabyte), 1, kMaxMegabytes));
}

SettingField gigabytesField(SettingPlace<double> place) {
    return {.values = fmt::format("GB, 0 to {}", kMaxGigabytes),
            .assign =
                [set = std::move(place.set)](NodeSettings& settings, std::string_view name, const std::string& string) {
                    double number = 0;
                    if (!parseNumber(string, number) || !(number >= 0 && number <= kMaxGigabytes))
                        refuse(name, "a number of GB, as in 4 or 0.5", string);
                    set(settings, number);
                },
            .print = [get = std::move(place.get)](
                         const NodeSettings& settings) { return fmt::format("{:g}", get(settings)); }};
}

SettingField gigabytesField(SettingPlace<int64_t> place) {
    return gigabytesField(SettingPlace<double>{
        .get = [get = std::move(place.get)](
                   const NodeSettings& settings) { return static_cast<double>(get(settings)) / kGigabyte; },
        .set = [set = std::move(place.set)](
                   NodeSettings& settings,
                   double gigabytes) { set(settings, static_cast<int64_t>(gigabytes * kGigabyte)); }});
}

SettingField shareField(SettingPlace<double> place) {
    return {.values = "above 0, to 1",
            .assign =
                [set = std::move(place.set)](NodeSettings& settings, std::string_view name, const std::string& string) {
                    double share = 0;
                    if (!parseNumber(string, share) || !(share > 0 && share <= 1))
                        refuse(name, "a share between 0 and 1, as in 0.97", string);
                    set(settings, share);
                },
            .print = [get = std::move(place.get)](
                         const NodeSettings& settings) { return fmt::format("{:g}", get(settings)); }};
}

SettingField wordField(std::vector<std::string_view> words, std::function<size_t(const NodeSettings&)> read,
                       std::function<void(NodeSettings&, size_t)> write) {
    SettingField field;
    field.values = fmt::format("{}", fmt::join(words, ", "));
    field.print = [words, read = std::move(read)](const NodeSettings& settings) {
        const size_t at = read(settings);
        CHECK(at < words.size()) << "each value of a choice has a word";
        return std::string(words[at]);
    };
    field.assign = [words, write = std::move(write)](NodeSettings& settings, std::string_view name,
                                                     const std::string& string) {
        const auto found = std::find(words.begin(), words.end(), string);
        if (found == words.end()) {
            throw UserError(fmt::format("The setting {} must be {}, but it is {}.", name, alternatives(words), string));
        }
        write(settings, static_cast<size_t>(found - words.begin()));
    };
    return field;
}

}  // namespace pelorus
