// pelorus dap: the debug adapter on standard input and output.
#include <unistd.h>

#include <csignal>

#include "apps/commands.h"
#include "apps/console/home_folder.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "devtools/dap/debug_adapter.h"
#include "devtools/lsp/feature.h"
#include "devtools/lsp/message_stream.h"
#include "interpreter/session/session.h"
#include "runtime/function/principal.h"

namespace pelorus {

static void runDebugged(const Json& launch, std::string_view script, DebugSession& debugger,
                        const std::function<void(std::string_view)>& print) {
    ProcessOptions options;
    if (findMember(launch, "folder")) options.dataFolder = stringMember(launch, "folder");
    if (options.dataFolder.starts_with("~/")) options.dataFolder = homeFolder() + options.dataFolder.substr(1);
    Process process(std::move(options));
    Request request(Principal::owner());
    request.print = print;
    Context context(process.services(), request);
    Session session(process.services());
    debugger.run(script, session, context);
}

int dapCommand(const CommandArguments& arguments) {
    if (!arguments.empty())
        throw UserError("pelorus dap does not understand " + arguments[0] + ".", "It takes no arguments.");
    std::signal(SIGPIPE, SIG_IGN);
    registerAllFunctions();
    MessageStream stream(STDIN_FILENO, STDOUT_FILENO);
    return serveDebugger(stream, runDebugged);
}

}  // namespace pelorus
