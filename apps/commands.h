// These functions implement the commands of the program. Each takes the arguments after its name and returns the exit
// status; they throw Error, which main reports.
#pragma once

#include <string>
#include <vector>

namespace pelorus {

using CommandArguments = std::vector<std::string>;

int runCommand(const CommandArguments& arguments);            // run FILE [ARGS…]
int evaluateCommand(const CommandArguments& arguments);       // -e CODE
int standardInputCommand(const CommandArguments& arguments);  // -
int replCommand(const CommandArguments& arguments);           // no command
int connectCommand(const CommandArguments& arguments);        // connect HOST:PORT
int serveCommand(const CommandArguments& arguments);          // serve [OPTIONS]
int settingsCommand(const CommandArguments& arguments);       // settings
int passwdCommand(const CommandArguments& arguments);         // passwd --data DIR [--user NAME]
int lspCommand(const CommandArguments& arguments);            // lsp
int dapCommand(const CommandArguments& arguments);            // dap
int mcpCommand(const CommandArguments& arguments);            // mcp [--data DIR | --connect HOST:PORT]
int docsCommand(const CommandArguments& arguments);           // docs --out DIR
int formatCommand(const CommandArguments& arguments);         // format [--check] [--indent N] [FILE…]
int clusterCommand(const CommandArguments& arguments);        // cluster up|status|down|adopt

}  // namespace pelorus
