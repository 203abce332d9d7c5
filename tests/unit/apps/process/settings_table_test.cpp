#include "apps/process/settings_table.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "common/error.h"

using namespace pelorus;
using Catch::Contains;

static std::string operationsPage() {
    std::ifstream file(PELORUS_PAGES "/operations.md");
    std::ostringstream page;
    page << file.rdbuf();
    return page.str();
}

TEST_CASE("every setting reads its default as the default") {
    for (const Setting& setting : settingsTable()) {
        const std::string name(setting.name);
        INFO(name);
        NodeSettings settings;
        const std::string byDefault = setting.field.print(settings);
        if (byDefault.empty() && !setting.field.takesAnyString) continue;  // there is none by default
        setting.field.assign(settings, setting.name, byDefault);
        CHECK(setting.field.print(settings) == byDefault);
        CHECK(reportedSettings(settings, true) == reportedSettings(NodeSettings(), true));
    }
}

TEST_CASE("every setting refuses nonsense with its name, but where any string will do") {
    int refused = 0;
    for (const Setting& setting : settingsTable()) {
        if (setting.field.takesAnyString) continue;
        INFO(std::string(setting.name));
        NodeSettings settings;
        CHECK_THROWS_WITH(setting.field.assign(settings, setting.name, "nonsense"),
                          Contains(std::string(setting.name)));
        ++refused;
    }
    CHECK(refused > 30);
}

TEST_CASE("every setting sets a place of its own") {
    const std::vector<Setting>& table = settingsTable();
    for (const Setting& setting : table) {
        INFO(std::string(setting.name));
        NodeSettings settings;
        const std::string byDefault = setting.field.print(settings);
        for (const char* string : {"dfs://x", "2", "0.5", "true", "false", "json", "fail", "folders", "debug"}) {
            try {
                setting.field.assign(settings, setting.name, string);
            } catch (const UserError&) {
                continue;
            }
            if (setting.field.print(settings) != byDefault) break;
        }
        CHECK(setting.field.print(settings) != byDefault);
        const NodeSettings defaults;
        for (const Setting& other : table) {
            if (other.name != setting.name) CHECK(other.field.print(settings) == other.field.print(defaults));
        }
    }
}

TEST_CASE("every setting is on the page of settings, with its default") {
    const std::string page = operationsPage();
    for (const Setting& setting : settingsTable())
        CHECK_THAT(page, Contains("| `" + std::string(setting.name) + "` | "));
    CHECK_THAT(page, Contains(settingsPage()));
}

TEST_CASE("names and options of settings are there once") {
    std::set<std::string_view> names;
    for (const Setting& setting : settingsTable()) {
        INFO(std::string(setting.name));
        CHECK(names.insert(setting.name).second);
        CHECK(findSetting(setting.name) == &setting);
        if (!setting.option.empty()) CHECK(findSettingOfOption(setting.option) == &setting);
    }
    CHECK(findSetting("prot") == nullptr);
    CHECK(findSettingOfOption("") == nullptr);
}

TEST_CASE("secrets are reported nowhere") {
    NodeSettings settings;
    settings.adminPassword = settings.clusterKey = "a secret";
    for (const auto& [name, value] : reportedSettings(settings, true)) CHECK(value != "a secret");
}

TEST_CASE("a process that serves nobody reports what holds for scripts") {
    const auto everywhere = reportedSettings(NodeSettings(), false);
    const auto onNodes = reportedSettings(NodeSettings(), true);
    CHECK(everywhere.at("dataSync") == "1");
    CHECK(everywhere.count("maxConnections") == 0);
    CHECK(onNodes.at("maxConnections") == "512");
    CHECK(onNodes.at("dataSync") == "1");
}
