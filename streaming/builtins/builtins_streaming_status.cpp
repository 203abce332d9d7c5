// Functions that report on subscriptions and those who take part in them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "common/error.h"
#include "database/service/node_identity.h"
#include "database/service/status_table.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_access.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "streaming/builtins/stream_settings.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/persistence/stream_persistence.h"
#include "streaming/publication/publications.h"
#include "streaming/subscription/remote_feed.h"
#include "streaming/subscription/subscriptions.h"

namespace pelorus {

namespace {

constexpr int kQueueDepthLimit = 10'000'000;

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

using Rows = std::vector<std::vector<Value>>;

std::vector<std::shared_ptr<Subscription>> subscriptionsOf(const Context& context) {
    const auto* all = context.service<Subscriptions>();
    return all ? all->all() : std::vector<std::shared_ptr<Subscription>>();
}

std::string hereAs(const Context& context) {
    const auto* identity = context.service<NodeIdentity>();
    return identity ? fmt::format("{}:{}", identity->host, identity->port) : "localhost:0";
}

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, ","));
}

std::vector<std::shared_ptr<Publication>> publicationsOf(const Context& context) {
    const auto* all = context.service<Publications>();
    return all ? all->all() : std::vector<std::shared_ptr<Publication>>();
}

std::string subscriberOf(const Publication& publication) {
    return fmt::format("{}:{}", publication.options().host, publication.options().port);
}

// What one subscriber gets from one table.
struct Published {
    int64_t lastRow = -1;  // the last one that it was sent
    int64_t waitingRows = 0;
    std::vector<std::string> actions;
};
// By the subscriber's address and the table: this node itself stands for its own subscriptions.
using PublishedBySite = std::map<std::pair<std::string, std::string>, Published>;

PublishedBySite publishedBySite(const Context& context) {
    PublishedBySite sites;
    const auto note = [&](const std::string& site, const std::string& table, const std::string& action, int64_t lastRow,
                          int64_t waiting) {
        Published& published = sites[{site, table}];
        published.lastRow = published.actions.empty() ? lastRow : std::min(published.lastRow, lastRow);
        published.waitingRows = std::max(published.waitingRows, waiting);
        published.actions.push_back(action);
    };
    for (const auto& subscription : subscriptionsOf(context)) {
        if (subscription->options().feed) continue;
        note(hereAs(context), subscription->options().table, subscription->options().action,
             subscription->table()->stream->total() - 1, subscription->state().waitingRows);
    }
    for (const auto& publication : publicationsOf(context))
        note(subscriberOf(*publication), publication->options().table, publication->options().action,
             publication->position() - 1, publication->waitingRows());
    return sites;
}

// One row for each subscriber of each table.
Rows publishedTables(const Context& context) {
    Rows rows;
    for (const auto& [key, published] : publishedBySite(context))
        rows.push_back({Value::ofString(key.second), Value::ofString(key.first), Value::ofLong(published.lastRow),
                        Value::ofString(joined(published.actions))});
    return rows;
}

// One row for each subscriber.
Rows publisherConnections(const Context& context) {
    const int64_t limit = streamSetting(*context.services, "maxPubQueueDepthPerSite", kQueueDepthLimit);
    std::map<std::string, std::pair<int64_t, std::vector<std::string>>> sites;
    for (const auto& [key, published] : publishedBySite(context)) {
        auto& [waiting, tables] = sites[key.first];
        waiting = std::max(waiting, published.waitingRows);
        tables.push_back(key.second);
    }
    Rows rows;
    for (const auto& [site, known] : sites)
        rows.push_back({Value::ofString(site), Value::ofInt(static_cast<int32_t>(std::min<int64_t>(limit, INT32_MAX))),
                        Value::ofInt(static_cast<int32_t>(std::min<int64_t>(known.first, INT32_MAX))),
                        Value::ofString(joined(known.second))});
    return rows;
}

// Returns how a filter or a handler was written, as far as one line shows it.
std::string shownAs(const Value& value) {
    if (value.isVoid()) return {};
    return value.isScalar() ? itemString(value) : display(value);
}

