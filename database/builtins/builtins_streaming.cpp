// Functions that report on stream tables and their subscribers. There are no subscriptions here, so that each table of
// states is empty; scripts and test suites of the family read them to clean up.
#include <algorithm>
#include <array>

#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/status_table.h"
#include "interpreter/session/session.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/table/value_bytes.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

namespace {

struct StateTable {
    std::string_view name;
    TableSchema columns;
};

// Returns the tables of streaming, in the order of the reference.
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
    if (!isAll && wanted.isString()) return stateTable(wanted.string());
    if (!isAll && !(wanted.isTypedVector() && isLiteral(wanted.type())))
        throw UserError(0, "stat must be the name of a table, or several.");
    auto tables = makeRef<Dictionary>(Type::String, Type::Any, true);
    const auto add = [&](std::string_view name) { tables->set(Value::ofString(name), stateTable(name)); };
    if (isAll) {
        for (const StateTable& table : stateTables()) add(table.name);
    } else {
        for (int64_t i = 0; i < wanted.size(); ++i) add(wanted.at(i).string());
    }
    return Value::of(tables);
}

// getStreamTables([option]): of the session and of those that sessions share. None is persisted.
Value streamTablesKernel(Context& context, Arguments arguments) {
    const Value& given = arguments[0];
    const bool isGiven = !isOmitted(given) && !given.isVoid();
    if (isGiven && (!given.isNumber() || given.isNull() || given.asLong() < 0 || given.asLong() > 2))
        throw UserError(0, "option must be 0 (all), 1 (persisted ones) or 2 (others).");
    const int64_t option = isGiven ? given.asLong() : 0;
    std::vector<std::vector<Value>> rows;
    const auto add = [&](const std::string& name, const Value& value, bool isShared) {
        const MemoryTable* table = asMemoryTable(value);
        const bool isPersisted = table && table->keeper;
        if (!table || !table->isStream || (option == 1 && !isPersisted) || (option == 2 && isPersisted)) return;
        const OptionalLock lock(table->lock.get());
        rows.push_back({Value::ofString(name), Value::ofBool(isShared), Value::ofBool(isPersisted),
                        Value::ofBool(false), Value::ofBool(true),
                        Value::ofInt(static_cast<int32_t>(table->columnCount())), Value::ofLong(table->rowCount()),
                        Value::ofLong(table->rowCount()), Value::ofLong(memoryBytesOf(value))});
    };
    if (const auto* session = static_cast<const Session*>(context.session)) {
        for (const std::string& name : session->variableNames())
            add(name, session->variable(session->findVariable(name)), false);
    }
    if (const auto* shared = context.service<SharedObjects>()) {
        for (const std::string& name : shared->names()) {
            Value value;
            try {
                if (shared->find(name, value, context.principal())) add(name, value, true);
            } catch (const UserError&) {
                // The user has no right to it.
            }
        }
    }
    return statusTable({{"name", Type::String},
                        {"shared", Type::Bool},
                        {"persisted", Type::Bool},
                        {"cachePurgeEnabled", Type::Bool},
                        {"loaded", Type::Bool},
                        {"columns", Type::Int},
                        {"rowsInMemory", Type::Long},
                        {"totalRows", Type::Long},
                        {"memoryUsed", Type::Long}},
                       rows);
}

// getStreamTableTimestamp(streamTable): the name of the column that the server fills with the time of arrival; no table
// has one, and writers ask this of every table before they write to it.
Value streamTableTimestampKernel(Context&, Arguments arguments) {
    if (!arguments[0].isTable()) throw UserError(0, "streamTable must be a table.");
    return Value::ofString("");
}

// No query is registered here, so that each of these tables is empty.
Value streamingQueriesKernel(Context&, Arguments) {
    return statusTable({{"queryId", Type::String},
                        {"user", Type::String},
                        {"registerTime", Type::Timestamp},
                        {"status", Type::String},
                        {"sqlQuery", Type::String},
                        {"involvedTables", Type::String},
                        {"lastErrorMessage", Type::String}},
                       {});
}

Value streamingQueryTablesKernel(Context&, Arguments) {
    return statusTable({{"tableName", Type::String}, {"shared", Type::Bool}, {"users", Type::String}}, {});
}

Value peekAppendKernel(Context&, Arguments) {
    throw UserError(0, "engine must be a stream engine; this version has none.", "Compute the metrics by a query.");
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
    registry.add(
        "getStreamTables([option=0])", streamTablesKernel,
        {.summary = "The stream tables of the session and those that sessions share, as a table: name, shared, "
                    "persisted, cachePurgeEnabled, loaded, columns, rowsInMemory, totalRows, memoryUsed.",
         .parameters = "option: 0 for all, 1 for those that are kept on disk, 2 for the others",
         .units = "memoryUsed in bytes",
         .errors = "option is another number.",
         .example = "t = streamTable(1 2 as x); exec totalRows from getStreamTables() where name = \"t\" -> [2]"},
        kReads);
    registry.add("getStreamTableTimestamp(streamTable)", streamTableTimestampKernel,
                 {.summary = "The name of the column that gets the time at which rows arrive, which writers leave out. "
                             "This version has none: an empty string.",
                  .errors = "streamTable is no table.",
                  .example = "isNull(getStreamTableTimestamp(table(1 as x))) -> true"},
                 kReads);
    registry.add("getStreamingSQLStatus([queryId])", streamingQueriesKernel,
                 {.summary = "The queries that are kept up to date as their tables grow. This version has none: the "
                             "table is empty.",
                  .example = "getStreamingSQLStatus().rows() -> 0"},
                 kReads);
    registry.add("listStreamingSQLTables()", streamingQueryTablesKernel,
                 {.summary = "The tables that such queries may read. This version has none: the table is empty.",
                  .example = "listStreamingSQLTables().rows() -> 0"},
                 kReads);
    registry.add("peekAppend(engine, data)", peekAppendKernel,
                 {.summary = "What a stream engine would write for more rows; this version has no stream engines.",
                  .errors = "Always: it says what to use instead.",
                  .example = "select max(price) from loadTable(\"dfs://TAQ\", \"trades\") where date = 2024.01.02 "
                             "group by sym  // in its place"},
                 kReads);
    registry.add(
        "unsubscribeTable([server], tableName, [actionName], [removeOffset=true], [raftGroup])", unsubscribeKernel,
        {.summary = "Ends a subscription; there are none in this version.",
         .errors = "Always: it says what to use instead.",
         .example = "rows = table(2024.01.04 as date, 09:30:00.000 as time, `AAPL as sym, 185.5 as price, 100 as qty); "
                    "loadTable(\"dfs://TAQ\", \"trades\").append!(rows)  // in place of a subscription"});
}

}  // namespace pelorus
