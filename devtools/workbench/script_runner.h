// ScriptRunner is the database that a workbench uses, an embedded one or a node. The application and the server
// implement it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/value/value.h"

namespace pelorus {

class DebugHost;

// A session of the user, and a second one for the panels of the editor.
class ScriptRunner {
public:
    virtual ~ScriptRunner() = default;

    // Runs a script in the user's session; `show` receives the value of each top-level expression. One thread at a time
    // may call it. Throws Error.
    virtual void run(std::string_view script, const std::function<void(const Value&)>& show) = 0;
    // Calls a function, named or written as a lambda, in a second session of the same user, which has none of the first
    // one's variables. One thread at a time may call it, also while `run` runs. Throws Error.
    virtual Value call(std::string_view function, std::vector<Value> arguments) = 0;
    // Cancels the running script. Any thread.
    virtual void interrupt() = 0;
    virtual Progress::Snapshot progress() const = 0;
    // Returns the principal whose rights scripts have.
    virtual std::shared_ptr<const Principal> principal() const = 0;
    // Returns a short name of the database: "127.0.0.1:8848", or a folder.
    virtual std::string name() const = 0;
    // Makes a host for one script that is debugged. The runner outlives it. Throws Error when the database cannot
    // debug.
    virtual std::unique_ptr<DebugHost> debugHost() = 0;
};

// The receivers of the output of a runner's scripts. The thread that runs a script calls them.
struct RunnerEvents {
    std::function<void(std::string_view)> print;   // a line of output
    std::function<void(std::string_view)> notice;  // a remark for a person, see Request::notice
};

}  // namespace pelorus
