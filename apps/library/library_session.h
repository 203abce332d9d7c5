// Sessions of a program that uses the engine as a library: on a database of the process, or on a node.
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

// A session with a database. One statement at a time uses it, apart from the functions that say otherwise.
class LibrarySession {
public:
    using Print = std::function<void(std::string_view)>;

    virtual ~LibrarySession() = default;
    // Runs a script, and returns the value of its last expression statement, or VOID. Throws Error.
    virtual Value run(std::string_view script, const Print& print) = 0;
    // Returns whether a script takes microseconds whatever happens, so that nobody needs to be able to cancel it.
    virtual bool isBrief(std::string_view) { return false; }
    // Calls a function by name, or by an expression that yields one. Throws Error.
    virtual Value call(std::string_view function, std::vector<Value> arguments, const Print& print) = 0;
    virtual void put(const std::string& name, const Value& value) = 0;
    // Throws UserError for a name that the session does not know.
    virtual Value get(const std::string& name) = 0;
    // Makes a function of the session. Throws UserError where the database is elsewhere.
    virtual void define(const std::string& name, Ref<Function> function) = 0;
    virtual bool hasVariable(std::string_view name) const = 0;
    virtual bool hasFunction(std::string_view name) const = 0;
    // Returns the names that the session knows, for completion; it lives as long as the session.
    virtual const SessionNames& names() = 0;
    // Cancels the running statement. Any thread; async-signal-safe.
    virtual void cancel() = 0;
    // Returns the progress of the running statement. Any thread.
    virtual Progress::Snapshot progress() const = 0;
};

// What sessions are started on. Thread-safe.
class LibraryDatabase {
public:
    virtual ~LibraryDatabase() = default;
    // The session keeps the database. Throws SystemError for a node that does not answer, UserError when it refuses the
    // login.
    virtual std::unique_ptr<LibrarySession> startSession() = 0;
};

// Opens the database of a folder in this process, of a temporary one when it is empty. `settingsFile` may be empty.
// Throws SystemError when the folder has an owner.
std::shared_ptr<LibraryDatabase> openLibraryDatabase(const std::string& folder, const std::string& settingsFile);

struct NodeLogin {
    std::string address;  // "host:port"
    std::string user, password;
    bool usesTls = false;
    std::string certificates;  // file of trusted certificates; empty: those of the system
    int connectTimeoutMillis = 2500;
};
// Names a node; its sessions are connections. Throws UserError for an address that is none.
std::shared_ptr<LibraryDatabase> nodeLibraryDatabase(const NodeLogin& login);

}  // namespace pelorus
