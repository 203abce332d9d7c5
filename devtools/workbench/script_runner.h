// The database that a workbench works on: an embedded one, or a node. The application and the server implement it.
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

class ScriptRunner {
public:
    virtual ~ScriptRunner() = default;

    // Runs a script in the user's session; `show` receives the value of each top-level expression. Called by one thread
    // at a time. Throws Error.
    virtual void run(std::string_view script, const std::function<void(const Value&)>& show) = 0;
    // Calls a function, named or written as a lambda, in a second session of the same user, which has none of the
    // first one's variables. Called by one thread at a time, while `run` may be running. Throws Error.
    virtual Value call(std::string_view function, std::vector<Value> arguments) = 0;
    // Stops the running script soon. Any thread.
    virtual void interrupt() = 0;
    virtual Progress::Snapshot progress() const = 0;
    // Returns whose rights scripts have.
    virtual std::shared_ptr<const Principal> principal() const = 0;
    // Returns the database in a few words: "127.0.0.1:8848", or a folder.
    virtual std::string name() const = 0;
    // Makes a host for one script that is debugged. The runner lives longer. Throws Error where none is.
    virtual std::unique_ptr<DebugHost> debugHost() = 0;
};

// Output of the scripts of a runner, called by the thread that runs them.
struct RunnerEvents {
    std::function<void(std::string_view)> print;   // a line of output
    std::function<void(std::string_view)> notice;  // a remark for a person: see Request::notice
};

}  // namespace pelorus
