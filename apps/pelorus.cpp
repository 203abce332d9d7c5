// main(): which command is meant.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "common/error.h"
#include "runtime/memory/allocator.h"

namespace pelorus {

static constexpr const char* kHelp = R"(pelorus: a time-series database whose interface is a programming language

  pelorus [--data DIR] [--module-dir DIR]   the console on an embedded database (default ~/.pelorus)
  pelorus run FILE [ARGS…]                run a script; before FILE: --data DIR, --config FILE, --module-dir DIR, --keep-going,
                                          --connect HOST:PORT, --tls, --tls-certificate FILE
                                          --mode table|vertical|csv|json|markdown
  pelorus -e CODE                         run a line of code
  pelorus -                               run the script on standard input
  pelorus serve [--config FILE] [--port N] [--data DIR] [--module-dir DIR] [--dev]
                                          a node for clients and other nodes
  pelorus settings                        the settings of a node, with their defaults
  pelorus passwd --data DIR [--user NAME] a new password for a user of a node that does not run
  pelorus connect [--tls] HOST:PORT       the console on a node
  pelorus cluster up --nodes N --dir DIR  a cluster on this machine; also status, down, adopt
  pelorus format [--check] FILE…          format scripts in place; without FILE standard input to standard output
  pelorus lsp                             the language server for editors, on standard input and output
  pelorus dap                             the debug adapter for editors, on standard input and output
  pelorus mcp --data DIR                  a language model's door to a database, on standard input and output;
                                          --connect HOST:PORT: to a node, as PELORUS_USER
  pelorus docs --out DIR                  the reference of functions as pages; a node has it at /docs/
  pelorus --version
)";

// Options may stand before the command as well: `pelorus --data DIR -e CODE`. They are put where the command looks for
// them.
static CommandArguments commandFirst(const CommandArguments& arguments) {
    size_t at = 0;
    while (at + 1 < arguments.size() &&
           (arguments[at] == "--data" || arguments[at] == "--module-dir" || arguments[at] == "--config"))
        at += 2;
    if (at == 0 || at >= arguments.size() || arguments[at].starts_with("--")) return arguments;
    const auto command = arguments.begin() + static_cast<std::ptrdiff_t>(at);
    // The code of -e comes before its options.
    const auto options = command + (*command == "-e" && command + 1 != arguments.end() ? 2 : 1);
    CommandArguments result(command, options);
    result.insert(result.end(), arguments.begin(), command);
    result.insert(result.end(), options, arguments.end());
    return result;
}

static int dispatch(const CommandArguments& given) {
    const CommandArguments arguments = commandFirst(given);
    if (arguments.empty()) return replCommand(arguments);
    const std::string& command = arguments[0];
    CommandArguments rest(arguments.begin() + 1, arguments.end());
    if (command == "run") return runCommand(rest);
    if (command == "-e") return evaluateCommand(rest);
    if (command == "-") return standardInputCommand(rest);
    if (command == "connect") return connectCommand(rest);
    if (command == "serve") return serveCommand(rest);
    if (command == "settings") return settingsCommand(rest);
    if (command == "passwd") return passwdCommand(rest);
    if (command == "cluster") return clusterCommand(rest);
    if (command == "lsp") return lspCommand(rest);
    if (command == "dap") return dapCommand(rest);
    if (command == "mcp") return mcpCommand(rest);
    if (command == "docs") return docsCommand(rest);
    if (command == "format") return formatCommand(rest);
    if (command == "--help" || command == "-h" || command == "help") {
        std::cout << kHelp;
        return 0;
    }
    if (command == "--version") {
        std::cout << "pelorus 0.1.0\n";
        return 0;
    }
    if (command.starts_with("--")) return replCommand(arguments);
    std::cerr << "Unknown command " << command << ".\n" << kHelp;
    return 2;
}

}  // namespace pelorus

int main(int argc, char** argv) {
    // A write past the limit of a file's size, or to a closed pipe, is an error of that write, not the end of the
    // process.
    std::signal(SIGXFSZ, SIG_IGN);
    pelorus::memory::keepFreedMemory();
    try {
        return pelorus::dispatch({argv + 1, argv + argc});
    } catch (const pelorus::Error& e) {
        std::cerr << "pelorus: " << e.what() << '\n';
        if (!e.hint().empty()) std::cerr << e.hint() << '\n';
        return 1;
    } catch (const std::exception& e) {
        std::cerr << "pelorus: " << e.what() << ".\n";
        return 1;
    }
}
