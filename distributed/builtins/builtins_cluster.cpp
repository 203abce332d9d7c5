// Implements the built-ins about nodes: remote calls, and the list of nodes.
#include "common/error.h"
#include "database/service/node_identity.h"
#include "database/service/status_table.h"
#include "distributed/builtins/distributed_builtins.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/remote_connection.h"
#include "distributed/transaction/participant.h"
#include "interpreter/session/view_function.h"
#include "runtime/memory/budget.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/value/dictionary.h"

namespace pelorus {
namespace {

const NodeIdentity& identity(const Context& context) {
    static const NodeIdentity alone;
    const auto* node = context.service<NodeIdentity>();
    return node ? *node : alone;
}

bool isSelf(const Context& context, const std::string& alias) {
    return alias.empty() || alias == identity(context).alias;
}

std::string stringArgument(const Value& v, int i, const char* name) {
    if (!v.isString()) throw UserError(i, std::string(name) + " must be a STRING.");
    return std::string(v.string());
}

// Returns the function that a value is, or names: a function view, or a built-in that scripts may call.
Ref<Function> scriptFunction(const Value& v, int argument, const Context& context) {
    if (v.isFunction()) return Ref<Function>(&v.function());
    if (!v.isString()) throw UserError(argument, "func must be a function.");
    if (Ref<Function> view = findViewFunction(*context.services, v.string())) return view;
    return Ref<Function>(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get(v.string())));
}

Value applyOn(Context& context, const std::string& alias, const Value& function, std::vector<Value> arguments,
              const std::atomic<bool>* abandon = nullptr) {
    if (isSelf(context, alias)) return scriptFunction(function, 1, context)->call(context, arguments);
    auto* cluster = context.service<Cluster>();
    if (!cluster) {
        throw UserError(0, "There is no node " + alias + ": this node is in no cluster.", "Use xdb and remoteRun.");
    }
    // A name is sent as a value: requests to the other node never contain source text.
    const std::vector<Value> sent{function, Value::of(makeRef<Tuple>(std::move(arguments)))};
    return cluster->call(alias, context, "applyForNode", sent, {.abandon = abandon});
}

Value rpc(Context& context, Arguments arguments) {
    const std::string alias = stringArgument(arguments[0], 0, "nodeAlias");
    if (!arguments[1].isFunction() && !arguments[1].isString()) throw UserError(1, "func must be a function.");
    return applyOn(context, alias, arguments[1], {arguments.begin() + 2, arguments.end()});
}

// Receives the calls of other nodes that carry their function.
Value applyForNode(Context& context, Arguments arguments) {
    std::vector<Value> given = received::tuple(arguments[1], "arguments");
    return scriptFunction(arguments[0], 0, context)->call(context, given);
}

Value xdb(Context& context, Arguments arguments) {
    ClientOptions options;
    options.host = stringArgument(arguments[0], 0, "host");
    options.idleCheck = [&context] { context.checkCancelled(); };
    size_t userAt = 1;
    if (arguments[1].isNumber()) {
        options.port = static_cast<int>(arguments[1].asLong());
        userAt = 2;
    } else {
        const auto* cluster = context.service<Cluster>();
        bool known = false;
        for (const ClusterMember& member : cluster ? cluster->members() : std::vector<ClusterMember>()) {
            if (member.alias != options.host) continue;
            known = true;
            options.peerName = member.alias;
            options.host = member.host;
            options.port = member.port;
            break;
        }
        if (!known) throw UserError(0, "There is no node " + options.host + ".", "Give a host and a port.");
    }
    if (!arguments[userAt].isVoid()) {
        options.user = stringArgument(arguments[userAt], static_cast<int>(userAt), "userId");
        options.password = stringArgument(arguments[userAt + 1], static_cast<int>(userAt) + 1, "password");
    }
    return Value::of(Ref<Function>(makeRef<RemoteConnection>(std::move(options))));
}

Value remoteRun(Context& context, Arguments arguments) {
    auto* connection = arguments[0].isFunction() ? dynamic_cast<RemoteConnection*>(arguments[0].object()) : nullptr;
    if (!connection) throw UserError(0, "conn must be a connection made by xdb.");
    return connection->call(context, arguments.subspan(1));
}

// Concatenates one table per node, with the nodes' aliases as first column.
Value joinTables(const std::vector<std::string>& nodes, const std::vector<Value>& results, bool addAlias) {
    std::vector<std::string> aliases;
    Ref<MemoryTable> all;
    for (size_t i = 0; i < results.size(); ++i) {
        const auto& rows = static_cast<const MemoryTable&>(results[i].table());
        if (addAlias) aliases.insert(aliases.end(), static_cast<size_t>(rows.rowCount()), nodes[i]);
        if (!all) {
            all = rows.copy();
        } else {
            all->append(rows);
        }
    }
    if (!addAlias) return Value::of(Ref<Table>(all));
    std::vector<std::string> names{"Node"};
    std::vector<Value> columns{Value::of(Vector::ofStrings(aliases))};
    for (int c = 0; c < all->columnCount(); ++c) {
        names.push_back(all->columns()[static_cast<size_t>(c)].name);
        columns.push_back(all->column(c));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
}

Value joinScalars(const std::vector<std::string>& nodes, const std::vector<Value>& results) {
    Ref<Vector> values = Vector::make(results[0].type(), 0);
    for (const Value& result : results) values->append(result);
    return Value::of(Ref<Table>(
        makeRef<MemoryTable>(std::vector<std::string>{"Node", "Value"},
                             std::vector<Value>{Value::of(Vector::ofStrings(nodes)), Value::of(std::move(values))})));
}

Value joinVectors(const std::vector<std::string>& nodes, const std::vector<Value>& results) {
    const Vector& first = results[0].vector();
    Ref<Vector> cells = Vector::make(first.type(), 0);
    for (const Value& result : results) cells->append(result.vector(), 0, result.size());
    auto m = makeRef<Matrix>(std::move(cells), first.size(), static_cast<int64_t>(results.size()));
    m->columnLabels = Value::of(Vector::ofStrings(nodes));
    return Value::of(std::move(m));
}

Value joinResults(const std::vector<std::string>& nodes, const std::vector<Value>& results, bool addAlias) {
    const auto all = [&](auto&& holds) { return std::all_of(results.begin(), results.end(), holds); };
    const Value& first = results[0];
    if (all([](const Value& v) { return v.isVoid(); })) return Value();
    if (all([](const Value& v) { return v.isTable() && !v.table().asPartitioned(); })) {
        return joinTables(nodes, results, addAlias);
    }
    const bool sameType = all([&](const Value& v) { return v.type() == first.type() && v.form() == first.form(); });
    if (sameType && first.isScalar() && storageOf(first.type()) != Storage::Boxed) return joinScalars(nodes, results);
    if (sameType && first.isVector() && !first.isTuple() &&
        all([&](const Value& v) { return v.size() == first.size(); })) {
        return joinVectors(nodes, results);
    }
    auto d = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (size_t i = 0; i < nodes.size(); ++i) d->set(Value::ofString(nodes[i]), results[i]);
    return Value::of(std::move(d));
}

std::vector<std::string> allNodes(const Context& context) {
    std::vector<std::string> nodes;
    if (const auto* cluster = context.service<Cluster>()) {
        for (const ClusterMember& member : cluster->members()) nodes.push_back(member.alias);
    }
    if (nodes.empty()) nodes.push_back(identity(context).alias);
    return nodes;
}

Value pnodeRun(Context& context, Arguments arguments) {
    if (!arguments[0].isFunction()) throw UserError(0, "function must be a function without parameters.");
    std::vector<std::string> nodes;
    if (arguments[1].isVoid()) {
        nodes = allNodes(context);
    } else {
        for (int64_t i = 0; i < arguments[1].size(); ++i) {
            nodes.push_back(stringArgument(arguments[1].at(i), 1, "nodes"));
        }
    }
    if (nodes.empty()) throw UserError(1, "nodes is empty.");
    std::vector<Value> results(nodes.size());
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        results[i] = applyOn(context, nodes[i], arguments[0], {}, &abandon);
    });
    const bool addAlias = arguments[2].isVoid() || arguments[2].asLong() != 0;
    return joinResults(nodes, results, addAlias);
}