Value orNull(int64_t value, bool isKnown, Type type = Type::Long) {
    return isKnown ? Value::scalar(type, value) : Value::nullOf(type);
}

// Returns the last error: of the connection to the publisher, or else of the handler.
std::string errorOf(const Subscription& subscription, const SubscriptionState& state) {
    const auto& feed = subscription.options().feed;
    const std::string lost = feed ? feed->state().error : "";
    return lost.empty() ? state.lastError : lost;
}

Rows subscriptionWorkers(const Context& context) {
    Rows rows;
    for (const auto& subscription : subscriptionsOf(context)) {
        const SubscriptionOptions& options = subscription->options();
        const SubscriptionState state = subscription->state();
        const double throttle = std::chrono::duration<double, std::milli>(options.throttle).count();
        rows.push_back({orNull(state.worker, state.worker > 0, Type::Int),
                        Value::ofString(options.topic),
                        Value::ofString("tcp"),
                        Value::ofInt(kQueueDepthLimit),
                        Value::ofInt(static_cast<int32_t>(std::min<int64_t>(state.waitingRows, INT32_MAX))),
                        Value::ofLong(state.processed),
                        Value::ofLong(state.lastId),
                        Value::ofLong(state.failed),
                        Value::ofLong(state.lastFailedId),
                        orNull(state.lastFailedMillis, state.lastFailedMillis != 0, Type::Timestamp),
                        Value::ofString(errorOf(*subscription, state)),
                        Value::ofBool(options.msgAsTable),
                        Value::ofInt(static_cast<int32_t>(options.batchSize)),
                        Value::ofDouble(throttle),
                        Value::ofInt(options.hash),
                        Value::ofString(shownAs(options.filter)),
                        Value::ofBool(options.storesPosition),
                        Value::ofBool(options.timeTrigger),
                        Value::ofBool(options.handlerNeedsMsgId),
                        Value::ofInt(-1)});
    }
    return rows;
}

// One row for each subscription to another node.
Rows subscriberConnections(const Context& context) {
    Rows rows;
    for (const auto& subscription : subscriptionsOf(context)) {
        const auto& feed = subscription->options().feed;
        if (!feed) continue;
        const RemoteFeed::State state = feed->state();
        rows.push_back({Value::ofString(feed->topic().substr(0, feed->topic().find('/'))),
                        Value::ofLong(state.messages), Value::ofDouble(state.latencyMillis),
                        Value::ofDouble(state.lastLatencyMillis),
                        orNull(state.lastUpdateMillis, state.lastUpdateMillis != 0, Type::Timestamp)});
    }
    return rows;
}

// One row when tables are kept on disk: one thread writes the rows of all.
Rows persistenceWorkers(const Context& context) {
    const auto* persistence = context.service<StreamPersistence>();
    std::vector<std::string> names;
    int64_t waiting = 0, limit = 0;
    for (const auto& stream : persistence ? persistence->all() : std::vector<std::shared_ptr<PersistedStream>>()) {
        names.push_back(stream->name());
        waiting = std::max(waiting, stream->waitingRows());
        limit = stream->options().maxWaitingRows;
    }
    if (names.empty()) return {};
    return {{Value::ofInt(0), Value::ofInt(static_cast<int32_t>(std::min<int64_t>(limit, INT32_MAX))),
             Value::ofInt(static_cast<int32_t>(std::min<int64_t>(waiting, INT32_MAX))),
             Value::ofString(joined(names))}};
}

Rows rowsOf(const Context& context, std::string_view table) {
    if (table == "pubConns") return publisherConnections(context);
    if (table == "subConns") return subscriberConnections(context);
    if (table == "persistWorkers") return persistenceWorkers(context);
    if (table == "pubTables") return publishedTables(context);
    if (table == "subWorkers") return subscriptionWorkers(context);
    return {};
}

Value stateTable(const Context& context, std::string_view name) {
    for (const StateTable& table : stateTables()) {
        if (table.name == name) return statusTable(table.columns, rowsOf(context, name));
    }
    throw UserError(0, fmt::format("There is no table {} of the state of streaming.", name),
                    "There are pubConns, subConns, pubTables, persistWorkers, subWorkers, udpPubTables and CEPEngine.");
}

