// Functions that report on stream tables and their subscribers. There are no subscriptions here, so that each table of
// states is empty; scripts and test suites of the family read them to clean up.
#include <algorithm>
#include <array>

#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/status_table.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

namespace {

struct StateTable {
    std::string_view name;
    TableSchema columns;
};

// In the order of the reference.
const std::array<StateTable, 7>& stateTables() {
    static const std::array<StateTable, 7> tables = {{
        {"pubConns",
         {{"client", Type::String},
          {"queueDepthLimit", Type::Int},
          {"queueDepth", Type::Int},
          {"tables", Type::String}}},
        {"subConns",
         {{"publisher", Type::String},
          {"cumMsgCount", Type::Long},
          {"cumMsgLatency", Type::Double},
          {"lastMsgLatency", Type::Double},
          {"lastUpdate", Type::Timestamp}}},
        {"pubTables",
         {{"tableName", Type::String},
          {"subscriber", Type::String},
          {"msgOffset", Type::Long},
          {"actions", Type::String}}},
        {"persistWorkers",
         {{"workerId", Type::Int},
          {"queueDepthLimit", Type::Int},
          {"queueDepth", Type::Int},
          {"tables", Type::String}}},
        {"subWorkers",
         {{"workerId", Type::Int},
          {"topic", Type::String},
          {"type", Type::String},
          {"queueDepthLimit", Type::Int},
          {"queueDepth", Type::Int},
          {"processedMsgCount", Type::Long},
          {"lastMsgId", Type::Long},
          {"failedMsgCount", Type::Long},
          {"lastFailedMsgId", Type::Long},
          {"lastFailedTimestamp", Type::Timestamp},
          {"lastErrMsg", Type::String},
          {"msgAsTable", Type::Bool},
          {"batchSize", Type::Int},
          {"throttle", Type::Double},
          {"hash", Type::Int},
          {"filter", Type::String},
          {"persistOffset", Type::Bool},
          {"timeTrigger", Type::Bool},
          {"handlerNeedMsgId", Type::Bool},
          {"raftGroup", Type::Int}}},
        {"udpPubTables",
         {{"tableName", Type::String},
          {"channel", Type::String},
          {"msgOffset", Type::Long},
          {"actions", Type::String},
          {"subNum", Type::Int}}},
        {"CEPEngine",
         {{"name", Type::String},
          {"user", Type::String},
          {"status", Type::String},
          {"lastErrorMessage", Type::String},
          {"lastErrorTimestamp", Type::Timestamp},
          {"useSystemTime", Type::Bool},
          {"numOfSubEngine", Type::Int},
          {"queueDepth", Type::Long},
          {"eventsReceived", Type::Long},
          {"eventsEmitted", Type::Long},
          {"eventsOnOutputQueue", Type::Long}}},
    }};
    return tables;
}

Value stateTable(std::string_view name) {
    for (const StateTable& table : stateTables()) {
        if (table.name == name) return statusTable(table.columns, {});
    }
    throw UserError(0, "There is no table " + std::string(name) + " of the state of streaming.",
                    "There are pubConns, subConns, pubTables, persistWorkers, subWorkers, udpPubTables and CEPEngine.");
}

Value streamingStatKernel(Context&, Arguments arguments) {
    const Value& wanted = arguments[0];
    const bool isAll = isOmitted(wanted) || wanted.isVoid();
    if (!isAll && wanted.isText()) return stateTable(wanted.text());
    if (!isAll && !(wanted.isTypedVector() && isLiteral(wanted.type())))
        throw UserError(0, "stat must be the name of a table, or several.");
    auto tables = makeRef<Dictionary>(Type::String, Type::Any, true);
    const auto add = [&](std::string_view name) { tables->set(Value::ofString(name), stateTable(name)); };
    if (isAll) {
        for (const StateTable& table : stateTables()) add(table.name);
    } else {
        for (int64_t i = 0; i < wanted.size(); ++i) add(wanted.at(i).text());
    }
    return Value::of(tables);
}

// Throws when called, so that modules that name it load.
Value unsubscribeKernel(Context&, Arguments) {
    throw UserError("This version has no subscriptions of stream tables: nothing can be ended.",
                    "Append to tables directly.");
}

}  // namespace

void registerStreamingBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("getStreamingStat([stat])", streamingStatKernel,
                 {.summary = "The state of publishers, subscribers and the workers between them, as a dictionary of "
                             "tables, or as one table. This version has no subscriptions: all are empty.",
                  .parameters = "stat: pubConns, subConns, pubTables, persistWorkers, subWorkers, udpPubTables or "
                                "CEPEngine for this table, or several for a dictionary of these",
                  .errors = "stat names another table.",
                  .example = "getStreamingStat().pubTables.rows() -> 0\n"
                             "getStreamingStat(\"udpPubTables\").columnNames() -> "
                             "[\"tableName\",\"channel\",\"msgOffset\",\"actions\",\"subNum\"]"},
                 kReads);
    registry.add("unsubscribeTable([server], tableName, [actionName], [removeOffset=true], [raftGroup])",
                 unsubscribeKernel,
                 {.summary = "Ends a subscription; there are none in this version.",
                  .errors = "Always: it says what to use instead."});
}

}  // namespace pelorus
