// Functions that list the chunks of the nodes: getTabletsMeta, getClusterChunksStatus, getTSDBMetaData.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "database/builtins/builtins_database.h"
#include "database/service/chunk_names.h"
#include "database/service/database_handle.h"
#include "database/service/node_identity.h"
#include "database/service/secured_objects.h"
#include "database/service/status_table.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/prepared_commits.h"
#include "storage/folder/local_storage.h"
#include "storage/folder/maintenance.h"
#include "storage/folder/quarantine.h"
#include "storage/row_table/row_table.h"
#include "storage/segment/segment.h"
#include "storage/version/version_set.h"

namespace pelorus {

namespace {

std::string nodeAlias(Context& context) {
    const auto* node = context.service<NodeIdentity>();
    return node ? node->alias : "";
}

Value uuid(const std::string& string) {
    return cast(Value::ofString(string), Type::Uuid);
}

bool isLikeAny(const std::string& string, const Value& patterns) {
    auto matches = [&](const Value& pattern) {
        std::string like(pattern.string());
        std::replace(like.begin(), like.end(), '*', '%');
        return isTrue(isLike(Value::ofString(string), Value::ofString(like)));
    };
    if (patterns.isScalar()) return matches(patterns);
    for (int64_t i = 0; i < patterns.size(); ++i) {
        checkCancelled();
        if (matches(patterns.at(i))) return true;
    }
    return false;
}

// Returns the tables that the user may see, by the number that chunks carry.
std::map<uint64_t, TableEntry> tablesById(Context& context) {
    std::map<uint64_t, TableEntry> tables;
    for (TableEntry& table : databasesOf(context).catalog().allTables()) {
        if (maySee(context, table)) tables.emplace(table.id, std::move(table));
    }
    return tables;
}

// Returns "/TAQ/20070801/A_D": a chunk itself has only the part after the database.
std::string wholePath(const TableEntry& table, const std::string& path) {
    return "/" + table.database.substr(std::string_view("dfs://").size()) + path;
}

std::set<uint64_t> filesOf(const ChunkVersion& version, std::string* folder = nullptr) {
    std::set<uint64_t> files;
    for (const ChunkPart& part : version.parts) {
        if (!part.segment) continue;
        files.insert(part.segment->file()->number());
        const std::string& path = part.segment->file()->path();
        if (folder) *folder = path.substr(0, path.rfind('/'));
    }
    return files;
}

// getTabletsMeta([chunkPath], [tableName], [diskUsage], [top])
Value tabletsKernel(Context& context, Arguments arguments) {
    const auto given = [&](size_t i) { return !isOmitted(arguments[i]) && !arguments[i].isVoid(); };
    const bool patterns = arguments[0].isString() || (arguments[0].isTypedVector() && isLiteral(arguments[0].type()));
    if (given(0) && !patterns) throw UserError(0, "chunkPath must be a pattern, or several.");
    if (given(3) && (!arguments[3].isNumber() || arguments[3].isNull())) throw UserError(3, "top must be a number.");
    if (given(1) && !arguments[1].isString()) throw UserError(1, "tableName must be a STRING.");
    const bool diskUsage = given(2) && isTrue(arguments[2]);
    const int64_t top = given(3) ? arguments[3].asLong() : 1024;
    TableSchema schema = {{"chunkId", Type::Uuid},      {"path", Type::String},
                          {"dfsPath", Type::String},    {"tableName", Type::String},
                          {"version", Type::Int},       {"rowNum", Type::Long},
                          {"createCids", Type::String}, {"latestPhysicalDir", Type::String}};
    if (diskUsage) schema.push_back({"diskUsage", Type::Long});
    const std::map<uint64_t, TableEntry> tables = tablesById(context);
    std::vector<std::vector<Value>> rows;
    for (const VersionSet::State& chunk : databasesOf(context).ownStorage().versions().state()) {
        const auto table = tables.find(chunk.identity->table);
        // Rows of a dropped table may still be in removal.
        if (table == tables.end() || !chunk.version || chunk.version->rowCount == 0) continue;
        const std::string& name = table->second.name;
        const std::string path = wholePath(table->second, chunk.identity->path);
        if (given(0) && !isLikeAny(path, arguments[0])) continue;
        if (given(1) && name != arguments[1].string()) continue;
        if (top >= 0 && static_cast<int64_t>(rows.size()) == top) break;
        const ChunkVersion& version = *chunk.version;
        std::string folder;
        filesOf(version, &folder);
        std::vector<Value> row;
        row.reserve(9);
        row = {uuid(chunkId(chunk.identity->table, path)),
               Value::ofString(folder),
               Value::ofString(path),
               Value::ofString(name),
               Value::ofInt(static_cast<int32_t>(version.since)),
               Value::ofLong(version.rowCount),
               Value::ofString(fmt::format("[{}]", version.since)),
               Value::ofString("")};
        if (diskUsage) {
            int64_t bytes = 0;
            for (const ChunkPart& part : version.parts) {
                if (part.segment) bytes += static_cast<int64_t>(part.segment->location().sizeBytes);
            }
            row.push_back(Value::ofLong(bytes));
        }
        rows.push_back(std::move(row));
    }
    return statusTable(schema, rows);
}

// getChunksMeta([chunkPath], [top])
Value chunksKernel(Context& context, Arguments arguments) {
    const auto given = [&](size_t i) { return !isOmitted(arguments[i]) && !arguments[i].isVoid(); };
    const bool patterns = arguments[0].isString() || (arguments[0].isTypedVector() && isLiteral(arguments[0].type()));
    if (given(0) && !patterns) throw UserError(0, "chunkPath must be a pattern, or several.");
    if (given(1) && (!arguments[1].isNumber() || arguments[1].isNull())) throw UserError(1, "top must be a number.");
    const int64_t top = given(1) ? arguments[1].asLong() : 1024;
    const TableSchema schema = {{"site", Type::String},        {"chunkId", Type::Uuid}, {"path", Type::String},
                                {"dfsPath", Type::String},     {"type", Type::Int},     {"flag", Type::Int},
                                {"size", Type::Long},          {"version", Type::Int},  {"state", Type::Int},
                                {"versionList", Type::String}, {"resolved", Type::Bool}};
    const std::map<uint64_t, TableEntry> tables = tablesById(context);
    std::vector<std::vector<Value>> rows;
    for (const VersionSet::State& chunk : databasesOf(context).ownStorage().versions().state()) {
        const auto table = tables.find(chunk.identity->table);
        if (table == tables.end() || !chunk.version || chunk.version->rowCount == 0) continue;
        const std::string path = wholePath(table->second, chunk.identity->path);
        if (given(0) && !isLikeAny(path, arguments[0])) continue;
        if (top >= 0 && static_cast<int64_t>(rows.size()) == top) break;
        const ChunkVersion& version = *chunk.version;
        std::string folder;
        filesOf(version, &folder);
        // An uncommitted transaction has no version yet: every chunk here is in its final state.
        rows.push_back({Value::ofString(nodeAlias(context)), uuid(chunkId(chunk.identity->table, path)),
                        Value::ofString(folder), Value::ofString(path), Value::ofInt(1), Value::ofInt(0),
                        Value::ofLong(0), Value::ofInt(static_cast<int32_t>(version.since)), Value::ofInt(0),
                        Value::ofString(fmt::format("cid : {},{}=>{}:{}; # ", version.since, table->second.name,
                                                    version.since, version.rowCount)),
                        Value::ofBool(false)});
    }
    return statusTable(schema, rows);
}

// getTSDBMetaData(): the files of each chunk of a table whose database says TSDB.
Value tsdbKernel(Context& context, Arguments) {
    const TableSchema schema = {{"chunkId", Type::Uuid},
                                {"chunkPath", Type::String},
                                {"level", Type::Int},
                                {"table", Type::String},
                                {"files", Type::String}};
    const std::map<uint64_t, TableEntry> tables = tablesById(context);
    std::vector<std::vector<Value>> rows;
    for (const VersionSet::State& chunk : databasesOf(context).ownStorage().versions().state()) {
        const auto table = tables.find(chunk.identity->table);
        if (table == tables.end() || !chunk.version) continue;
        if (databasesOf(context).catalog().database(table->second.database).engine != "TSDB") continue;
        std::string folder;
        const std::set<uint64_t> files = filesOf(*chunk.version, &folder);
        if (files.empty()) continue;
        rows.push_back({uuid(chunkId(chunk.identity->table, wholePath(table->second, chunk.identity->path))),
                        Value::ofString(folder), Value::ofInt(0), Value::ofString(table->second.name),
                        Value::ofString(fmt::format("{}", fmt::join(files, ",")))});
    }
    return statusTable(schema, rows);
}

// getColumnStorage(dbUrl, tableName)
Value columnStorageKernel(Context& context, Arguments arguments) {
    DatabaseService& databases = databasesOf(context);
    const TableEntry entry =
        visibleTable(context, givenDatabasePath(context, arguments[0], 0), nameArgument(arguments[1], 1, "tableName"));
    std::map<std::string, std::pair<int64_t, int64_t>> stored;  // rows and bytes by column
    for (const VersionSet::State& chunk : databases.ownStorage().versions().state()) {
        if (chunk.identity->table != entry.id || !chunk.version) continue;
        for (const ChunkPart& part : chunk.version->parts) {
            if (!part.segment) continue;
            const TableSchema& columns = part.segment->columns();
            for (size_t c = 0; c < columns.size(); ++c) {
                auto& [rows, bytes] = stored[columns[c].name];
                rows += part.rowCount;
                bytes += part.segment->columnBytes(static_cast<int>(c));
            }
        }
    }
    const TableSchema known = entry.storedSchema();
    std::vector<std::vector<Value>> rows;
    for (size_t c = 0; c < entry.schema.size(); ++c) {
        const auto& [count, bytes] = stored[known[c].name];
        rows.push_back({Value::ofString(entry.schema[c].name),
                        Value::ofString(std::string(typeName(entry.schema[c].type))),
                        Value::ofString(c < entry.compressMethods.size() ? entry.compressMethods[c] : "lz4"),
                        Value::ofLong(count), Value::ofLong(bytes),
                        count == 0 ? Value::nullOf(Type::Double)
                                   : Value::ofDouble(static_cast<double>(bytes) / static_cast<double>(count))});
    }
    return statusTable({{"name", Type::String},
                        {"typeString", Type::String},
                        {"compressMethod", Type::String},
                        {"rows", Type::Long},
                        {"bytes", Type::Long},
                        {"bytesPerRow", Type::Double}},
                       rows);
}

// checkTables([dbUrl], [tableName]): all rows of this node are read and decoded.
Value checkTablesKernel(Context& context, Arguments arguments) {
    const std::string database = arguments[0].isVoid() ? "" : givenDatabasePath(context, arguments[0], 0);
    const std::string only = arguments[1].isVoid() ? "" : nameArgument(arguments[1], 1, "tableName");
    if (!database.empty() && !only.empty()) visibleTable(context, database, only);
    const std::map<uint64_t, TableEntry> tables = tablesById(context);
    std::vector<std::vector<Value>> rows;
    for (const VersionSet::State& chunk : databasesOf(context).ownStorage().versions().state()) {
        const auto table = tables.find(chunk.identity->table);
        if (table == tables.end() || !chunk.version) continue;
        if (!database.empty() && table->second.database != database) continue;
        if (!only.empty() && table->second.name != only) continue;
        for (const ChunkPart& part : chunk.version->parts) {
            if (!part.segment) continue;
            try {
                part.segment->verify();
            } catch (const SystemError& damage) {
                rows.push_back({Value::ofString(table->second.database), Value::ofString(table->second.name),
                                Value::ofString(wholePath(table->second, chunk.identity->path)),
                                Value::ofString(part.segment->file()->path()), Value::ofString(damage.what())});
            }
        }
    }
    for (const auto& [id, entry] : tables) {
        if (!entry.rowTable || (!database.empty() && entry.database != database) ||
            (!only.empty() && entry.name != only))
            continue;
        DatabaseService& service = databasesOf(context);
        const Ref<PartitionedTable> table = service.open(service.catalog().database(entry.database), entry);
        for (const std::string& wrong : dynamic_cast<const RowTable&>(*table).check()) {
            rows.push_back({Value::ofString(entry.database), Value::ofString(entry.name), Value::ofString("/"),
                            Value::ofString(""), Value::ofString(wrong)});
        }
    }
    return statusTable({{"dbName", Type::String},
                        {"tableName", Type::String},
                        {"chunkPath", Type::String},
                        {"file", Type::String},
                        {"damage", Type::String}},
                       rows);
}

// State of this node's chunks; their readers ask other nodes. Snapshots are consistent all the same.
std::string stateOf(DatabaseService& databases, const TableEntry& table, const PartitionEntry& partition) {
    if (!partition.node.empty()) return "COMPLETE";
    const size_t prefix = table.database.substr(std::string_view("dfs://").size()).size() + 1;
    return databases.ownStorage().commits().chunkState(table.id, partition.path.substr(prefix));
}

// getOLAPCacheEngineStat(): the chunks that have rows in the write cache, which serves all engines. WAL-02.
Value cacheStatKernel(Context& context, Arguments) {
    const TableSchema schema = {{"chunkId", Type::Uuid},
                                {"physicalName", Type::String},
                                {"timeSinceLastWrite", Type::Long},
                                {"cachedRowsOfCompletedTxn", Type::Long},
                                {"cachedRowsOfUncompletedTxn", Type::Long},
                                {"cachedMemOfCompletedTxn", Type::Long},
                                {"cachedMemOfUncompletedTxn", Type::Long},
                                {"cachedTids", Type::String}};
    DatabaseService& databases = databasesOf(context);
    std::map<uint64_t, TableEntry> tables;
    for (TableEntry& entry : databases.catalog().allTables()) tables.emplace(entry.id, std::move(entry));
    std::vector<std::vector<Value>> rows;
    for (const VersionSet::State& chunk : databases.ownStorage().versions().state()) {
        if (!chunk.version || chunk.version->cachedRows == 0) continue;
        const auto table = tables.find(chunk.identity->table);
        const std::string name = table == tables.end() ? "" : table->second.name;
        const std::string path =
            table == tables.end() ? "" : table->second.database.substr(std::string_view("dfs:/").size());
        rows.push_back({uuid(chunkId(chunk.identity->table, path + chunk.identity->path)), Value::ofString(name),
                        Value::nullOf(Type::Long), Value::ofLong(chunk.version->cachedRows), Value::ofLong(0),
                        Value::ofLong(chunk.version->cachedBytes), Value::ofLong(0),
                        Value::ofString(std::to_string(chunk.version->since))});
    }
    return statusTable(schema, rows);
}

// getRedoLogGCStat(): tables with rows that only the log and the write cache hold. Files of the log are removed by a
// checkpoint, all at once, so no single transaction waits for that. WAL-03.
Value logStatKernel(Context& context, Arguments) {
    const TableSchema schema = {{"physicalName", Type::String},       {"txnCount", Type::Long},
                                {"numOfTxnPendingGC", Type::Long},    {"minTidPendingGC", Type::Long},
                                {"numOfTxnPendingFlush", Type::Long}, {"minTidPendingFlush", Type::Long}};
    struct Pending {
        int64_t count = 0;
        uint64_t oldest = UINT64_MAX;
    };
    const std::map<uint64_t, TableEntry> tables = tablesById(context);
    std::map<std::string, Pending> pending;
    for (const VersionSet::State& chunk : databasesOf(context).ownStorage().versions().state()) {
        const auto table = tables.find(chunk.identity->table);
        if (!chunk.version || chunk.version->cachedRows == 0 || table == tables.end()) continue;
        Pending& own = pending[wholePath(table->second, "/" + table->second.name)];
        for (const ChunkPart& part : chunk.version->parts) own.count += part.segment == nullptr;
        own.oldest = std::min(own.oldest, chunk.version->since);
    }
    std::vector<std::vector<Value>> rows;
    for (const auto& [name, own] : pending) {
        rows.push_back({Value::ofString(name), Value::ofLong(own.count), Value::ofLong(0), Value::nullOf(Type::Long),
                        Value::ofLong(own.count), Value::ofLong(static_cast<int64_t>(own.oldest))});
    }
    return statusTable(schema, rows);
}

// getTransactionStatus(): in-doubt transactions over several nodes. Others end with the call that makes them.
Value transactionsKernel(Context& context, Arguments) {
    const TableSchema schema = {{"tid", Type::Long},           {"startTime", Type::Timestamp},
                                {"type", Type::String},        {"status", Type::String},
                                {"partitionCount", Type::Int}, {"endTime", Type::Timestamp},
                                {"elapsedTime", Type::Long}};
    std::vector<std::vector<Value>> rows;
    for (const auto& open : databasesOf(context).ownStorage().prepared().openTransactions()) {
        rows.push_back({Value::ofLong(static_cast<int64_t>(open.number)), Value::nullOf(Type::Timestamp),
                        Value::ofString("APPEND"), Value::ofString("BEGIN"),
                        Value::ofInt(static_cast<int32_t>(open.chunks)), Value::nullOf(Type::Timestamp),
                        Value::nullOf(Type::Long)});
    }
    return statusTable(schema, rows);
}

// getQuarantine(): chunks in quarantine on this node, because its cluster does not know them.
Value quarantineKernel(Context& context, Arguments) {
    const TableSchema schema = {{"name", Type::String}, {"folder", Type::String}, {"tableId", Type::Long},
                                {"path", Type::String}, {"rows", Type::Long},     {"reason", Type::String}};
    const LocalStorage& storage = databasesOf(context).ownStorage();
    std::vector<std::vector<Value>> rows;
    for (const QuarantinedRows& kept : quarantined(storage, FileSystem::posix())) {
        rows.push_back({Value::ofString(kept.name), Value::ofString(quarantineFolder(storage)),
                        Value::ofLong(static_cast<int64_t>(kept.table)), Value::ofString(kept.path),
                        Value::ofLong(kept.rows), Value::ofString(kept.reason)});
    }
    return statusTable(schema, rows);
}

// Returns the nodes that keep a partition, each as "node1:version:0".
std::string replicasString(const TableSnapshot& snapshot, size_t position, const std::string& self, int32_t version,
                           int32_t& count, bool& isCopied) {
    std::vector<std::string> nodes{self};
    if (const auto* remote = dynamic_cast<const RemotePartitions*>(&snapshot)) {
        const RemotePartitions::Replicas replicas = remote->replicasOf(position);
        nodes = replicas.nodes;
        isCopied = !replicas.learners.empty();
    }
    count = static_cast<int32_t>(nodes.size());
    std::string string;
    for (const std::string& node : nodes) string += fmt::format("{}{}:{}:0", string.empty() ? "" : ",", node, version);
    return string;
}

// getClusterChunksStatus(): every partition of every table, with the nodes that keep it.
Value chunksStatusKernel(Context& context, Arguments) {
    const TableSchema schema = {
        {"chunkId", Type::Uuid},          {"file", Type::String},      {"size", Type::Long},
        {"version", Type::Int},           {"vcLength", Type::Int},     {"versionChain", Type::String},
        {"state", Type::String},          {"replicas", Type::String},  {"replicaCount", Type::Int},
        {"lastUpdated", Type::Timestamp}, {"permission", Type::String}};
    DatabaseService& databases = databasesOf(context);
    std::vector<std::vector<Value>> rows;
    for (const TableEntry& entry : databases.catalog().allTables()) {
        if (!maySee(context, entry)) continue;
        const Ref<PartitionedTable> table = databases.open(databases.catalog().database(entry.database), entry);
        const std::shared_ptr<TableSnapshot> snapshot = table->takeSnapshot();
        for (const size_t position : partitionsWithRows(*snapshot)) {
            const PartitionEntry& partition = snapshot->partitions()[position];
            int32_t count = 0;
            bool isCopied = false;
            const auto version = static_cast<int32_t>(snapshot->number());
            const std::string nodes = replicasString(*snapshot, position, nodeAlias(context), version, count, isCopied);
            rows.push_back({uuid(chunkId(entry.id, partition.path)), Value::ofString(partition.path), Value::ofLong(0),
                            Value::ofInt(version), Value::ofInt(1),
                            Value::ofString(fmt::format("{}:0:{}", version, version)),
                            Value::ofString(isCopied ? "RECOVERING" : stateOf(databases, entry, partition)),
                            Value::ofString(nodes), Value::ofInt(count), Value::nullOf(Type::Timestamp),
                            Value::ofString("READ_WRITE")});
        }
    }
    return statusTable(schema, rows);
}

// triggerTSDBCompaction(chunkId, [level]), triggerPKEYCompaction(chunkId, [async]): due merges are done now, in these
// chunks as in others.
Value compactKernel(Context& context, Arguments arguments) {
    const Value& wanted = arguments[0];
    if (!isLiteral(wanted.type()) && wanted.type() != Type::Uuid)
        throw UserError(0, "chunkId must be the id of a chunk.");
    LocalStorage& storage = databasesOf(context).ownStorage();
    std::set<std::string> known;
    const std::map<uint64_t, TableEntry> tables = tablesById(context);
    for (const VersionSet::State& chunk : storage.versions().state()) {
        const auto table = tables.find(chunk.identity->table);
        if (table != tables.end()) known.insert(chunkId(table->first, wholePath(table->second, chunk.identity->path)));
    }
    for (int64_t i = 0; i < wanted.size(); ++i) {
        const std::string id = toString(wanted.isScalar() ? wanted : wanted.at(i));
        if (!known.contains(id))
            throw UserError(0, "This node keeps no chunk " + id + ".", "getChunksMeta() lists them.");
    }
    storage.maintenance().flush();
    storage.maintenance().compact();
    return {};
}

// Functions of other parts of the reference that cannot work here: they throw when called, so that modules that name
// them load.
[[noreturn]] void refuse(std::string_view what, std::string_view instead) {
    throw UserError(std::string(what), std::string(instead));
}
Value loadColumnKernel(Context&, Arguments) {
    refuse("A column has no file of its own here: rows of a chunk lie in segment files.",
           "Read the column with select from loadTable.");
}
Value levelFileKernel(Context&, Arguments) {
    refuse("There are no level files here: rows of a chunk lie in segment files.",
           "Read the rows with select from loadTable.");
}

}  // namespace

void registerChunkBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("getTabletsMeta([chunkPath], [tableName], [diskUsage=false], [top=1024])", tabletsKernel,
                 {.summary = "A table of the chunks with rows that this node keeps.",
                  .parameters = "chunkPath: patterns with %, * and ?\ndiskUsage: whether to add the bytes in segment "
                                "files\ntop: at most so many rows, -1 for all",
                  .units = "diskUsage in bytes",
                  .example = "select dfsPath, rowNum, diskUsage from getTabletsMeta(\"/TAQ/%\", \"trades\", true)"},
                 kReads);
    registry.add("getChunksMeta([chunkPath], [top=1024])", chunksKernel,
                 {.summary = "A table of the chunks with rows that this node keeps, with their state.",
                  .parameters = "chunkPath: patterns with %, * and ?\ntop: at most so many rows, -1 for all",
                  .units = "size is 0; getTabletsMeta tells the bytes",
                  .example = "select dfsPath, state from getChunksMeta(\"/TAQ/%\")"},
                 kReads);
    registry.add("triggerTSDBCompaction(chunkId, [level=0])", compactKernel,
                 {.summary = "Writes rows in memory to files and merges small files, in the chunk and in others.",
                  .parameters = "level: taken; files have no levels",
                  .errors = "This node has no such chunk.",
                  .example = "triggerTSDBCompaction(first(exec chunkId from getChunksMeta(\"/ticks/20240102\")))"});
    registry.add("triggerPKEYCompaction(chunkId, [async=true])", compactKernel,
                 {.summary = "Writes rows in memory to files and merges small files, in the chunks and in others.",
                  .parameters = "async: taken; the call returns when it is done",
                  .errors = "This node has no such chunk.",
                  .example = "triggerPKEYCompaction(exec chunkId from getChunksMeta(\"/orders/%\"))"});
    registry.add("getTSDBMetaData()", tsdbKernel,
                 {.summary = "A table of the segment files of chunks of TSDB databases that this node keeps.",
                  .example = "getTSDBMetaData()"},
                 kReads);
    registry.add(
        "getColumnStorage(dbUrl, tableName)", columnStorageKernel,
        {.summary = "A table of what each column of a table takes in the segment files of this node, and how "
                    "it is compressed.",
         .units = "bytes; rows in the write cache do not count",
         .errors = "There is no such database or table.",
         .example = "select name, compressMethod, bytesPerRow from getColumnStorage(\"dfs://TAQ\", \"trades\")"},
        kReads);
    registry.add(
        "checkTables([dbUrl], [tableName])", checkTablesKernel,
        {.summary = "Reads and decodes every block that this node keeps, and compares its checksum; a table of "
                    "what is damaged, empty when all is well.",
         .parameters = "dbUrl: only this database\ntableName: only this table",
         .example = "checkTables(\"dfs://TAQ\")"},
        kReads);
    registry.add("getOLAPCacheEngineStat()", cacheStatKernel,
                 {.summary = "The partitions of this node that have rows in the write cache, with the number and bytes "
                             "of these and the newest transaction.",
                  .example = "getOLAPCacheEngineStat()"},
                 kReads);
    registry.alias("getCacheEngineStat", "getOLAPCacheEngineStat");
    registry.add("getRedoLogGCStat()", logStatKernel,
                 {.summary = "The tables of this node with rows that are in the log and the write cache only, and how "
                             "many writes these came by.",
                  .example = "getRedoLogGCStat()"},
                 kReads);
    registry.add("getTransactionStatus()", transactionsKernel,
                 {.summary = "The transactions over several nodes that this node waits to be decided, as a table.",
                  .example = "getTransactionStatus()"},
                 kReads);
    registry.add("getQuarantine()", quarantineKernel,
                 {.summary = "The partitions that this node keeps aside because its cluster does not know them: "
                             "loadTable(folder, name) reads one.",
                  .example = "select folder, name, path, rows, reason from getQuarantine()"},
                 kReads);
    registry.add("getClusterChunksStatus()", chunksStatusKernel,
                 {.summary = "A table of all partitions of all tables, with the nodes that keep them.",
                  .example = "select file, replicas, state from getClusterChunksStatus() where file like \"/TAQ/%\""},
                 kReads);
    constexpr std::string_view kAlways = "Always: it says what to use instead.";
    registry.add(
        "loadColumn(dbHandle, tableName, path, [symbolBase])", loadColumnKernel,
        {.summary = "A column from a file of its own; there are none in this storage.",
         .parameters = "dbHandle, tableName, path, symbolBase: not read, for every call is an error",
         .errors = kAlways,
         .example = "exec price from loadTable(\"dfs://TAQ\", \"trades\") where date = 2024.01.02  // in its place"},
        kReads);
    registry.add(
        "getLevelFileData(path)", levelFileKernel,
        {.summary = "The rows of a level file; there are none in this storage.",
         .errors = kAlways,
         .example = "select * from loadTable(\"dfs://TAQ\", \"trades\") where date = 2024.01.02  // in its place"},
        kReads);
}

}  // namespace pelorus