Value streamingStatKernel(Context& context, Arguments arguments) {
    const Value& wanted = arguments[0];
    const bool isAll = isOmitted(wanted) || wanted.isVoid();
    if (!isAll && wanted.isString()) return stateTable(context, wanted.string());
    if (!isAll && !(wanted.isTypedVector() && isLiteral(wanted.type())))
        throw UserError(0, "stat must be the name of a table, or several.");
    auto tables = makeRef<Dictionary>(Type::String, Type::Any, true);
    const auto add = [&](std::string_view name) { tables->set(Value::ofString(name), stateTable(context, name)); };
    if (isAll) {
        for (const StateTable& table : stateTables()) add(table.name);
    } else {
        for (int64_t i = 0; i < wanted.size(); ++i) add(wanted.at(i).string());
    }
    return Value::of(tables);
}

// getStreamTopology(): what reads from what on this node.
Value topologyKernel(Context& context, Arguments) {
    Rows rows;
    for (const auto& subscription : subscriptionsOf(context)) {
        const SubscriptionOptions& options = subscription->options();
        if (!hasAccess(context, *subscription->table(), Right::Read)) continue;
        const SubscriptionState state = subscription->state();
        const std::string taker = options.handler.isTable() ? options.handler.table().name : shownAs(options.handler);
        rows.push_back({Value::ofString("subscription"), Value::ofString(options.topic), Value::ofString(options.owner),
                        Value::ofString(options.table), Value::ofString(taker), Value::ofLong(subscription->position()),
                        Value::ofLong(state.waitingRows), Value::ofLong(state.failed),
                        Value::ofString(state.isStopped ? "stopped" : "running")});
    }
    for (const auto& publication : publicationsOf(context)) {
        const PublicationOptions& options = publication->options();
        if (!hasAccess(context, *publication->table(), Right::Read)) continue;
        rows.push_back({Value::ofString("publication"), Value::ofString(options.topic), Value::ofString(options.owner),
                        Value::ofString(options.table), Value::ofString(subscriberOf(*publication)),
                        Value::ofLong(publication->position()), Value::ofLong(publication->waitingRows()),
                        Value::ofLong(0), Value::ofString("running")});
    }
    return statusTable({{"kind", Type::String},
                        {"name", Type::String},
                        {"user", Type::String},
                        {"input", Type::String},
                        {"output", Type::String},
                        {"position", Type::Long},
                        {"lagRows", Type::Long},
                        {"failedRows", Type::Long},
                        {"status", Type::String}},
                       rows);
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

}  // namespace

void registerStreamingStatus(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Stable);
    registry.add("getStreamingStat([stat])", streamingStatKernel,
                 {.summary = "The state of publishers, subscribers and the workers between them, as a dictionary of "
                             "tables, or as one table. Rows count as messages.",
                  .parameters = "stat: STRING, pubConns, subConns, pubTables, persistWorkers, subWorkers, udpPubTables "
                                "or CEPEngine for this table, or several for a dictionary of these",
                  .units = "throttle in milliseconds",
                  .errors = "stat names another table.",
                  .example = "getStreamingStat(\"udpPubTables\").columnNames() -> "
                             "[\"tableName\",\"channel\",\"msgOffset\",\"actions\",\"subNum\"]"});
    registry.add(
        "getStreamTopology()", topologyKernel,
        {.summary =
             "The subscriptions to tables of the node that the user may see, as a table: kind, name, user, input, "
             "output, position (number of the next row), lagRows, failedRows, status.",
         .example = "getStreamTopology().columnNames()[3 4] -> [\"input\",\"output\"]"});
    registry.add("getStreamingSQLStatus([queryId])", streamingQueriesKernel,
                 {.summary = "The queries that are kept up to date as their tables grow. This version has none: the "
                             "table is empty.",
                  .example = "getStreamingSQLStatus().rows() -> 0"});
    registry.add("listStreamingSQLTables()", streamingQueryTablesKernel,
                 {.summary = "The tables that such queries may read. This version has none: the table is empty.",
                  .example = "listStreamingSQLTables().rows() -> 0"});
}

}  // namespace pelorus
