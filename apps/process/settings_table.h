// settingsTable holds all settings of a node. From it settings are read, wrong values refused, getConfig answered and
// the table of docs/operations.md written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/process/setting_field.h"

namespace pelorus {

// The processes whose getConfig reports a setting. Secrets are never reported.
enum class SettingReport : uint8_t { Nowhere, OnNodes, Everywhere };

// A setting, which a line name=value of a file sets.
struct Setting {
    std::string_view name;
    SettingField field;
    std::string_view meaning;         // one line for the page, in Markdown
    std::string_view atDefault = {};  // what the page says behind the default, or of a default that is none
    std::string_view option = {};     // option of pelorus serve that sets it, too; empty: none
    SettingReport report = SettingReport::Nowhere;
};

// In the order of the page.
const std::vector<Setting>& settingsTable();
// Returns null when there is no setting of that name, or none with that option.
const Setting* findSetting(std::string_view name);
const Setting* findSettingOfOption(std::string_view option);

// Returns the values that getConfig answers on a node, or in a process that serves nobody.
std::map<std::string, std::string> reportedSettings(const NodeSettings& settings, bool isNode);

// Returns the table of the page, in Markdown: a setting a line, with its true default.
std::string settingsPage();

}  // namespace pelorus
