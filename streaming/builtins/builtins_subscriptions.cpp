// subscribeTable and related functions.
#include <fmt/format.h>

#include <cmath>

#include "common/error.h"
#include "common/log.h"
#include "database/service/node_identity.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/remote_connection.h"
#include "interpreter/session/session.h"
#include "runtime/function/function.h"
#include "runtime/function/principal.h"
#include "runtime/stream/stream_keeper.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_access.h"
#include "runtime/value/print.h"
#include "streaming/builtins/first_row.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/stream_settings.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/persistence/stream_persistence.h"
#include "streaming/subscription/remote_feed.h"
#include "streaming/subscription/subscriptions.h"

namespace pelorus {

namespace {

constexpr double kMostThrottleSeconds = 1e6;
constexpr int64_t kMaxLagRows = 10'000'000;

// The parameters of subscribeTable, by position.
enum SubscribeArgument : uint8_t {
    kServer,
    kTableName,
    kActionName,
    kOffset,
    kHandler,
    kMsgAsTable,
    kBatchSize,
    kThrottle,
    kHash,
    kReconnect,
    kFilter,
    kPersistOffset,
    kTimeTrigger,
    kHandlerNeedMsgId,
    kRaftGroup,
    kUserId,
    kPassword,
    kUdpMulticast,
    kOnError,
};

Subscriptions& subscriptions(const Context& context) {
    auto* service = context.service<Subscriptions>();
    if (!service) throw UserError("This process has no subscriptions.");
    return *service;
}

// Returns the name of another node, or of a connection to one; empty for this node.
std::string serverGiven(const Context& context, Arguments arguments) {
    if (!isGiven(arguments, 0)) return {};
    if (arguments[0].isFunction()) {
        const auto* connection = dynamic_cast<const RemoteConnection*>(&arguments[0].function());
        if (!connection) throw UserError(0, "server must be the alias of a node, or a connection that xdb made.");
        return fmt::format("{}:{}", connection->options().host, connection->options().port);
    }
    std::string server = textGiven(arguments, 0, "server");
    const auto* identity = context.service<NodeIdentity>();
    if (identity && server == identity->alias) server.clear();
    return server;
}

// Returns how the other node is reached: as the user of the connection, or for who asks.
ClientOptions clientOf(const Context& context, const Value& server) {
    if (server.isFunction()) return dynamic_cast<const RemoteConnection&>(server.function()).options();
    const auto* cluster = context.service<Cluster>();
    if (!cluster)
        throw UserError(0, fmt::format("There is no node {}: this node is in no cluster.", server.string()),
                        "Give a connection, as in subscribeTable(xdb(host, port, userId, password), …).");
    return cluster->clientOptions(std::string(server.string()), context.principal().user());
}

// A table in memory that a handler changes is one object, as a shared one, from now on: its variable shows the rows.
void shareWithHandler(const Value& value) {
    MemoryTable* table = asMemoryTable(value);
    if (table && !table->lock) table->lock = std::make_shared<RecursiveMutex>();
}

void requireHandler(const Value& handler, bool needsId, const Context& context) {
    if (handler.isTable()) {
        if (needsId && !handler.table().asSink())
            throw UserError(kHandler, "With handlerNeedMsgId, handler must be a function of a message and its id.");
        if (handler.table().asPartitioned()) {
            handler.table().asPartitioned()->require(context.principal(), Right::Insert);
        } else {
            requireAccess(context, handler, Right::Insert);
        }
        shareWithHandler(handler);
        return;
    }
    if (!handler.isFunction())
        throw UserError(kHandler,
                        fmt::format("handler must be a function or a table, but it is {}.", typeString(handler)));
    const Signature& signature = handler.function().signature();
    const int given = needsId ? 2 : 1;
    if (signature.minArguments() > given || signature.maxArguments() < given) {
        throw UserError(
            kHandler,
            fmt::format("handler must take {}.", needsId ? "a message and its id" : "one argument, the message"),
            "Fix the other arguments by partial application, as in append!{t}.");
    }
    if (const auto* partial = dynamic_cast<const PartialFunction*>(&handler.function())) {
        const std::vector<Value> fixed = partial->fixed();
        if (partial->function()->signature().mutatesFirst && !fixed.empty()) shareWithHandler(fixed[0]);
    }
}

int64_t firstRow(const Context& context, const MemoryTable& table, int64_t offset, const SubscriptionOptions& options) {
    if (offset == kStoredOffset && (!table.stream->keeper() || !options.storesPosition))
        throw UserError(kOffset, "offset -2 needs persistOffset, and a stream table that is kept on disk.",
                        "Give the number of a row, -1 for new rows, or -3 for the oldest row that is kept.");
    return firstRowGiven(context, table, offset,
                         {.argument = kOffset, .table = options.table, .action = options.action});
}

// Throws UserError when no position can be stored, or that of another user is there.
void requireOwnPosition(const Context& context, const SubscriptionOptions& options) {
    auto* persistence = context.service<StreamPersistence>();
    if (!persistence) throw UserError(kPersistOffset, "This process has no data folder to keep positions in.");
    const std::string topic = options.positionKey();
    const auto position = persistence->position(*context.services, topic);
    if (!position || position->owner == context.principal().user() || context.principal().administers()) return;
    throw UserError(kPersistOffset,
                    fmt::format("<NoPrivilege>The position of {} belongs to {}.", topic, position->owner),
                    "Give the subscription another actionName.");
}

// Returns what stores the position of the subscription after each message.
std::function<void(int64_t)> positionKeeper(const Context& context, const SubscriptionOptions& options) {
    auto* persistence = context.service<StreamPersistence>();
    return [persistence, topic = options.positionKey(), owner = options.owner](int64_t row) {
        persistence->setPosition(topic, {row, owner});
    };
}

OnError onErrorGiven(Arguments a) {
    const std::string given = textGiven(a, kOnError, "onError", "skip");
    if (given == "skip") return OnError::Skip;
    if (given == "stop") return OnError::Stop;
    if (given == "retry") return OnError::Retry;
    throw UserError(kOnError, fmt::format("onError must be skip, stop or retry, but it is {}.", given));
}

// Returns whose rights the handler has: the caller's.
std::string ownerGiven(const Context& context, Arguments a) {
    const std::string caller = context.principal().user();
    const std::string given = isGiven(a, kUserId) ? textGiven(a, kUserId, "userId") : "";
    if (given.empty() || given == caller) return caller;
    throw UserError(
        kUserId,
        fmt::format("userId is {}, but the handler runs with the rights of who subscribes, {}.", given, caller),
        "Log in as that user first, with login, and leave userId and password out.");
}

// Subscribes at the other node.
std::shared_ptr<RemoteFeed> feedOf(const Context& context, const Value& server, const SubscriptionOptions& options,
                                   int64_t offset, bool reconnects) {
    if (subscriptions(context).find(options.table, options.action, options.server))
        throw UserError(fmt::format("The subscription {} already exists. RefId: S03002", options.positionKey()),
                        "End it first with unsubscribeTable, or give another actionName.");
    if (offset == kStoredOffset) {
        if (!options.storesPosition) throw UserError(kOffset, "offset -2 needs persistOffset.");
        const auto stored = context.service<StreamPersistence>()->position(*context.services, options.positionKey());
        offset = stored ? stored->row : 0;
    }
    return std::make_shared<RemoteFeed>(
        RemoteFeed::Options{.client = clientOf(context, server),
                            .server = options.server,
                            .table = options.table,
                            .action = options.action,
                            .offset = offset,
                            .reconnects = reconnects,
                            .maxLagRows = streamSetting(*context.services, "maxSubQueueDepth", kMaxLagRows)});
}

Value subscribeKernel(Context& context, Arguments a) {
    if (!isGiven(a, kTableName)) throw UserError(kTableName, "tableName is missing.");
    SubscriptionOptions options;
    options.server = serverGiven(context, a);
    options.table = textGiven(a, kTableName, "tableName");
    options.action = identifierGiven(a, kActionName, "actionName");
    Ref<MemoryTable> table;
    if (options.server.empty()) table = sharedStreamTable(context, options.table, Right::Read);
    if (!isGiven(a, kHandler)) throw UserError(kHandler, "handler is missing.");
    options.msgAsTable = flagGiven(a, kMsgAsTable, "msgAsTable", false);
    options.batchSize = integerGiven(a, kBatchSize, "batchSize", 0, INT64_MIN, INT32_MAX);
    const double throttle = realGiven(a, kThrottle, "throttle", 1);
    if (!(throttle >= 0 && throttle <= kMostThrottleSeconds))
        throw UserError(kThrottle, "throttle must be a number of seconds from 0 to 1000000.");
    const double least = static_cast<double>(streamSetting(*context.services, "subThrottle", 1)) / 1000;
    options.throttle =
        std::chrono::duration_cast<Strands::Clock::duration>(std::chrono::duration<double>(std::max(throttle, least)));
    options.hash = static_cast<int>(integerGiven(a, kHash, "hash", -1, -1, INT32_MAX));
    const bool reconnects = flagGiven(a, kReconnect, "reconnect", false);  // a table of this node is never lost
    options.timeTrigger = flagGiven(a, kTimeTrigger, "timeTrigger", false);
    options.handlerNeedsMsgId = flagGiven(a, kHandlerNeedMsgId, "handlerNeedMsgId", false);
    const bool storesPosition = options.storesPosition = flagGiven(a, kPersistOffset, "persistOffset", false);
    if (isGiven(a, kRaftGroup) && integerGiven(a, kRaftGroup, "raftGroup", -1, -1) >= 0)
        throw UserError(kRaftGroup, "This version has no groups of subscribers.", "Leave raftGroup out.");
    if (flagGiven(a, kUdpMulticast, "udpMulticast", false))
        throw UserError(kUdpMulticast, "Rows are not sent by multicast.", "Leave udpMulticast out.");
    options.onError = onErrorGiven(a);
    options.handler = a[kHandler];
    if (storesPosition) requireOwnPosition(context, options);
    const int64_t offset = integerGiven(a, kOffset, "offset", -1, -3);
    int64_t first = 0;
    requireHandler(options.handler, options.handlerNeedsMsgId, context);
    options.owner = ownerGiven(context, a);
    if (options.server.empty()) {
        first = firstRow(context, *table, offset, options);
        options.topic = topicOf(context, options.table, options.action);
    } else {
        options.feed = feedOf(context, a[kServer], options, offset, reconnects);
        options.topic = options.feed->topic();
        table = options.feed->rows();
    }
    std::unique_ptr<RowFilter> filter;
    if (isGiven(a, kFilter)) {
        options.filter = a[kFilter];
        const std::string column = options.feed ? options.feed->filterColumn() : table->stream->filterColumn();
        filter = makeRowFilter(a[kFilter], table->columns(), column, context);
    }
    if (storesPosition) options.keepPosition = positionKeeper(context, options);
    const auto* session = static_cast<const Session*>(context.session);
    const std::string topic = subscriptions(context).add(
        *context.services, table, std::move(options), std::move(filter), session ? session->cells() : nullptr, first);
    return Value::ofString(topic);
}

// unsubscribeTable([server], tableName, [actionName], [removeOffset], [raftGroup])
Value unsubscribeKernel(Context& context, Arguments a) {
    const std::string server = serverGiven(context, a);
    const std::string table = textGiven(a, 1, "tableName"), action = identifierGiven(a, 2, "actionName");
    const bool removesOffset = flagGiven(a, 3, "removeOffset", true);
    Subscriptions& all = subscriptions(context);
    const auto found = all.find(table, action, server);
    if (!found) {
        if (server.empty()) sharedStreamTable(context, table, Right::Read);
        throw UserError(fmt::format("There is no subscription {}.", topicOf(context, table, action)),
                        "getStreamingStat().subWorkers lists the subscriptions; actionName is part of their identity.");
    }
    const Principal& who = context.principal();
    if (who.user() != found->options().owner && !who.mayManageWorkOf(found->options().owner))
        throw UserError(fmt::format("<NoPrivilege>The subscription {} belongs to {}.", found->options().topic,
                                    found->options().owner),
                        "Its owner or an administrator can end it.");
    all.remove(table, action, server);
    if (removesOffset && found->options().storesPosition)
        context.service<StreamPersistence>()->removePosition(*context.services, found->options().positionKey());
    return {};
}

// existsSubscriptionTopic([server], tableName, [actionName])
Value existsTopicKernel(Context& context, Arguments a) {
    const std::string server = serverGiven(context, a);
    const std::string table = textGiven(a, 1, "tableName"), action = textGiven(a, 2, "actionName");
    return Value::ofBool(subscriptions(context).find(table, action, server) != nullptr);
}

// getSubscriptionTopic(tableName, [actionName])
Value topicKernel(Context& context, Arguments a) {
    const std::string name = textGiven(a, 0, "tableName"), action = textGiven(a, 1, "actionName");
    const Ref<MemoryTable> table = sharedStreamTable(context, name, Right::Read);
    std::vector<std::string> columns;
    for (const ColumnSchema& column : table->columns()) columns.push_back(column.name);
    return Value::of(makeRef<Tuple>(
        std::vector<Value>{Value::ofString(topicOf(context, name, action)), Value::of(Vector::ofStrings(columns))}));
}

}  // namespace

void registerSubscriptions(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "subscribeTable([server], tableName, [actionName], [offset=-1], handler, [msgAsTable=false], [batchSize=0], "
        "[throttle=1], [hash=-1], [reconnect=false], [filter], [persistOffset=false], [timeTrigger=false], "
        "[handlerNeedMsgId=false], [raftGroup], [userId], [password], [udpMulticast=false], [onError='skip'])",
        subscribeKernel,
        {.summary = "Hands the rows of a shared stream table to a handler as they come, in the background, until "
                    "unsubscribeTable. Returns the topic, a STRING.",
         .parameters =
             "server: STRING, alias of a node of the cluster, or a connection that xdb made; nothing for this node\n"
             "tableName: STRING, of a shared stream table\n"
             "actionName: STRING, tells subscriptions of one table apart\n"
             "offset: INT, number of the first row; -1 for new rows, -2 for the row after the last one that was "
             "handled, as persistOffset stored it (0 when nothing is stored), -3 for the oldest row that is kept, in "
             "memory or on disk\n"
             "handler: a table that takes the rows, or a function of the message (and its id); it runs with the rights "
             "of who subscribed\n"
             "msgAsTable: BOOL, whether the message is a table or a tuple of columns\n"
             "batchSize: INT, rows that a message has at least; 0 hands over each append as it was written\n"
             "throttle: DOUBLE, after so long fewer rows are a message, too; used with batchSize\n"
             "hash: INT, handlers of equal hash never run at once\n"
             "reconnect: BOOL, whether it goes on after the last row that came when the connection to the other node "
             "breaks\n"
             "filter: a vector of values, a pair low:high, a tuple (buckets, bucket or pair) of the filter column, or "
             "a "
             "function of each append\n"
             "persistOffset: BOOL, whether the number of the last row that was handled is stored on disk\n"
             "timeTrigger: BOOL, whether an empty message comes after throttle without rows\n"
             "handlerNeedMsgId: BOOL, whether the handler also gets the number of the message's last row\n"
             "userId: STRING, the user who subscribes, or nothing\n"
             "onError: STRING, what follows on an error of the handler: skip goes on, stop ends, retry hands over the "
             "message again after 100 ms, and so on up to every 10 s",
         .units = "throttle in seconds",
         .nulls = "Rows with NULL are handed over; a filter of values or a range leaves them out.",
         .errors = "There is no such shared stream table; the handler takes other arguments; the subscription exists "
                   "(S03002); row offset is no longer kept; there is no filter column (S03028).",
         .example =
             "share streamTable(10:0, `sym`px, [SYMBOL, DOUBLE]) as ticks; share table(10:0, `sym`px, [SYMBOL, "
             "DOUBLE]) as copied; subscribeTable(tableName=`ticks, actionName=`copy, handler=copied); "
             "made = existsSubscriptionTopic(tableName=`ticks, actionName=`copy); unsubscribeTable(tableName=`ticks, "
             "actionName=`copy); made -> true"},
        {.takesSharedTables = true});
    registry.add("unsubscribeTable([server], tableName, [actionName], [removeOffset=true], [raftGroup])",
                 unsubscribeKernel,
                 {.summary = "Ends a subscription: what waits is dropped, a running handler ends first.",
                  .parameters = "tableName: STRING\nactionName: STRING, as in "
                                "subscribeTable\nremoveOffset: BOOL, whether its stored position is removed, too",
                  .errors = "There is no such subscription; it belongs to another user.",
                  .example = "share streamTable(10:0, `px, [DOUBLE]) as quotes; subscribeTable(tableName=`quotes, "
                             "handler=def(message) {}); unsubscribeTable(tableName=`quotes); "
                             "existsSubscriptionTopic(tableName=`quotes) -> false"});
    registry.add("existsSubscriptionTopic([server], tableName, [actionName])", existsTopicKernel,
                 {.summary = "Whether this node has such a subscription, as BOOL.",
                  .parameters = "tableName: STRING\nactionName: STRING, as in subscribeTable",
                  .example = "existsSubscriptionTopic(tableName=`nothing) -> false"},
                 kReads);
    registry.alias("existSubscriptionTopic", "existsSubscriptionTopic");
    registry.add("getSubscriptionTopic(tableName, [actionName])", topicKernel,
                 {.summary = "The topic that a subscription of the table has, and the table's columns, as a tuple.",
                  .parameters = "tableName: STRING, of a shared stream table\nactionName: STRING",
                  .errors = "There is no such shared stream table.",
                  .example = "share streamTable(10:0, `sym`px, [SYMBOL, DOUBLE]) as prices; "
                             "getSubscriptionTopic(`prices)[1] -> [\"sym\",\"px\"]"},
                 kReads);
}

}  // namespace pelorus
