#include "apps/node/node_process.h"

#include <filesystem>

#include "apps/node/node_services.h"
#include "apps/process/node_settings.h"
#include "apps/process/settings_table.h"
#include "common/io/file_sandbox.h"
#include "common/time/trading_calendar.h"
#include "database/service/configuration.h"

namespace pelorus {
namespace {

std::string addressOf(const NodeSettings& settings) {
    return settings.host + ':' + std::to_string(settings.port);
}

ProcessOptions optionsOf(const NodeSettings& settings) {
    ProcessOptions options = processOptionsOf(settings);
    options.servedAt = addressOf(settings);
    return options;
}

// Reports the settings, and in the place of some what became of them.
void report(Configuration& configuration, const NodeSettings& settings, const FileSandbox& fileFolders) {
    auto& values = configuration.values;
    values.merge(reportedSettings(settings, true));
    values["localSite"] = addressOf(settings) + ':' + settings.alias;
    values["fileFolders"] = fileFolders.folders();
    if (!settings.etcdEndpoints.empty()) values["mode"] = "datanode";
}

}  // namespace

NodeProcess::NodeProcess(const NodeSettings& settings, const NodeServices& node) : process_(optionsOf(settings)) {
    report(*services().find<Configuration>(), settings, *node.fileFolders);
    setTradingCalendarFolder((std::filesystem::path(settings.dataFolder) / settings.calendarFolder).string());
    node.addTo(services());
}

}  // namespace pelorus
