// DebugHost is the database in which a debug adapter runs its script: an embedded one, or that of a node's session.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/debug_session.h"
#include "interpreter/debug/debugged_sources.h"

namespace pelorus {

// The host of one script. The debug adapter owns it.
class DebugHost {
public:
    virtual ~DebugHost() = default;

    // Opens the database that the arguments of `launch` name, and returns the source text of the script. Throws Error.
    virtual std::string open(const nlohmann::json& launch) = 0;
    // Returns the modules that the script uses. Throws SyntaxError. REQUIRES: `open` has returned.
    virtual std::vector<DebuggedSource> modules(std::string_view script) = 0;
    // Returns whether the paths of modules are files that the editor can open.
    virtual bool sharesFiles() const = 0;
    // Runs the script under a debugger; `print` receives its output. Throws what the script throws. Called once, by a
    // separate thread.
    virtual void run(std::string_view script, DebugSession& debugger,
                     const std::function<void(std::string_view)>& print) = 0;
};

}  // namespace pelorus