Value getNodeAlias(Context& context, Arguments) {
    return Value::ofString(identity(context).alias);
}
Value getNodeHost(Context& context, Arguments) {
    return Value::ofString(identity(context).host);
}
Value getNodePort(Context& context, Arguments) {
    return Value::ofInt(identity(context).port);
}
Value getNodeType(Context& context, Arguments) {
    return Value::ofInt(static_cast<int32_t>(identity(context).mode));
}

// Returns this node: every node can answer for the cluster, so each is its own controller.
Value getControllerAlias(Context& context, Arguments) {
    return Value::ofString(context.service<Cluster>() ? identity(context).alias : "");
}

Value getClusterLiveDataNodes(Context& context, Arguments) {
    std::vector<std::string> sites;
    if (const auto* cluster = context.service<Cluster>()) {
        for (const ClusterMember& m : cluster->members()) {
            if (cluster->isAlive(m.alias)) sites.push_back(m.host + ':' + std::to_string(m.port) + ':' + m.alias);
        }
    } else {
        const NodeIdentity& node = identity(context);
        sites.push_back(node.host + ':' + std::to_string(node.port) + ':' + node.alias);
    }
    return Value::of(Vector::ofStrings(sites));
}

const TableSchema& performanceSchema() {
    static const TableSchema schema = {
        {"host", Type::String, 0, ""},       {"port", Type::Int, 0, ""},           {"mode", Type::Int, 0, ""},
        {"state", Type::Int, 0, ""},         {"name", Type::String, 0, ""},        {"site", Type::String, 0, ""},
        {"connectionNum", Type::Int, 0, ""}, {"maxConnections", Type::Int, 0, ""}, {"workerNum", Type::Int, 0, ""},
        {"executorNum", Type::Int, 0, ""},   {"memoryUsed", Type::Long, 0, ""},    {"memoryAlloc", Type::Long, 0, ""},
        {"maxMemSize", Type::Double, 0, ""}, {"cpuUsage", Type::Double, 0, ""},    {"avgLoad", Type::Double, 0, ""},
        {"publicName", Type::String, 0, ""}, {"isLeader", Type::Bool, 0, ""}};
    return schema;
}

