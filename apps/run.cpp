// run FILE, -e CODE and -: a script in a fresh session on an embedded database.
#include <signal.h>

#include <iostream>
#include <sstream>

#include "apps/commands.h"
#include "apps/console/console.h"
#include "apps/console/output.h"
#include "apps/console/script_file.h"
#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

struct RunOptions {
    std::string dataFolder;
    std::string connect;
    bool tls = false;
    std::string tlsCertificate;
    std::string settingsFile;
    std::string moduleFolder;
    std::string mode;  // empty: the language's display, the view on a terminal
    bool keepGoing = false;
    CommandArguments rest;
};

RunOptions parseOptions(const CommandArguments& arguments) {
    RunOptions options;
    size_t i = 0;
    for (; i < arguments.size(); ++i) {
        const std::string& a = arguments[i];
        auto value = [&]() -> const std::string& {
            if (i + 1 >= arguments.size()) throw UserError("The option " + a + " needs a value.");
            return arguments[++i];
        };
        if (a == "--data") {
            options.dataFolder = value();
        } else if (a == "--config") {
            options.settingsFile = value();
        } else if (a == "--module-dir") {
            options.moduleFolder = value();
        } else if (a == "--connect") {
            options.connect = value();
        } else if (a == "--mode") {
            options.mode = value();
        } else if (a == "--tls") {
            options.tls = true;
        } else if (a == "--tls-certificate") {
            options.tls = true;
            options.tlsCertificate = value();
        } else if (a == "--keep-going") {
            options.keepGoing = true;
        } else if (a.starts_with("--")) {
            throw UserError("Unknown option " + a + ".", "See pelorus --help.");
        } else {
            break;
        }
    }
    options.rest.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
    return options;
}

// Runs the script as a whole; with keepGoing each statement by itself, so that the next one runs after an error.
int execute(const std::string& name, const std::string& script, Console& console, Output& output, bool keepGoing) {
    const auto report = [&](const std::exception& e) { output.showError(e, name, script); };
    const auto show = [&](const Value& value) { output.show(value); };
    if (!keepGoing) {
        try {
            console.run(script, show);
            return 0;
        } catch (const std::exception& e) {
            report(e);
            return 1;
        }
    }
    int status = 0;
    for (const ScriptPart& part : splitStatements(script)) {
        try {
            // Line ends in front keep the positions those of the whole script.
            console.run(std::string(static_cast<size_t>(part.firstLine - 1), '\n') + part.text, show);
        } catch (const std::exception& e) {
            report(e);
            status = 1;
        }
    }
    return status;
}

int runText(const RunOptions& options, const std::string& name, const std::string& script,
            const CommandArguments& scriptArguments) {
    Output output(false);
    if (!options.mode.empty()) output.setMode(options.mode);
    const ConsoleEvents events{[&](std::string_view text) { output.print(text); },
                               [&](std::string_view text) { output.showNotice(text); }};
    std::unique_ptr<Console> console;
    if (options.connect.empty()) {
        if (options.tls)
            throw UserError("--tls encrypts the connection to a node.", "Name one by --connect HOST:PORT.");
        console = embeddedConsole(options.dataFolder, options.settingsFile, options.moduleFolder, events);
    } else {
        RemoteAddress address = parseAddress(options.connect);
        address.tls = options.tls;
        address.tlsCertificate = options.tlsCertificate;
        if (address.tls) ::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to a connection that the node may have closed
        console = remoteConsole(address, events);
    }
    console->setVariable("args", Value::of(Vector::ofStrings(scriptArguments)));
    return execute(name, script, *console, output, options.keepGoing);
}

}  // namespace

int runCommand(const CommandArguments& arguments) {
    RunOptions options = parseOptions(arguments);
    if (options.rest.empty()) throw UserError("run needs a script file.", "pelorus run FILE [ARGS…]");
    std::string file = options.rest[0];
    const std::string script = readScriptFile(file);
    return runText(options, file, script, {options.rest.begin() + 1, options.rest.end()});
}

int evaluateCommand(const CommandArguments& arguments) {
    if (arguments.empty()) throw UserError("-e needs the code to run.", "pelorus -e '1 + 1'");
    RunOptions options = parseOptions({arguments.begin() + 1, arguments.end()});
    return runText(options, "-e", arguments[0], options.rest);
}

int standardInputCommand(const CommandArguments& arguments) {
    RunOptions options = parseOptions(arguments);
    std::stringstream text;
    text << std::cin.rdbuf();
    return runText(options, "", text.str(), options.rest);
}

}  // namespace pelorus
