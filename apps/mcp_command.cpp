// pelorus mcp: a language model's door to a database, on standard input and output. With --connect it passes messages
// on to a node, which answers them with the rights of a user.
#include <csignal>
#include <iostream>

#include "apps/commands.h"
#include "apps/console/console.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "common/io/base64.h"
#include "runtime/function/principal.h"
#include "server/mcp/mcp_dialog.h"
#include "server/mcp/mcp_lines.h"
#include "server/session/engine_host.h"

namespace pelorus {

static void serveFolder(const std::string& folder) {
    registerAllFunctions();
    ProcessOptions options;
    options.dataFolder = folder;
    const Process process(std::move(options));
    EngineHost host(process.services());
    const McpRunner run = [&](std::string_view, const std::function<void(const McpWork&)>& work) {
        Request request{principalOfModel(*Principal::owner())};
        const McpDeadline deadline(request);
        const std::unique_ptr<ScriptSession> session = host.newSession();
        work({process.services(), request, *session});
    };
    serveMcpLines(std::cin, std::cout, [&](const std::string& line) { return answerMcp(line, run); });
}

int mcpCommand(const CommandArguments& arguments) {
    if (arguments.size() != 2 || (arguments[0] != "--data" && arguments[0] != "--connect")) {
        throw UserError("pelorus mcp needs one database.",
                        "Usage: pelorus mcp --data DIR, or pelorus mcp --connect HOST:PORT with PELORUS_USER and "
                        "PELORUS_PASSWORD.");
    }
    std::signal(SIGPIPE, SIG_IGN);
    if (arguments[0] == "--data") {
        serveFolder(arguments[1]);
        return 0;
    }
    const RemoteAddress node = parseAddress(arguments[1]);
    McpRelay relay(node.host, node.port, "Basic " + toBase64(node.user + ":" + node.password));
    serveMcpLines(std::cin, std::cout, [&](const std::string& line) { return relay.answer(line); });
    return 0;
}

}  // namespace pelorus
