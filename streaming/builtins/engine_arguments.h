// The arguments that the functions which make stream engines have in common.
#pragma once

#include <string>
#include <string_view>

#include "runtime/function/context.h"
#include "runtime/registry/registry.h"
#include "streaming/engine/stream_engine.h"
#include "streaming/engine/stream_engines.h"

namespace pelorus {

StreamEngines& streamEngines(const Context& context);

// The positions of the common arguments.
struct EngineArguments {
    size_t dummyTable, outputTable, snapshotDir, raftGroup, outputHandler, msgAsTable;
};

// Returns the name of a new engine. Throws UserError when it is no identifier, or taken (S03001).
std::string engineNameGiven(const Context& context, Arguments arguments);
// Reads the common arguments of an engine of this kind. Throws UserError for a table that is none, an output that the
// user may not write (S03043), and for snapshots.
EngineOptions engineOptionsGiven(const Context& context, Arguments arguments, const EngineArguments& at,
                                 std::string kind);
// Reads what engines without these arguments have: the columns of the rows that will come, and the owner.
EngineOptions engineOptionsGiven(const Context& context, Arguments arguments, size_t dummyTable, std::string kind);
// Returns a taker of results: a table that the user may write (else S03043), or a function of one argument, which gets
// them as a table. `argument` and `name` are for errors.
EngineOutput takerGiven(const Context& context, const Value& given, int argument, std::string_view name);
// Registers the engine and returns its table.
Value addEngine(const Context& context, const Ref<StreamEngine>& engine);

}  // namespace pelorus
