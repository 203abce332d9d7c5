// The commands that converse with a person: the console on an embedded database, and on a node.
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "apps/commands.h"
#include "apps/console/console.h"
#include "apps/console/home_folder.h"
#include "apps/console/output.h"
#include "apps/console/read_loop.h"
#include "apps/console/statement_runner.h"
#include "common/error.h"

namespace pelorus {

namespace {

int converse(Console& console, StatementRunner& runner, Output& output) {
    ::signal(SIGPIPE, SIG_IGN);  // a pager that is left, a connection that the node has closed
    const std::string home = homeFolder();
    ReadLoop loop(console, runner, output, home.empty() ? "" : home + "/.pelorus_history");
    std::cout << "Pelorus 0.1.0. help(\"name\") tells of a function, \\? of the console; \\q leaves." << std::endl;
    loop.converse();
    return 0;
}

}  // namespace

int replCommand(const CommandArguments& arguments) {
    std::string folder, modules;
    for (size_t i = 0; i < arguments.size(); ++i) {
        bool data = arguments[i] == "--data";
        if ((!data && arguments[i] != "--module-dir") || i + 1 == arguments.size()) {
            throw UserError("Unknown option " + arguments[i] + ".", "pelorus [--data DIR] [--module-dir DIR]");
        }
        (data ? folder : modules) = arguments[++i];
    }
    if (folder.empty()) {
        folder = homeFolder();
        if (folder.empty()) {
            throw UserError("The console does not know where its database is: HOME is not set.", "pelorus --data DIR");
        }
        folder += "/.pelorus";
    }
    // A script by way of `pelorus < file` or a pipe is run as one, and fails as one.
    if (!isatty(STDIN_FILENO)) {
        CommandArguments options = {"--data", folder};
        if (!modules.empty()) options.insert(options.end(), {"--module-dir", modules});
        return standardInputCommand(options);
    }
    Output output(true);
    StatementRunner runner(output);
    return converse(*embeddedConsole(folder, "", modules, runner.events()), runner, output);
}

int connectCommand(const CommandArguments& arguments) {
    RemoteAddress address;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--tls") {
            address.tls = true;
        } else if (arguments[i] == "--tls-certificate" && i + 1 < arguments.size()) {
            address.tls = true;
            address.tlsCertificate = arguments[++i];
        } else if (address.host.empty() && !arguments[i].starts_with("--")) {
            const RemoteAddress parsed = parseAddress(arguments[i]);
            address = {parsed.host, parsed.port, parsed.user, parsed.password, address.tls, address.tlsCertificate};
        } else {
            throw UserError("connect does not understand " + arguments[i] + ".",
                            "pelorus connect [--tls | --tls-certificate FILE] HOST:PORT");
        }
    }
    if (address.host.empty()) throw UserError("connect needs an address.", "pelorus connect HOST:PORT");
    Output output(true);
    StatementRunner runner(output);
    return converse(*remoteConsole(address, runner.events()), runner, output);
}

}  // namespace pelorus