std::vector<Value> performanceOf(const ClusterMember& member, NodeMode mode, bool online) {
    std::vector<Value> row;
    for (const ColumnSchema& column : performanceSchema()) row.push_back(Value::nullOf(column.type));
    row[0] = Value::ofString(member.host);
    row[1] = Value::ofInt(member.port);
    row[2] = Value::ofInt(static_cast<int32_t>(mode));
    row[3] = Value::ofInt(online ? 1 : 0);
    row[4] = Value::ofString(member.alias);
    row[5] = Value::ofString(member.host + ':' + std::to_string(member.port) + ':' + member.alias);
    row[15] = Value::ofString(member.host);
    row[16] = Value::ofBool(false);
    return row;
}

// Returns the state of this node, as a table of one row.
Value getNodePerf(Context& context, Arguments) {
    const NodeIdentity& node = identity(context);
    std::vector<Value> row = performanceOf({node.alias, node.host, node.port}, node.mode, true);
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    double load[1] = {0};
    if (::getloadavg(load, 1) != 1) load[0] = 0;
    row[6] = Value::ofInt(node.connections);
    row[7] = Value::ofInt(node.maxConnections);
    row[8] = row[9] = Value::ofInt(cores);
    row[10] = row[11] = Value::ofLong(memory::usedBytes());
    row[12] = Value::ofDouble(static_cast<double>(memory::limitBytes()) / (1 << 30));
    row[13] = Value::ofDouble(100 * std::min(1.0, load[0] / cores));
    row[14] = Value::ofDouble(load[0] / cores);
    return statusTable(performanceSchema(), {row});
}

Value getClusterPerf(Context& context, Arguments) {
    auto* cluster = context.service<Cluster>();
    if (!cluster) return getNodePerf(context, {});
    const std::vector<ClusterMember> members = cluster->members();
    std::vector<Value> results(members.size());
    callInParallel(members.size(), [&](size_t i, const std::atomic<bool>&) {
        const ClusterMember& member = members[i];
        try {
            results[i] = isSelf(context, member.alias)
                             ? getNodePerf(context, {})
                             : cluster->call(member.alias, context, "getNodePerf", {}, {.endsInSilence = true});
        } catch (const Error&) {
            results[i] = statusTable(performanceSchema(), {performanceOf(member, NodeMode::Data, false)});
        }
    });
    return joinTables({}, results, false);
}

// Returns a table of which nodes have all rows of their partitions, as all nodes agree on it.
Value getSyncStates(Context& context, Arguments) {
    static const TableSchema schema = {{"name", Type::String, 0, ""},
                                       {"state", Type::String, 0, ""},
                                       {"alive", Type::Bool, 0, ""},
                                       {"staleness", Type::Int, 0, ""}};
    auto* participant = context.service<Participant>();
    if (!participant) {
        return statusTable(schema, {{Value::ofString(identity(context).alias), Value::ofString("in sync"),
                                     Value::ofBool(true), Value::ofInt(0)}});
    }
    participant->map().await(participant->map().revisionToRead(), std::chrono::seconds(2));
    const auto staleness = std::chrono::ceil<std::chrono::seconds>(participant->map().staleness());
    std::vector<std::vector<Value>> rows;
    for (const NodeConfig& node : participant->map().config()->nodes) {
        rows.push_back({Value::ofString(node.alias), Value::ofString(std::string(nameOf(node.state))),
                        Value::ofBool(context.service<Cluster>()->isAlive(node.alias)),
                        Value::ofInt(static_cast<int32_t>(staleness.count()))});
    }
    return statusTable(schema, rows);
}

}  // namespace

void registerClusterBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("clusters");
    registry.add("rpc(nodeAlias, func, args...)", rpc,
                 {.summary = "Calls a function on another node of the cluster and returns its result.",
                  .parameters = "func: a function, which is sent along, or the name of one of the other node",
                  .errors = "The node is unknown, does not answer, or dies meanwhile; the message names it.",
                  .example = "rpc(\"node2\", getRecentJobs, 10)\n"
                             "rpc(\"node2\", def(day) { return exec count(*) from loadTable(\"dfs://TAQ\", \"trades\") "
                             "where date = day }, 2024.01.02)"});
    registry.add("applyForNode(function, arguments)", applyForNode,
                 {.summary = "Applies a function, or one that is named, to a tuple of arguments."}, kForNodes);
    registry.add("xdb(host, [port], [userId], [password])", xdb,
                 {.summary = "Connects to another server; the result is called like a function.",
                  .parameters = "host: an address, or the alias of a node and then no port",
                  .example = "conn = xdb(\"10.0.0.5\", 8848, \"ann\", \"secret-12\"); conn(\"select count(*) from "
                             "loadTable('dfs://TAQ', `trades)\")"});
    registry.add(
        "remoteRun(conn, script, args...)", remoteRun,
        {.summary = "Runs a script, or a function by name or as a value, over a connection made by xdb.",
         .parameters = "conn: a connection that xdb() has made\n"
                       "script: the text of a script, the name of a function, or a function\n"
                       "args: the arguments of the function",
         .example = "conn = xdb(\"10.0.0.5\", 8848, \"ann\", \"secret-12\"); remoteRun(conn, \"avg\", 1 2 6)"});
    registry.alias("remoteRunWithCompression", "remoteRun");
    registry.alias("remoteRunCompatible", "remoteRun");
    registry.add("pnodeRun(function, [nodes], [addNodeAlias=true])", pnodeRun,
                 {.summary = "Calls a function without parameters on several nodes at once and joins the results.",
                  .parameters = "nodes: aliases; all nodes of the cluster when left out",
                  .example = "pnodeRun(getCachedRowCount)\n"
                             "pnodeRun(getJobStat, `node1`node2)"});
    registry.add("getNodeAlias()", getNodeAlias, {.summary = "The alias of this node.", .example = "getNodeAlias()"},
                 kReadsBeforeLogin);
    registry.add("getNodeHost()", getNodeHost,
                 {.summary = "The address that this node listens on.", .example = "getNodeHost()"}, kReads);
    registry.add("getNodePort()", getNodePort,
                 {.summary = "The port that this node listens on.", .example = "getNodePort()"}, kReads);
    registry.add("getNodeType()", getNodeType,
                 {.summary = "The kind of this node: 0 in a cluster, 3 alone.", .example = "getNodeType()"},
                 kReadsBeforeLogin);
    registry.add("getControllerAlias()", getControllerAlias,
                 {.summary = "A node that answers for the cluster: this one; empty when it is in none.",
                  .example = "getControllerAlias()"},
                 kReadsBeforeLogin);
    registry.add("getClusterLiveDataNodes([includeCompute])", getClusterLiveDataNodes,
                 {.summary = "The living nodes as host:port:alias.", .example = "getClusterLiveDataNodes()"}, kReads);
    registry.add("getNodePerf()", getNodePerf,
                 {.summary = "The state of this node as a table of one row.",
                  .example = "select cpuUsage, avgLoad, memoryUsed from getNodePerf()"},
                 kReads);
    registry.add("getClusterPerf([includeMaster])", getClusterPerf,
                 {.summary = "A table of the nodes of the cluster with their state (1 is alive) and load.",
                  .example = "select name, state, cpuUsage, memoryUsed from getClusterPerf()"},
                 kReadsBeforeLogin);
    registry.add(
        "getSyncStates()", getSyncStates,
        {.summary = "A table of the cluster's nodes: name, state, whether it is alive, and how old the answer is.",
         .parameters = "state: \"in sync\" when the node has every row of its partitions; \"out of sync\" when it "
                       "may lack some, so that other copies are read and written; \"joining\" while it takes over "
                       "what it lacks\n"
                       "staleness: seconds since the metadata store last answered this node, 0 while it does; more "
                       "only with the setting maxStaleness",
         .example = "select name from getSyncStates() where state != \"in sync\""},
        kReads);
}

}  // namespace pelorus
