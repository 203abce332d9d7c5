// Debugger is the interface between the machine and a debugger, which stops a script before its statements.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/source_position.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

// A call of a stopped script.
struct DebugFrame {
    std::string function;  // empty: the top level
    std::string origin;    // path of the module; empty for submitted text
    SourcePosition position;
    bool isTopLevel = false;
    std::vector<std::pair<std::string, Value>> variables;  // those that have a value
};

// The script at a stop. Valid during the call that receives it.
class DebugStop {
public:
    virtual ~DebugStop() = default;
    virtual SourcePosition position() const = 0;
    // Returns the number of calls around the statement, those of other machines included.
    virtual int depth() const = 0;
    virtual std::string_view origin() const = 0;
    // Returns the calls, innermost first. The values are shared with the script: drop them before it goes on, or it
    // copies what it would change in place.
    virtual std::vector<DebugFrame> frames() const = 0;
    virtual Context& context() const = 0;
};

// The callbacks of the machine, called by threads that run code which was compiled in a session with a debugger.
class Debugger {
public:
    virtual ~Debugger() = default;
    // Runs before each statement. May throw UserError, which ends the script as an error of the statement.
    virtual void atStatement(const DebugStop& stop) = 0;
    // Runs where an error was raised, before it is handled or leaves.
    virtual void atError(const DebugStop& stop, std::string_view message) = 0;
};

}  // namespace pelorus
