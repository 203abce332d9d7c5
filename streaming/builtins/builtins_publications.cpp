// publishTable and related functions, which the libraries of clients and other nodes call.
#include <fmt/format.h>

#include "common/error.h"
#include "database/service/node_identity.h"
#include "interpreter/engine/engine.h"
#include "interpreter/session/session.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/stream/stream_log.h"
#include "streaming/builtins/first_row.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/stream_settings.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/publication/publications.h"
#include "streaming/subscription/row_filter.h"
#include "streaming/subscription/subscriptions.h"

namespace pelorus {

namespace {

constexpr int64_t kRowsOfMessage = 1024;
constexpr int64_t kMaxLagRows = 10'000'000;

// The parameters of publishTable, by position.
enum PublishArgument : uint8_t { kHost, kPort, kTableName, kActionName, kOffset, kFilter, kAllowExists };

Publications& publications(const Context& context) {
    auto* service = context.service<Publications>();
    if (!service) throw UserError("This process publishes no tables.");
    return *service;
}

// Throws UserError unless the running code may end what the user started.
void requireOwner(const Context& context, const std::string& topic, const std::string& owner) {
    const Principal& who = context.principal();
    if (who.user() == owner || who.mayManageWorkOf(owner)) return;
    throw UserError(fmt::format("<NoPrivilege>The subscription {} belongs to {}.", topic, owner),
                    "Its owner or an administrator can end it.");
}

std::unique_ptr<RowFilter> filterGiven(Context& context, const Publications::Offer& offer, const Value& given,
                                       const MemoryTable& table) {
    if (!offer.client().filter.empty()) {
        // A condition on the columns, as a browser sends it with its address.
        const std::string source =
            fmt::format("def (messageRows) {{ return select * from messageRows where {} }}", offer.client().filter);
        const Value function = evaluate(source, sessionOf(context), context);
        return makeRowFilter(function, table.columns(), "", context);
    }
    if (isOmitted(given) || given.isVoid()) return nullptr;
    if (given.isVector() && given.size() == 0) return nullptr;
    return makeRowFilter(given, table.columns(), table.stream->filterColumn(), context);
}

// Ends the subscription that came before from the same place under the same name.
void endFormer(const Context& context, const Publications::Offer& offer, const std::string& table,
               const std::string& action) {
    Publications& all = publications(context);
    for (const auto& former : all.all()) {
        const PublicationOptions& known = former->options();
        if (known.table != table || known.action != action || known.host != offer.client().host) continue;
        if (known.owner == context.principal().user()) all.remove(former);
    }
}

// publishTable(host, port, tableName, [actionName], [offset], [filter], [allowExists], …)
Value publishKernel(Context& context, Arguments a) {
    Publications& all = publications(context);
    Publications::Offer* offer = all.offerOf(*context.request);
    const bool takesMessages = offer && offer->client().takesMessages;
    if (!takesMessages && integerGiven(a, kPort, "port", 0, 0, 65535) != 0)
        throw UserError(kPort,
                        "This node sends rows on the client's own connection, and connects to no port of a client.",
                        "Use a client of version 1.30.21, 2.00.9 or later, which subscribes so by itself.");
    if (!takesMessages)
        throw UserError("publishTable is called by the library of a client, on a connection that then gets the rows.",
                        "Use the client's subscribe, or subscribeTable on a node.");
    if (offer->isTaken()) throw UserError("This connection has a subscription already.");
    const std::string name = textGiven(a, kTableName, "tableName"), action = textGiven(a, kActionName, "actionName");
    const Ref<MemoryTable> table = sharedStreamTable(context, name, Right::Read);
    PublicationOptions options;
    options.table = name;
    options.action = action;
    options.topic = topicOf(context, name, action);
    options.owner = context.principal().user();
    options.host = offer->client().host;
    options.port = offer->client().port;
    options.sendsTables = !offer->client().filter.empty();
    options.maxLagRows = streamSetting(*context.services, "maxPubQueueDepthPerSite", kMaxLagRows);
    if (const int64_t bound = table->stream->bounds().maxLagRows; bound > 0)
        options.maxLagRows = std::min(options.maxLagRows, bound);
    const int64_t offset = integerGiven(a, kOffset, "offset", kNewRows, kOldestRow);
    const int64_t first =
        firstRowGiven(context, *table, offset, {.argument = kOffset, .table = name, .action = action});
    std::unique_ptr<RowFilter> filter = filterGiven(context, *offer, a[kFilter], *table);
    if (flagGiven(a, kAllowExists, "allowExists", false)) endFormer(context, *offer, name, action);
    const auto* session = static_cast<const Session*>(context.session);
    const int64_t rowsOfMessage = streamSetting(*context.services, "maxMsgNumPerBlock", kRowsOfMessage);
    offer->take(all.add(*context.services, table, rowsOfMessage, std::move(options), std::move(filter),
                        session ? session->cells() : nullptr, first));
    std::vector<std::string> columns;
    for (const ColumnSchema& column : table->columns()) columns.push_back(column.name);
    return Value::of(Vector::ofStrings(columns));
}

// Ends a subscription of this node itself, whose address getStreamingStat shows as the subscriber.
void stopLocal(const Context& context, const std::string& table, const std::string& action) {
    auto* all = context.service<Subscriptions>();
    const auto found = all ? all->find(table, action) : nullptr;
    if (!found) return;
    requireOwner(context, found->options().topic, found->options().owner);
    all->remove(table, action);
}

// stopPublishTable(host, port, tableName, [actionName])
Value stopKernel(Context& context, Arguments a) {
    const std::string host = textGiven(a, 0, "host"), table = textGiven(a, 2, "tableName");
    const int64_t port = integerGiven(a, 1, "port", 0, 0, 65535);
    // getStreamingStat joins the actions of one subscriber by commas.
    std::string actions = textGiven(a, 3, "actionName") + ",";
    const auto isAmong = [&](const std::string& action) {
        return ("," + actions).find("," + action + ",") != std::string::npos;
    };
    Publications& all = publications(context);
    const Publications::Offer* offer = all.offerOf(*context.request);
    for (const auto& publication : all.all()) {
        const PublicationOptions& known = publication->options();
        if (known.table != table || !isAmong(known.action)) continue;
        // Clients that were sent rows on a connection of their own give port 0.
        if (port != 0 ? known.port != port : offer && known.host != offer->client().host) continue;
        requireOwner(context, known.topic, known.owner);
        all.remove(publication);
    }
    const auto* identity = context.service<NodeIdentity>();
    if (identity && port == identity->port && host == identity->host) {
        for (size_t begin = 0, comma; (comma = actions.find(',', begin)) != std::string::npos; begin = comma + 1)
            stopLocal(context, table, actions.substr(begin, comma - begin));
    }
    return {};
}

// activeClosePublishConnection(actionName, tableName, [x])
Value closeConnectionKernel(Context& context, Arguments a) {
    const std::string action = textGiven(a, 0, "actionName"), table = textGiven(a, 1, "tableName");
    Publications& all = publications(context);
    const Publications::Offer* offer = all.offerOf(*context.request);
    for (const auto& publication : all.all()) {
        const PublicationOptions& known = publication->options();
        if (known.table != table || known.action != action || (offer && known.host != offer->client().host)) continue;
        requireOwner(context, known.topic, known.owner);
        all.remove(publication);
    }
    return {};
}

}  // namespace

void registerPublications(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "publishTable(host, port, tableName, [actionName], [offset=-1], [filter], [allowExists=false], [X], [Y], [Z])",
        publishKernel,
        {.summary =
             "Sends the rows of a shared stream table to the client that calls it, on the connection of the call, "
             "until one side ends it. Libraries of clients call it; returns the names of the columns.",
         .parameters =
             "host: STRING, of the client; only shown\n"
             "port: INT, 0; rows are sent on the client's own connection\n"
             "tableName: STRING, of a shared stream table\n"
             "actionName: STRING, tells subscriptions of one table apart\n"
             "offset: LONG, number of the first row; -1 for new rows, -2 for the row after the position that is "
             "stored for this action (0 when none is), -3 for the oldest row that is kept\n"
             "filter: a vector of values, a pair low:high, a tuple (buckets, bucket or pair) of the filter "
             "column, or the source of a function of the rows\n"
             "allowExists: BOOL, whether it takes the place of a subscription of the same table and action "
             "from the same address",
         .errors =
             "It is called by a script; there is no such shared stream table; row offset is no longer kept; there "
             "is no filter column (S03028).",
         .example = "try { publishTable(\"localhost\", 0, `none); } catch (e) { }; 1 -> 1"});
    registry.add(
        "stopPublishTable(host, port, tableName, [actionName])", stopKernel,
        {.summary = "Ends the subscriptions of a client to a table, as getStreamingStat().pubTables shows them, "
                    "and closes their connections.",
         .parameters = "host: STRING, address of the client\n"
                       "port: INT, of the client's end of the connection; 0 for all connections from the "
                       "address of the caller\n"
                       "tableName: STRING\n"
                       "actionName: STRING, one or several joined by commas",
         .errors = "The subscription belongs to another user. One that is not there is no error.",
         .example = "stopPublishTable(\"localhost\", 0, `nothing, `a); 1 -> 1"});
    registry.add(
        "activeClosePublishConnection(actionName, tableName, [X])", closeConnectionKernel,
        {.summary = "Ends the subscriptions of that action to the table from the address of the caller, before "
                    "a client subscribes again.",
         .parameters = "actionName: STRING\ntableName: STRING",
         .errors = "The subscription belongs to another user. One that is not there is no error.",
         .example = "activeClosePublishConnection(`a, `nothing); 1 -> 1"});
}

}  // namespace pelorus
