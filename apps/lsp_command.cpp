// pelorus lsp: the language server on standard input and output.
#include <unistd.h>

#include <csignal>

#include "apps/commands.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "devtools/lsp/language_server.h"
#include "devtools/lsp/message_stream.h"

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
    return serveEditor(stream);
}

}  // namespace pelorus
