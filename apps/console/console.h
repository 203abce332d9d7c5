// Console runs the statements of the interactive program, in this process or on a node.
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

// The callbacks of a running statement. The thread that runs it calls them.
struct ConsoleEvents {
    std::function<void(std::string_view)> print;   // a line of output
    std::function<void(std::string_view)> notice;  // a remark for a person, see Request::notice
};

// A session with a database. One thread uses it, apart from the functions that say otherwise.
class Console {
public:
    virtual ~Console() = default;
    // Runs a script; calls `show` with the value of each top-level expression statement. Throws Error.
    virtual void run(std::string_view script, const std::function<void(const Value&)>& show) = 0;
    // Calls a function, by name or as a lambda, in a second session of the same database. One thread at a time may call
    // it, also while `run` runs. Throws Error.
    virtual Value call(std::string_view function, std::vector<Value> arguments) = 0;
    // Returns the progress of the running statement. Any thread.
    virtual Progress::Snapshot progress() const = 0;
    // Returns the numbers of rows that the last statement appended to tables, and replaced in them.
    virtual Progress::ChangedRows changedRows() const = 0;
    // Sets a variable of the session.
    virtual void setVariable(const std::string& name, const Value& value) = 0;
    // Cancels the running statement. Async-signal-safe: it only sets a flag.
    virtual void interrupt() = 0;
    // Returns the names that the session knows. The object lives as long as the console.
    virtual const SessionNames& names() const = 0;
    // Makes a host of the debugger on the same database; the console outlives it. Throws UserError when the console
    // cannot debug.
    virtual std::unique_ptr<DebugHost> debugHost() = 0;
};

// Opens an embedded database in `dataFolder`, or a temporary one when that is empty. `settingsFile` and `moduleFolder`
// may be empty.
std::unique_ptr<Console> embeddedConsole(const std::string& dataFolder, const std::string& settingsFile,
                                         const std::string& moduleFolder, ConsoleEvents events);

// The address of a node, and how to log in there.
struct RemoteAddress {
    std::string host;
    int port = 0;
    std::string user = "admin";
    std::string password = "123456";
    bool tls = false;
    std::string tlsCertificate;  // trusted certificates; empty: those that a person has accepted (known_nodes.h)
};
// Parses "HOST:PORT"; user and password come from PELORUS_USER and PELORUS_PASSWORD when these are set. Throws
// UserError for anything else.
RemoteAddress parseAddress(const std::string& text);

// Connects to a node. Throws SystemError when it does not answer.
std::unique_ptr<Console> remoteConsole(const RemoteAddress& address, ConsoleEvents events);

}  // namespace pelorus
