// Administration of databases and their tables: owners, comments, the write cache, and the settings of the process.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/configuration.h"
#include "database/service/database_handle.h"
#include "database/service/secured_objects.h"
#include "database/service/status_table.h"
#include "runtime/code/query.h"
#include "runtime/function/principal.h"
#include "runtime/table/audited_data.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"
#include "sql/execute.h"
#include "storage/folder/maintenance.h"
#include "storage/version/version_set.h"

namespace pelorus {

namespace {

Value stringVector(const std::vector<std::string>& strings) {
    return Value::of(Vector::ofStrings(strings));
}

// One write cache serves all engines.
Value flushKernel(Context& context, Arguments) {
    databasesOf(context).ownStorage().maintenance().flush();
    return {};
}

Value cacheSizeKernel(Context& context, Arguments) {
    return Value::ofLong(databasesOf(context).ownStorage().versions().cachedRows());
}

// Bytes in use, the bytes of rows among them, the bytes of references to these, and the limit. WAL-02.
Value cacheMemoryKernel(Context& context, Arguments) {
    const LocalStorage& storage = databasesOf(context).ownStorage();
    const int64_t used = storage.versions().cachedBytes();
    return Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofLong(used), Value::ofLong(used), Value::ofLong(0),
                                                       Value::ofLong(storage.options().writeCacheBytes)}));
}

Value cacheLimitKernel(Context& context, Arguments) {
    return Value::ofLong(databasesOf(context).ownStorage().options().writeCacheBytes);
}

// Database without "dfs://" → its tables.
Value getAllDBsKernel(Context& context, Arguments) {
    Catalog& catalog = databasesOf(context).catalog();
    auto databases = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (const std::string& path : visibleDatabases(context)) {
        databases->set(Value::ofString(path.substr(std::string_view("dfs://").size())),
                       stringVector(catalog.tableNames(path)));
    }
    return Value::of(databases);
}

// Database as "/name" → TABLE or DATABASE.
Value getAllDBGranularityKernel(Context& context, Arguments) {
    Catalog& catalog = databasesOf(context).catalog();
    auto granularity = makeRef<Dictionary>(Type::String, Type::String, true);
    for (const std::string& path : visibleDatabases(context)) {
        granularity->set(Value::ofString("/" + path.substr(std::string_view("dfs://").size())),
                         Value::ofString(catalog.database(path).chunkGranularity));
    }
    return Value::of(granularity);
}

Value nodeIsReadyKernel(Context& context, Arguments) {
    return Value::ofBool(context.service<DatabaseService>() != nullptr);
}

Value byOwnerKernel(Context& context, Arguments arguments) {
    const std::string owner = nameArgument(arguments[0], 0, "user");
    Catalog& catalog = databasesOf(context).catalog();
    std::vector<std::string> paths;
    for (const std::string& path : visibleDatabases(context)) {
        if (catalog.database(path).owner == owner) paths.push_back(path);
    }
    return stringVector(paths);
}

// Reads the table's entry, lets `store` alter and store it; repeated after a conflict.
template <class Store>
void changeEntry(const Catalog& catalog, const PartitionedTable& table, Store store) {
    for (;;) {
        TableEntry entry = catalog.table(table.databasePath(), table.name);
        try {
            store(entry);
            return;
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
        }
    }
}

// Databases are not replicated to another cluster, and this must not be claimed.
Value setReplicationKernel(Context& context, Arguments arguments) {
    visibleDatabase(context, databasePath(context, arguments[0], 0));
    if (isTrue(arguments[1])) {
        throw UserError(1, "Copies in another cluster are not supported.", "backupDB copies a database.");
    }
    return {};
}

Value replicationStatusKernel(Context& context, Arguments) {
    std::vector<std::vector<Value>> rows;
    for (const std::string& path : databasesOf(context).catalog().databasePaths())
        rows.push_back({Value::ofString(path), Value::ofBool(false), Value()});
    return statusTable({{"dbName", Type::String}, {"enabled", Type::Bool}, {"executionSet", Type::Int}}, rows);
}

PartitionedTable& partitionedArgument(const Value& value) {
    PartitionedTable* table = value.isTable() ? value.table().asPartitioned() : nullptr;
    if (table == nullptr) throw UserError(0, "table must be a table of a database, as loadTable returns it.");
    return *table;
}

// The columns or their comments, separated by commas.
std::string itemsString(const Dictionary& comments, bool keys) {
    std::string string;
    for (int64_t i = 0; i < comments.size(); ++i) {
        if (i > 0) string += ',';
        string += (keys ? comments.keyAt(i) : comments.valueAt(i)).string();
    }
    return string;
}

