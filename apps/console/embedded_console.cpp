// The console on a database in this process.
#include <filesystem>

#include "apps/console/console.h"
#include "apps/console/embedded_names.h"
#include "apps/process/embedded_debug_host.h"
#include "apps/process/node_settings.h"
#include "apps/process/wiring.h"
#include "common/time/trading_calendar.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"

namespace pelorus {

namespace {

class EmbeddedConsole final : public Console {
public:
    EmbeddedConsole(ProcessOptions options, ConsoleEvents events)
        : process_(std::move(options)),
          session_(process_.services()),
          second_(process_.services()),
          names_(session_, process_.services()) {
        request_.print = std::move(events.print);
        request_.notice = std::move(events.notice);
        request_.progress = &progress_;
    }

    void run(std::string_view script, const std::function<void(const Value&)>& show) override {
        request_.cancelled = false;
        progress_.clear();
        Context context(process_.services(), request_);
        evaluate(script, session_, context, show);
    }

    Value call(std::string_view function, std::vector<Value> arguments) override {
        Context context(process_.services(), secondRequest_);
        return callByExpression(function, std::move(arguments), second_, context);
    }

    Progress::Snapshot progress() const override { return progress_.snapshot(); }
    Progress::ChangedRows changedRows() const override { return progress_.changedRows(); }
    void setVariable(const std::string& name, const Value& value) override { session_.setVariable(name, value); }
    void interrupt() override { request_.cancelled = true; }

    const SessionNames& names() const override { return names_; }
    std::unique_ptr<DebugHost> debugHost() override { return embeddedDebugHost(process_.services()); }

private:
    Process process_;
    Progress progress_;
    Request request_{Principal::owner()};
    Request secondRequest_{Principal::owner()};  // request of `call`
    Session session_, second_;
    EmbeddedNames names_;
};

}  // namespace

std::unique_ptr<Console> embeddedConsole(const std::string& dataFolder, const std::string& settingsFile,
                                         const std::string& moduleFolder, ConsoleEvents events) {
    registerAllFunctions();
    NodeSettings settings;
    if (!settingsFile.empty()) settings = readNodeSettings(settingsFile);
    if (!dataFolder.empty()) settings.dataFolder = dataFolder;
    if (!settingsFile.empty())
        setTradingCalendarFolder((std::filesystem::path(settings.dataFolder) / settings.calendarFolder).string());
    ProcessOptions options = processOptionsOf(settings);
    if (!moduleFolder.empty()) options.moduleFolder = moduleFolder;
    return std::make_unique<EmbeddedConsole>(std::move(options), std::move(events));
}

}  // namespace pelorus
