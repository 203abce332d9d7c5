#include "apps/workbench/open_runner.h"

#include <fmt/format.h>

#include "apps/console/console.h"
#include "apps/console/home_folder.h"
#include "common/error.h"
#include "devtools/dap/debug_host.h"

namespace pelorus {

namespace {

class ConsoleRunner final : public ScriptRunner {
public:
    ConsoleRunner(std::unique_ptr<Console> console, std::string name, std::shared_ptr<const Principal> principal)
        : console_(std::move(console)), name_(std::move(name)), principal_(std::move(principal)) {}

    void run(std::string_view script, const std::function<void(const Value&)>& show) override {
        console_->run(script, show);
    }
    Value call(std::string_view function, std::vector<Value> arguments) override {
        return console_->call(function, std::move(arguments));
    }
    void interrupt() override { console_->interrupt(); }
    Progress::Snapshot progress() const override { return console_->progress(); }
    std::shared_ptr<const Principal> principal() const override { return principal_; }
    std::string name() const override { return name_; }
    std::unique_ptr<DebugHost> debugHost() override { return console_->debugHost(); }

private:
    const std::unique_ptr<Console> console_;
    const std::string name_;
    const std::shared_ptr<const Principal> principal_;
};

std::string textOr(const Json& parameters, const char* name, std::string whenMissing) {
    return findMember(parameters, name) ? stringMember(parameters, name) : std::move(whenMissing);
}

ConsoleEvents consoleEvents(RunnerEvents events) {
    return {std::move(events.print), std::move(events.notice)};
}

}  // namespace

std::unique_ptr<ScriptRunner> openRunner(const Json& parameters, RunnerEvents events) {
    // Results are in this process, and so what is done with them has the rights of its owner.
    if (findMember(parameters, "address")) {
        RemoteAddress address = parseAddress(stringMember(parameters, "address"));
        address.user = textOr(parameters, "user", address.user);
        address.password = textOr(parameters, "password", address.password);
        address.tlsCertificate = textOr(parameters, "tlsCertificate", "");
        const Json* tls = findMember(parameters, "tls");
        address.tls = !address.tlsCertificate.empty() || (tls && tls->is_boolean() && tls->get<bool>());
        return std::make_unique<ConsoleRunner>(remoteConsole(address, consoleEvents(std::move(events))),
                                               fmt::format("{}:{}", address.host, address.port), Principal::owner());
    }
    if (!findMember(parameters, "folder"))
        throw RequestError(kInvalidParams, "pelorus/connect needs the address of a node, or a folder.");
    std::string folder = stringMember(parameters, "folder");
    if (folder.starts_with("~/")) folder = homeFolder() + folder.substr(1);
    auto runner = std::make_unique<ConsoleRunner>(embeddedConsole(folder, "", "", consoleEvents(std::move(events))),
                                                  folder.empty() ? "a temporary database" : folder, Principal::owner());
    // A database is opened by its first use; who connects learns now if another process has it.
    if (!folder.empty()) runner->call("getClusterDFSDatabases", {});
    return runner;
}

}  // namespace pelorus