Value setColumnCommentKernel(Context& context, Arguments arguments) {
    const PartitionedTable& table = partitionedArgument(arguments[0]);
    table.requireToAlter(context.principal(), Right::CreateObject);
    if (!arguments[1].isDictionary()) throw UserError(1, "columnComments must be a dictionary of column to comment.");
    const Dictionary& comments = arguments[1].dictionary();
    Catalog& catalog = databasesOf(context, table.databasePath()).catalog();
    AuditedData change(context, "SET_COLUMN_COMMENT", table.databasePath(), table.name);
    changeEntry(catalog, table, [&](TableEntry& entry) {
        for (int64_t i = 0; i < comments.size(); ++i) {
            const std::string column = nameArgument(comments.keyAt(i), 1, "A column of columnComments");
            const Value comment = comments.valueAt(i);
            const auto at = std::find_if(entry.schema.begin(), entry.schema.end(),
                                         [&](const ColumnSchema& c) { return c.name == column; });
            if (at == entry.schema.end()) throw UserError(1, "The table has no column " + column + ".");
            if (!comment.isString()) throw UserError(1, "The comment of " + column + " must be a STRING.");
            at->comment = comment.string();
        }
        catalog.updateTable(entry);
    });
    change.done(
        fmt::format("colName=[{}], colComment=[{}]", itemsString(comments, true), itemsString(comments, false)));
    if (auto* stored = dynamic_cast<CatalogTable*>(&arguments[0].table())) stored->takeNewerEntry();
    return {};
}

Value setTableCommentKernel(Context& context, Arguments arguments) {
    const PartitionedTable& table = partitionedArgument(arguments[0]);
    table.requireToAlter(context.principal(), Right::CreateObject);
    if (!arguments[1].isString()) throw UserError(1, "comment must be a STRING.");
    const std::string comment(arguments[1].string());
    Catalog& catalog = databasesOf(context, table.databasePath()).catalog();
    AuditedData change(context, "SET_TABLE_COMMENT", table.databasePath(), table.name,
                       fmt::format("comment=[{}]", comment));
    changeEntry(catalog, table, [&](TableEntry& entry) {
        entry.comment = comment;
        catalog.updateTable(entry);
    });
    change.done();
    return {};
}

Value loadTableBySQLKernel(Context& context, Arguments arguments) {
    if (arguments[0].type() != Type::Code || arguments[0].as<Code>()->node->kind != NodeKind::Query)
        throw UserError(0, "sql must be the metacode of a query, as in <select * from t>.");
    const auto& query = static_cast<const Query&>(*arguments[0].as<Code>()->node);
    if (!query.groupBy.empty() || !query.orderBy.empty() || query.limit || query.top) {
        throw UserError(0, "The query must not have top, group by, context by, order by or limit.",
                        "Query the table that loadTableBySQL returns.");
    }
    return executeQuery(query, context);
}

Value diskKernel(Context&, Arguments) {
    auto facts = makeRef<Dictionary>(Type::String, Type::Any, true);
    facts->set(Value::ofString("diskIOQueueDepths"), Value::of(Vector::of<int32_t>(Type::Int, {0})));
    facts->set(Value::ofString("diskIOConcurrencyLevel"), Value::ofInt(1));
    return Value::of(facts);
}

bool isPublicSetting(const std::string& name) {
    return name == "mode" || name == "enableHTTPS" || name == "localSite";
}

// The settings of all nodes, as the page of a node reads them before its user logs in: those that strangers may know.
Value clusterSettingsKernel(Context& context, Arguments) {
    std::vector<std::string> lines;
    const auto* configuration = context.service<Configuration>();
    for (const auto& [name, value] : configuration ? configuration->values : std::map<std::string, std::string>()) {
        if (isPublicSetting(name) || context.principal().administers()) lines.push_back(name + '=' + value);
    }
    return stringVector(lines);
}

Value configKernel(Context& context, Arguments arguments) {
    static const Configuration kNone;
    const auto* service = context.service<Configuration>();
    const Configuration& configuration = service ? *service : kNone;
    // Clients read some settings before they log in; an unauthenticated client learns no others.
    const bool isUnauthenticated = !context.principal().powers().callsPublic;
    const auto shows = [&](const std::string& name) { return !isUnauthenticated || isPublicSetting(name); };
    if (!arguments[0].isVoid()) {
        const auto found = configuration.values.find(nameArgument(arguments[0], 0, "key"));
        return found == configuration.values.end() || !shows(found->first) ? Value() : Value::ofString(found->second);
    }
    auto all = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (const auto& [name, value] : configuration.values) {
        if (shows(name)) all->set(Value::ofString(name), Value::ofString(value));
    }
    return Value::of(all);
}

Value homeKernel(Context& context, Arguments) {
    const auto* configuration = context.service<Configuration>();
    if (configuration && configuration->values.count("home")) return Value::ofString(configuration->values.at("home"));
    return Value::ofString(absolutePath("."));
}

}  // namespace

