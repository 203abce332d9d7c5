// pelorus lsp: the language server on standard input and output.
#include <unistd.h>

#include <csignal>

#include "apps/commands.h"
#include "apps/process/wiring.h"
#include "apps/workbench/open_runner.h"
#include "common/error.h"
#include "devtools/lsp/language_server.h"
#include "devtools/lsp/message_stream.h"
#include "devtools/workbench/workbench.h"

namespace pelorus {

int lspCommand(const CommandArguments& arguments) {
    // --stdio is what editors add by habit.
    for (const std::string& argument : arguments) {
        if (argument == "--stdio" || argument.starts_with("--clientProcessId=")) continue;
        throw UserError("pelorus lsp does not understand " + argument + ".", "It takes no arguments.");
    }
    std::signal(SIGPIPE, SIG_IGN);
    registerAllFunctions();
    MessageStream stream(STDIN_FILENO, STDOUT_FILENO);
    Workbench workbench(
        [&](const Json& message) { stream.send(message.dump(-1, ' ', false, Json::error_handler_t::replace)); },
        openRunner);
    LanguageServerOptions options;
    options.workbench = [&](const Json& id, const std::string& method, const Json& parameters) {
        workbench.request(id, method, parameters);
    };
    options.sessionNames = [&] { return workbench.sessionNames(); };
    return serveEditor(stream, std::move(options));
}

}  // namespace pelorus
