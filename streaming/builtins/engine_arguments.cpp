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

static Ref<Function> handlerGiven(const Value& given, int argument, std::string_view name) {
    if (!given.isFunction() || given.function().signature().minArguments() > 1 ||
        given.function().signature().maxArguments() < 1)
        throw UserError(argument, fmt::format("{} must be a function of one argument.", name));
    return Ref<Function>(&given.function());
}

static Value writtenTable(const Context& context, const Value& given, int position, std::string_view name) {
    Table& table = given.table();
    try {
        if (table.asPartitioned()) {
            table.asPartitioned()->require(context.principal(), Right::Insert);
        } else {
            requireAccess(context, given, Right::Insert);
        }
    } catch (const UserError& error) {
        throw UserError(position, fmt::format("{} RefId: S03043", error.what()), error.hint());
    }
    MemoryTable* memory = table.asMemory();
    if (memory && memory->stream && memory->stream->stampsArrival())
        throw UserError(position,
                        fmt::format("{} fills a column with the time of arrival: engines can't write to it.", name));
    // The engine writes to the table itself, which its variable shows.
    if (memory && !memory->lock) memory->lock = std::make_shared<RecursiveMutex>();
    return given;
}

EngineOutput takerGiven(const Context& context, const Value& given, int argument, std::string_view name) {
    EngineOutput output;
    output.msgAsTable = true;
    if (given.isTable()) {
        output.table = writtenTable(context, given, argument, name);
    } else {
        output.handler = handlerGiven(given, argument, fmt::format("{}, unless it is a table,", name));
    }
    return output;
}

static EngineOutput outputGiven(const Context& context, Arguments a, const EngineArguments& at) {
    EngineOutput output;
    output.msgAsTable = flagGiven(a, at.msgAsTable, "msgAsTable", false);
    if (isGiven(a, at.outputHandler)) {
        output.handler = handlerGiven(a[at.outputHandler], static_cast<int>(at.outputHandler), "outputHandler");
        return output;
    }
    const int position = static_cast<int>(at.outputTable);
    if (!isGiven(a, at.outputTable) || !a[at.outputTable].isTable())
        throw UserError(position, "outputTable must be a table, unless there is an outputHandler.");
    output.table = writtenTable(context, a[at.outputTable], position, "outputTable");
    return output;
}

EngineOptions engineOptionsGiven(const Context& context, Arguments a, size_t dummyTable, std::string kind) {
    const Value& dummy = a[dummyTable];
    if (!dummy.isTable())
        throw UserError(static_cast<int>(dummyTable),
                        fmt::format("dummyTable must be a table, but it is {}.", typeString(dummy)));
    EngineOptions options;
    options.kind = std::move(kind);
    options.owner = context.principal().user();
    for (const ColumnSchema& column : dummy.table().columns())
        options.input.push_back({column.name, column.type, column.scale, ""});
    if (const auto* session = static_cast<const Session*>(context.session)) options.cells = session->cells();
    return options;
}

EngineOptions engineOptionsGiven(const Context& context, Arguments a, const EngineArguments& at, std::string kind) {
    EngineOptions options = engineOptionsGiven(context, a, at.dummyTable, std::move(kind));
    if (isGiven(a, at.snapshotDir) && !textGiven(a, at.snapshotDir, "snapshotDir").empty())
        throw UserError(static_cast<int>(at.snapshotDir),
                        "The state of an engine can't be kept on disk in this version.",
                        "Leave snapshotDir and snapshotIntervalInMsgCount out.");
    if (isGiven(a, at.raftGroup)) integerGiven(a, at.raftGroup, "raftGroup", -1, INT64_MIN);
    options.output = outputGiven(context, a, at);
    return options;
}

Value addEngine(const Context& context, const Ref<StreamEngine>& engine) {
    streamEngines(context).add(engine);
    return Value::of(Ref<Table>(engine));
}

}  // namespace pelorus
