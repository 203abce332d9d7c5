// Runs the statements of a console, in this process or on a node.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devtools/editing/session_names.h"
#include "runtime/function/progress.h"
#include "runtime/value/value.h"

namespace pelorus {

class DebugHost;

// Callbacks of a running statement. Called by the thread that runs it.
struct ConsoleEvents {
    std::function<void(std::string_view)> print;   // a line of output
    std::function<void(std::string_view)> notice;  // a remark for a person: see Request::notice
};

class Console {
public:
    virtual ~Console() = default;
    // Runs a script; `show` gets the value of each top-level expression statement. Throws Error.
    virtual void run(std::string_view script, const std::function<void(const Value&)>& show) = 0;
    // Calls a function, by name or as a lambda, in a second session of the same database. By one thread at a time,
    // while `run` may be running. Throws Error.
    virtual Value call(std::string_view function, std::vector<Value> arguments) = 0;
    // How far the running statement is. Any thread.
    virtual Progress::Snapshot progress() const = 0;
    // Rows that the last statement appended to tables, and replaced in them.
    virtual Progress::ChangedRows changedRows() const = 0;
    // Makes a variable of the session.
    virtual void setVariable(const std::string& name, const Value& value) = 0;
    // Stops the running statement soon. Called from a signal handler: only sets a flag.
    virtual void interrupt() = 0;
    // Names that the session knows. Valid as long as the console.
    virtual const SessionNames& names() const = 0;
    // Makes a host of the debugger on the same database, which lives longer. Throws UserError where there is none.
    virtual std::unique_ptr<DebugHost> debugHost() = 0;
};

// On an embedded database in `dataFolder`; empty for a temporary one.
// `settingsFile` and `moduleFolder` may be empty.
std::unique_ptr<Console> embeddedConsole(const std::string& dataFolder, const std::string& settingsFile,
                                         const std::string& moduleFolder, ConsoleEvents events);

struct RemoteAddress {
    std::string host;
    int port = 0;
    std::string user = "admin";
    std::string password = "123456";
    bool tls = false;
    std::string tlsCertificate;  // whom to trust; empty: certificates that a person has trusted (known_nodes.h)
};
// "HOST:PORT"; user and password from PELORUS_USER and PELORUS_PASSWORD when these are set. Throws UserError.
RemoteAddress parseAddress(const std::string& text);

// On a node. Throws SystemError when it does not answer.
std::unique_ptr<Console> remoteConsole(const RemoteAddress& address, ConsoleEvents events);

}  // namespace pelorus
