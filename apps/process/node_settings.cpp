#include "apps/process/node_settings.h"

#include <cstdlib>
#include <fstream>

#include "apps/process/settings_table.h"
#include "common/error.h"
#include "common/string/trim.h"
#include "net/host_name.h"

namespace pelorus {
namespace {

void readFile(NodeSettings& settings, const std::string& path) {
    std::ifstream file(path);
    if (!file) throw UserError("The settings cannot be read from " + path + ".");
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        line = std::string(trim(line.substr(0, line.find('#'))));
        if (line.empty()) continue;
        const size_t equals = line.find('=');
        const std::string name(trim(line.substr(0, equals)));
        const Setting* setting = equals == std::string::npos ? nullptr : findSetting(name);
        if (setting == nullptr) {
            throw UserError(path + ":" + std::to_string(number) + ": there is no setting " + name + ".",
                            "A line is name=value; docs/operations.md lists the settings.");
        }
        setting->field.assign(settings, setting->name, std::string(trim(line.substr(equals + 1))));
    }
}

void readArguments(NodeSettings& settings, const std::vector<std::string>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& option = arguments[i];
        if (option == "--dev") {
            settings.dev = true;
            continue;
        }
        const Setting* setting = findSettingOfOption(option);
        if (i + 1 == arguments.size() || (option != "--config" && setting == nullptr)) {
            throw UserError("pelorus serve does not understand " + option + ".",
                            "Use pelorus serve [--config FILE] [--port N] [--data DIR] [--host ADDRESS] [--dev].");
        }
        const std::string& value = arguments[++i];
        if (setting != nullptr) {
            setting->field.assign(settings, setting->name, value);
        } else {
            readFile(settings, value);
            settings.settingsFile = value;
        }
    }
}

// Gives the settings that were left out those defaults that depend on others, or on the user who starts the node.
void complete(NodeSettings& settings) {
    if (settings.dataFolder.empty()) {
        const char* home = std::getenv("HOME");
        settings.dataFolder = std::string(home ? home : ".") + "/.pelorus";
    }
    if (settings.dev) settings.guestsMayRun = true;
    if (settings.dev && !settings.choosesNewValues) settings.outside.newValues = OutsidePolicy::Add;
}

void requireConsistent(const NodeSettings& settings) {
    if (settings.linePort >= 0 && settings.lineUser.empty() && settings.lineKeys.empty() && !settings.dev)
        throw UserError("The setting ilpPort needs ilpUser or ilpKeys: lines over TCP do not say who writes them.",
                        "Name a user who may create and fill the tables of ilpDatabase, or a file of senders' keys.");
    // The password of a development server is known to everybody.
    if (settings.dev && settings.host != "localhost" && !isLoopbackAddress(settings.host)) {
        throw UserError("A server with --dev listens on this machine only, not on " + settings.host + ".",
                        "Leave --host out, or serve without --dev.");
    }
}

}  // namespace

NodeSettings parseNodeSettings(const std::vector<std::string>& arguments) {
    NodeSettings settings;
    readArguments(settings, arguments);
    complete(settings);
    requireConsistent(settings);
    return settings;
}

NodeSettings readNodeSettings(const std::string& path) {
    NodeSettings settings;
    readFile(settings, path);
    return settings;
}

}  // namespace pelorus
