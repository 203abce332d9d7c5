// SettingField is the kind of a setting: it checks the string of a value, puts the value into its place in
// NodeSettings, and prints it from there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/process/node_settings.h"

namespace pelorus {

// A place in NodeSettings that holds a value of one setting.
template <class T>
struct SettingPlace {
    std::function<T(const NodeSettings&)> get;
    std::function<void(NodeSettings&, T)> set;
};

template <class T>
SettingPlace<T> placeOf(T NodeSettings::*member) {
    return {.get = [member](const NodeSettings& settings) { return settings.*member; },
            .set = [member](NodeSettings& settings, T value) { settings.*member = std::move(value); }};
}

template <class Part, class T>
SettingPlace<T> placeOf(Part NodeSettings::*part, T Part::*member) {
    return {.get = [part, member](const NodeSettings& settings) { return settings.*part.*member; },
            .set = [part, member](NodeSettings& settings, T value) { settings.*part.*member = std::move(value); }};
}

// The kind of a setting and its place.
struct SettingField {
    std::string values;  // the type, unit and range of its values, for the page of settings
    bool takesAnyString = false;
    // Puts the value that `string` denotes into its place. Throws UserError that says the setting's name and what it
    // takes when `string` denotes none; then nothing has changed.
    std::function<void(NodeSettings& settings, std::string_view name, const std::string& string)> assign;
    // Returns a string that `assign` takes for the same value; empty where there is no value.
    std::function<std::string(const NodeSettings&)> print;
};

SettingField stringField(SettingPlace<std::string> place);
// Names with commas between them. Blanks around a name, and empty names, are left out.
SettingField listField(SettingPlace<std::vector<std::string>> place);
// The name of a database, as in dfs://ilp.
SettingField databaseField(SettingPlace<std::string> place);

// Printed as true or false, or as 1 or 0; all four are taken.
SettingField flagField(SettingPlace<bool> place);
SettingField digitField(SettingPlace<bool> place);

// Integers from `low` to `high`. A number below `low` in the place means that none is set.
SettingField numberField(SettingPlace<int> place, int low, int high);
SettingField secondsField(SettingPlace<double> place, int high);
SettingField secondsField(SettingPlace<int64_t> place, int high);
SettingField secondsField(SettingPlace<int> place, int high);
// Whole numbers of MB from 1 on; the place has bytes.
SettingField megabytesField(SettingPlace<int64_t> place);

// Numbers of GB from 0 on, with fractions.
SettingField gigabytesField(SettingPlace<double> place);
// An integer setting as above whose place holds bytes.
SettingField gigabytesField(SettingPlace<int64_t> place);
// A share above 0, 1 at most.
SettingField shareField(SettingPlace<double> place);

// One of several words. `read` returns the position in `words` of the word for the value in its place.
SettingField wordField(std::vector<std::string_view> words, std::function<size_t(const NodeSettings&)> read,
                       std::function<void(NodeSettings&, size_t)> write);

// One of the words of a value each; the first one of a value is printed.
template <class T>
SettingField choiceField(SettingPlace<T> place, std::vector<std::pair<std::string_view, T>> choices) {
    std::vector<std::string_view> words;
    words.reserve(choices.size());
    for (const auto& choice : choices) words.push_back(choice.first);
    const auto read = [choices, get = std::move(place.get)](const NodeSettings& settings) {
        size_t at = 0;
        while (at < choices.size() && choices[at].second != get(settings)) ++at;
        return at;
    };
    const auto write = [choices, set = std::move(place.set)](NodeSettings& settings, size_t at) {
        set(settings, choices[at].second);
    };
    return wordField(std::move(words), read, write);
}

}  // namespace pelorus
