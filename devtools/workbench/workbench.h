// Workbench runs the scripts of an editor, keeps their results, and answers the requests of the editor's panels.
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

// The workbench of one editor's connection.
class Workbench {
public:
    // Sends a message to the editor. Several threads call it, one at a time for a workbench.
    using Send = std::function<void(const Json& message)>;
    // Opens the database that the parameters of pelorus/connect name. Throws Error.
    using Open = std::function<std::unique_ptr<ScriptRunner>(const Json& parameters, RunnerEvents events)>;

    Workbench(Send send, Open open);
    // Cancels the running script and waits for its end.
    ~Workbench();
    Workbench(const Workbench&) = delete;
    Workbench& operator=(const Workbench&) = delete;

    // Answers a request, now or later, by `send`. Scripts run on one thread, in their order; a second thread answers
    // requests for pages, charts and panels meanwhile.
    void request(const Json& id, const std::string& method, const Json& parameters);
    // Returns the names of the user's session after its last run; null when no database is open. Any thread.
    std::shared_ptr<const SessionNames> sessionNames() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace pelorus
