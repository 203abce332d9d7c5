// pelorus dap: the debug adapter on standard input and output.
#include <unistd.h>

#include <csignal>

#include "apps/commands.h"
#include "apps/console/home_folder.h"
#include "apps/process/embedded_debug_host.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "devtools/dap/debug_adapter.h"
#include "devtools/lsp/feature.h"
#include "devtools/lsp/message_stream.h"

namespace pelorus {

namespace {

// The host of a separate database, in the folder that `launch` names.
class OwnDatabaseHost final : public DebugHost {
public:
    std::string open(const Json& launch) override {
        ProcessOptions options;
        if (findMember(launch, "folder")) options.dataFolder = stringMember(launch, "folder");
        if (findMember(launch, "moduleFolder")) options.moduleFolder = stringMember(launch, "moduleFolder");
        if (options.dataFolder.starts_with("~/")) options.dataFolder = homeFolder() + options.dataFolder.substr(1);
        process_ = std::make_unique<Process>(std::move(options));
        host_ = embeddedDebugHost(process_->services());
        return host_->open(launch);
    }
    std::vector<DebuggedSource> modules(std::string_view script) override { return host_->modules(script); }
    bool sharesFiles() const override { return true; }
    void run(std::string_view script, DebugSession& debugger,
             const std::function<void(std::string_view)>& print) override {
        host_->run(script, debugger, print);
    }

private:
    std::unique_ptr<Process> process_;
    std::unique_ptr<DebugHost> host_;
};

}  // namespace

int dapCommand(const CommandArguments& arguments) {
    if (!arguments.empty())
        throw UserError("pelorus dap does not understand " + arguments[0] + ".", "It takes no arguments.");
    std::signal(SIGPIPE, SIG_IGN);
    registerAllFunctions();
    MessageStream stream(STDIN_FILENO, STDOUT_FILENO);
    return serveDebugger(stream, std::make_unique<OwnDatabaseHost>());
}

}  // namespace pelorus
