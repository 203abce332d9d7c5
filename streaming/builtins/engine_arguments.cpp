#include "streaming/builtins/engine_arguments.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/session/session.h"
#include "runtime/function/principal.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_access.h"
#include "runtime/value/print.h"
#include "streaming/builtins/given.h"

namespace pelorus {

StreamEngines& streamEngines(const Context& context) {
    auto* engines = context.service<StreamEngines>();
    if (!engines) throw UserError("This process has no stream engines.");
    return *engines;
}

std::string engineNameGiven(const Context& context, Arguments arguments) {
    std::string name = identifierGiven(arguments, 0, "name");
    if (name.empty()) throw UserError(0, "name is missing.");
    if (streamEngines(context).has(name))
        throw UserError(0, fmt::format("There is a stream engine {} already. RefId: S03001", name),
                        "Drop it first: dropStreamEngine(name).");
    return name;
}

static EngineOutput outputGiven(const Context& context, Arguments a, const EngineArguments& at) {
    EngineOutput output;
    output.msgAsTable = flagGiven(a, at.msgAsTable, "msgAsTable", false);
    if (isGiven(a, at.outputHandler)) {
        const Value& handler = a[at.outputHandler];
        if (!handler.isFunction() || handler.function().signature().minArguments() > 1 ||
            handler.function().signature().maxArguments() < 1)
            throw UserError(static_cast<int>(at.outputHandler), "outputHandler must be a function of one argument.");
        output.handler = Ref<Function>(&handler.function());
        return output;
    }
    const int position = static_cast<int>(at.outputTable);
    if (!isGiven(a, at.outputTable) || !a[at.outputTable].isTable())
        throw UserError(position, "outputTable must be a table, unless there is an outputHandler.");
    output.table = a[at.outputTable];
    Table& table = output.table.table();
    try {
        if (table.asPartitioned()) {
            table.asPartitioned()->require(context.principal(), Right::Insert);
        } else {
            requireAccess(context, output.table, Right::Insert);
        }
    } catch (const UserError& error) {
        throw UserError(position, fmt::format("{} RefId: S03043", error.what()), error.hint());
    }
    MemoryTable* memory = table.asMemory();
    if (memory && memory->stream && memory->stream->stampsArrival())
        throw UserError(position, "outputTable fills a column with the time of arrival: engines can't write to it.");
    // The engine writes to the table itself, which its variable shows.
    if (memory && !memory->lock) memory->lock = std::make_shared<RecursiveMutex>();
    return output;
}

EngineOptions engineOptionsGiven(const Context& context, Arguments a, const EngineArguments& at, std::string kind) {
    const Value& dummy = a[at.dummyTable];
    if (!dummy.isTable())
        throw UserError(static_cast<int>(at.dummyTable),
                        fmt::format("dummyTable must be a table, but it is {}.", typeString(dummy)));
    if (isGiven(a, at.snapshotDir) && !textGiven(a, at.snapshotDir, "snapshotDir").empty())
        throw UserError(static_cast<int>(at.snapshotDir),
                        "The state of an engine can't be kept on disk in this version.",
                        "Leave snapshotDir and snapshotIntervalInMsgCount out.");
    if (isGiven(a, at.raftGroup)) integerGiven(a, at.raftGroup, "raftGroup", -1, INT64_MIN);
    EngineOptions options;
    options.kind = std::move(kind);
    options.owner = context.principal().user();
    const Table& table = dummy.table();
    for (const ColumnSchema& column : table.columns())
        options.input.push_back({column.name, column.type, column.scale, ""});
    options.output = outputGiven(context, a, at);
    if (const auto* session = static_cast<const Session*>(context.session)) options.cells = session->cells();
    return options;
}

Value addEngine(const Context& context, const Ref<StreamEngine>& engine) {
    streamEngines(context).add(engine);
    return Value::of(Ref<Table>(engine));
}

}  // namespace pelorus
