// Built-ins about the queries of the node: which run, which have ended.
#include <algorithm>

#include "common/error.h"
#include "database/service/status_table.h"
#include "runtime/function/principal.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "server/builtins/server_builtins.h"
#include "server/builtins/server_services.h"
#include "server/session/session_registry.h"
#include "sql/query_monitor.h"

namespace pelorus {
namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;

QueryMonitor& monitor(Context& context) {
    return requireService<QueryMonitor>(context, "Monitors of queries");
}

Value queryTable(Context& context, const std::vector<MonitoredQuery>& queries) {
    const TableSchema schema = {{"userID", Type::String, 0, ""},
                                {"sessionID", Type::Long, 0, ""},
                                {"jobID", Type::String, 0, ""},
                                {"rootID", Type::String, 0, ""},
                                {"level", Type::Int, 0, ""},
                                {"startTime", Type::NanoTimestamp, 0, ""},
                                {"endTime", Type::NanoTimestamp, 0, ""},
                                {"jobDesc", Type::String, 0, ""},
                                {"errorMsg", Type::String, 0, ""},
                                {"remoteIP", Type::String, 0, ""}};
    const auto* sessions = context.service<SessionRegistry>();
    std::vector<std::vector<Value>> rows;
    for (const MonitoredQuery& q : queries) {
        const SessionStatus session = sessions && q.sessionId ? sessions->status(q.sessionId) : SessionStatus();
        const Value id = Value::ofString(std::to_string(q.number));
        rows.push_back(
            {Value::ofString(q.user),
             session.id && session.showsIdTo(*context.request) ? Value::ofLong(q.sessionId) : Value::nullOf(Type::Long),
             id, id, Value::ofInt(0), Value::scalar(Type::NanoTimestamp, q.startNanos),
             q.endNanos ? Value::scalar(Type::NanoTimestamp, q.endNanos) : Value::nullOf(Type::NanoTimestamp),
             Value::ofString(q.source), Value::ofString(q.error), Value::ofString(session.remoteHost)});
    }
    return statusTable(schema, rows);
}

std::vector<MonitoredQuery> visible(const Context& context, std::vector<MonitoredQuery> queries) {
    std::erase_if(queries, [&](const MonitoredQuery& q) { return !context.principal().mayManageWorkOf(q.user); });
    return queries;
}

Value getRunningQueries(Context& context, Arguments) {
    return queryTable(context, visible(context, monitor(context).running()));
}

Value getCompletedQueries(Context& context, Arguments arguments) {
    constexpr size_t kUsual = 10;
    size_t top = kUsual;
    if (!arguments.empty() && !arguments[0].isVoid()) {
        if (!arguments[0].isScalar() || !arguments[0].isNumber() || arguments[0].isNull() || arguments[0].asLong() < 1)
            throw UserError(0, "top must be a positive number.");
        top = static_cast<size_t>(arguments[0].asLong());
    }
    return queryTable(context, monitor(context).completed(top));
}

Value getQueryStatus(Context& context, Arguments) {
    if (!monitor(context).isEnabled())
        throw UserError("Queries are not monitored.", "An administrator switches it on: enableQueryMonitor().");
    const TableSchema schema = {{"id", Type::Long, 0, ""},
                                {"sessionId", Type::Long, 0, ""},
                                {"userId", Type::String, 0, ""},
                                {"query", Type::String, 0, ""},
                                {"startTime", Type::Timestamp, 0, ""},
                                {"elapsedTimeInMs", Type::Long, 0, ""},
                                {"memoryUsage", Type::Long, 0, ""},
                                {"totalTaskCount", Type::Long, 0, ""},
                                {"completedTaskCount", Type::Long, 0, ""},
                                {"percentComplete", Type::Double, 0, ""}};
    const int64_t now = localMillis();
    const auto* sessions = context.service<SessionRegistry>();
    std::vector<std::vector<Value>> rows;
    for (const MonitoredQuery& q : visible(context, monitor(context).running())) {
        const SessionStatus session = sessions && q.sessionId ? sessions->status(q.sessionId) : SessionStatus();
        const int64_t started = q.startNanos / kNanosPerMilli;
        const int64_t total = std::max<int64_t>(1, q.tasks);
        rows.push_back(
            {Value::ofLong(q.number),
             session.id && session.showsIdTo(*context.request) ? Value::ofLong(q.sessionId) : Value::nullOf(Type::Long),
             Value::ofString(q.user), Value::ofString(q.source), Value::scalar(Type::Timestamp, started),
             Value::ofLong(std::max<int64_t>(0, now - started)),
             q.memoryBytes < 0 ? Value::nullOf(Type::Long) : Value::ofLong(q.memoryBytes), Value::ofLong(total),
             Value::ofLong(q.finishedTasks),
             Value::ofDouble(static_cast<double>(q.finishedTasks) / static_cast<double>(total))});
    }
    return statusTable(schema, rows);
}

Value enableQueryMonitor(Context& context, Arguments) {
    monitor(context).enable(true);
    return Value();
}

Value disableQueryMonitor(Context& context, Arguments) {
    monitor(context).enable(false);
    return Value();
}

}  // namespace

void registerQueryBuiltins(FunctionRegistry& registry) {
    const FunctionTheme theme("sessions and jobs");
    {
        const FunctionFamily family(registry, Facet::Public, Effect::Stable);
        registry.add("getRunningQueries()", getRunningQueries,
                     {.summary = "A table of the queries that run on this node now: the caller's own, or all for an "
                                 "administrator.",
                      .example = "select userID, startTime, jobDesc from getRunningQueries()"});
        registry.add("getQueryStatus()", getQueryStatus,
                     {.summary = "A table of the queries that run on this node now, with how much of each is done.",
                      .units = "memoryUsage is in bytes: what the query's threads have taken since it began and not "
                               "given back, counted in steps of 256 KiB.",
                      .errors = "disableQueryMonitor switched the monitor off.",
                      .example = "select userId, query, elapsedTimeInMs, percentComplete from getQueryStatus()"});
    }
    const FunctionFamily family(registry, Facet::Admin, Effect::Writes);
    registry.add(
        "getCompletedQueries([top=10])", getCompletedQueries,
        {.summary = "A table of the last queries over tables of databases that have ended on this node, newest "
                    "first; 1000 are remembered.",
         .errors = "top is not positive.",
         .example = "select userID, endTime - startTime as took, jobDesc from getCompletedQueries(20)"},
        kReads);
    registry.add("enableQueryMonitor()", enableQueryMonitor,
                 {.summary = "Lets the node note its queries for getRunningQueries and getQueryStatus; it does so from "
                             "the start.",
                  .example = "enableQueryMonitor()"});
    registry.add(
        "disableQueryMonitor()", disableQueryMonitor,
        {.summary = "Stops the node from noting queries that begin from now on.", .example = "disableQueryMonitor()"});
}

}  // namespace pelorus
