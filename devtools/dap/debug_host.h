// The database in which a debug adapter runs its script: an embedded one, or that of a node's session.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/debug_session.h"
#include "interpreter/debug/debugged_sources.h"

namespace pelorus {

class DebugHost {
public:
    virtual ~DebugHost() = default;

    // Opens the database that the arguments of `launch` name, and returns the text of the script. Throws Error.
    virtual std::string open(const nlohmann::json& launch) = 0;
    // Returns the modules that the script uses. Throws SyntaxError. REQUIRES: `open` has returned.
    virtual std::vector<DebuggedSource> modules(std::string_view script) = 0;
    // Whether the paths of modules are files that the editor can open.
    virtual bool sharesFiles() const = 0;
    // Runs the script under a debugger; `print` receives its output. Throws what the script throws. Called once, by a
    // thread of its own.
    virtual void run(std::string_view script, DebugSession& debugger,
                     const std::function<void(std::string_view)>& print) = 0;
};

}  // namespace pelorus
