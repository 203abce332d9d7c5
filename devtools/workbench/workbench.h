// Workbench of an editor: runs scripts, keeps their results, and answers what its panels show.
//
// It is the part of the language server's connection whose methods begin with "pelorus/" and, for scripts that are
// debugged, "dap/" (docs/editor.md lists them).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "devtools/editing/session_names.h"
#include "devtools/lsp/feature.h"
#include "devtools/workbench/script_runner.h"

namespace pelorus {

class Workbench {
public:
    // Sends a message to the editor. Called by several threads, one at a time for a workbench.
    using Send = std::function<void(const Json& message)>;
    // Opens the database that the parameters of pelorus/connect name. Throws Error.
    using Open = std::function<std::unique_ptr<ScriptRunner>(const Json& parameters, RunnerEvents events)>;

    Workbench(Send send, Open open);
    // Stops the running script and waits for its end.
    ~Workbench();
    Workbench(const Workbench&) = delete;
    Workbench& operator=(const Workbench&) = delete;

    // Answers a request, now or later, by `send`. Scripts run on a thread of their own, in their order; pages, charts
    // and panels are answered by a second one meanwhile.
    void request(const Json& id, const std::string& method, const Json& parameters);
    // Returns the names of the user's session after its last run; null when no database is open. Any thread.
    std::shared_ptr<const SessionNames> sessionNames() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace pelorus