void registerDatabaseAdministration(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("flushTSDBCache()", flushKernel,
                 {.summary = "Writes the rows of the write cache of this node into segment files. They were durable "
                             "and visible before.",
                  .example = "flushTSDBCache()"});
    registry.alias("flushOLAPCache", "flushTSDBCache");
    registry.alias("flushPKEYCache", "flushTSDBCache");
    registry.alias("purgeCacheEngine", "flushTSDBCache");
    registry.add(
        "getCacheEngineMemSize()", cacheMemoryKernel,
        {.summary = "Bytes of the rows in the write cache, and how many start a flush: a tuple of the bytes in "
                    "use, those of the rows, 0, and the limit.",
         .example = "getCacheEngineMemSize()[0]"},
        kReads);
    registry.alias("getOLAPCacheEngineSize", "getCacheEngineMemSize");
    registry.add("getTSDBCacheEngineSize()", cacheLimitKernel,
                 {.summary = "How many bytes the write cache holds before they are flushed, LONG; one serves all "
                             "engines.",
                  .example = "getTSDBCacheEngineSize()"},
                 kReads);
    registry.add(
        "getCachedRowCount()", cacheSizeKernel,
        {.summary = "How many rows the write cache of this node holds, LONG.", .example = "getCachedRowCount()"},
        kReads);
    registry.add("getAllDBs()", getAllDBsKernel,
                 {.summary = "A dictionary of database, without dfs://, to the names of its tables.",
                  .example = "getAllDBs()[\"TAQ\"]"},
                 kReads);
    registry.add(
        "getAllDBGranularity()", getAllDBGranularityKernel,
        {.summary = "A dictionary of databases and whether a partition is of one table or of the database: TABLE "
                    "or DATABASE.",
         .example = "getAllDBGranularity()"},
        kReads);
    registry.add("isDataNodeInitialized()", nodeIsReadyKernel,
                 {.summary = "Whether this process keeps databases and takes queries for them.",
                  .example = "isDataNodeInitialized()"},
                 kReads);
    registry.add("getDFSDatabasesByOwner(user)", byOwnerKernel,
                 {.summary = "Paths of the databases that a user made, as a STRING vector.",
                  .example = "getDFSDatabasesByOwner(\"ann\")"},
                 kReads);
    registry.add("setDatabaseForClusterReplication(dbHandle, option)", setReplicationKernel,
                 {.summary = "Whether a database is copied to another cluster: only false is possible.",
                  .errors = "option is true.",
                  .example = "setDatabaseForClusterReplication(database(\"dfs://TAQ\"), false)"});
    registry.add("getDatabaseClusterReplicationStatus()", replicationStatusKernel,
                 {.summary = "A table of all databases, and that none is copied to another cluster.",
                  .example = "getDatabaseClusterReplicationStatus()"},
                 kReads);
    registry.add(
        "setColumnComment(table, columnComments)", setColumnCommentKernel,
        {.summary = "Sets comments of columns of a table of a database; schema shows them.",
         .parameters = "columnComments: a dictionary of column to comment",
         .example = "setColumnComment(loadTable(\"dfs://TAQ\", \"trades\"), {price: \"in USD\", qty: \"in shares\"})"});
    registry.add("setTableComment(table, comment)", setTableCommentKernel,
                 {.summary = "Sets the comment of a table of a database; schema shows it.",
                  .example = "setTableComment(loadTable(\"dfs://TAQ\", \"trades\"), \"trades of US stocks\")"});
    registry.add(
        "loadTableBySQL(sql)", loadTableBySQLKernel,
        {.summary = "The rows of a query over a partitioned table, as a table in memory.",
         .parameters = "sql: the metacode of a query without group by, order by, top and limit",
         .example =
             "loadTableBySQL(<select sym, price from loadTable(\"dfs://TAQ\", \"trades\") where date = 2024.01.02>)"},
        kReads);
    registry.add("getDiskIOStat()", diskKernel,
                 {.summary = "A dictionary of how many requests wait for the disk: none, for readers and writers "
                             "wait for it themselves.",
                  .example = "getDiskIOStat()"},
                 kReads);
    registry.add(
        "getConfig([key])", configKernel,
        {.summary = "What a setting of this process is, as STRING, NULL for one that is not known; without key "
                    "a dictionary of all.",
         .example = "getConfig(\"maxMemSize\")"},
        kReadsBeforeLogin);
    registry.alias("getConfigure", "getConfig");
    registry.add(
        "loadClusterNodesConfigs()", clusterSettingsKernel,
        {.summary = "The settings of this process as a STRING vector of name=value: all for administrators, for "
                    "others those that clients need before they log in.",
         .example = "loadClusterNodesConfigs()"},
        kReadsBeforeLogin);
    registry.add(
        "getHomeDir()", homeKernel,
        {.summary = "The data folder of this process; the working folder when it has none.", .example = "getHomeDir()"},
        kReads);
}

}  // namespace pelorus
