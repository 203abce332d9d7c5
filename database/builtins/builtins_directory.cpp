// Databases seen as folders, as the web client walks through them: getDFSDirectoryContent, getTablesByTabletChunk,
// readTabletChunk. A step of the path is one level of partitions; the last one is a table's short name, or with
// chunkGranularity DATABASE the partition itself.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/chunk_names.h"
#include "database/service/database_handle.h"
#include "database/service/node_identity.h"
#include "database/service/secured_objects.h"
#include "database/service/status_table.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/table/stored_table.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

enum class FileType : uint8_t { Directory = 0, Partition = 4 };

struct DirectoryEntry {
    FileType type = FileType::Directory;
    std::string chunks, sites;
};

std::string siteOf(Context& context, const PartitionEntry& partition, uint64_t version) {
    const auto* node = context.service<NodeIdentity>();
    return fmt::format("{}:{}:0", partition.node.empty() && node ? node->alias : partition.node, version);
}

// A partition of a table that the user may see.
struct SeenPartition {
    const TableEntry& table;
    const PartitionEntry& partition;
    std::string path;  // path of a file in the folder view
    std::string id;
    uint64_t version;
};

template <class Visit>
void forEachPartition(Context& context, Visit visit) {
    DatabaseService& databases = databasesOf(context);
    std::map<std::string, DatabaseEntry> known;
    for (const TableEntry& table : databases.catalog().allTables()) {
        if (!maySee(context, table)) continue;
        auto database = known.find(table.database);
        if (database == known.end())
            database = known.emplace(table.database, databases.catalog().database(table.database)).first;
        const bool sharesPartitions = database->second.chunkGranularity == "DATABASE";
        const auto snapshot = databases.open(database->second, table)->takeSnapshot();
        for (const size_t position : partitionsWithRows(*snapshot)) {
            const PartitionEntry& partition = snapshot->partitions()[position];
            context.checkCancelled();
            visit(SeenPartition{table, partition,
                                sharesPartitions ? partition.path : partition.path + "/" + physicalIndex(table.id),
                                chunkId(table.id, partition.path), snapshot->number()});
        }
    }
}

// getDFSDirectoryContent(path)
Value directoryKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "path must be a string, as in \"/TAQ/20240102\".");
    std::string path(arguments[0].string());
    if (path.starts_with("dfs:/")) path.erase(0, std::string_view("dfs:/").size());
    if (!path.starts_with('/')) path.insert(0, "/");
    if (!path.ends_with('/')) path += '/';
    std::map<std::string, DirectoryEntry> entries;
    forEachPartition(context, [&](const SeenPartition& seen) {
        if (!seen.path.starts_with(path)) return;
        const std::string rest = seen.path.substr(path.size());
        const size_t end = rest.find('/');
        DirectoryEntry& entry = entries[rest.substr(0, end)];
        if (end != std::string::npos || !entry.chunks.empty()) return;  // all tables of a partition share one entry
        entry = {FileType::Partition, seen.id, siteOf(context, seen.partition, seen.version)};
    });
    for (const std::string& database : visibleDatabases(context)) {
        const std::string below = database.substr(std::string_view("dfs:/").size()) + "/";
        if (below.starts_with(path) && below.size() > path.size())
            entries.try_emplace(below.substr(path.size(), below.find('/', path.size()) - path.size()));
    }
    std::vector<std::vector<Value>> rows;
    rows.reserve(entries.size());
    for (const auto& [name, entry] : entries) {
        rows.push_back({Value::ofString(name), Value::ofInt(static_cast<int32_t>(entry.type)), Value::ofLong(0),
                        Value::ofString(entry.chunks), Value::ofString(entry.sites)});
    }
    return statusTable({{"filename", Type::String},
                        {"filetype", Type::Int},
                        {"size", Type::Long},
                        {"chunks", Type::String},
                        {"sites", Type::String}},
                       rows);
}

std::string chunkArgument(const Value& id) {
    if (!id.isScalar() || (!isLiteral(id.type()) && id.type() != Type::Uuid))
        throw UserError(0, "chunkId must be the id of a chunk.", "getDFSDirectoryContent and getChunksMeta tell ids.");
    return toString(id);
}

// getTablesByTabletChunk(chunkId)
Value tablesOfChunkKernel(Context& context, Arguments arguments) {
    const std::string wanted = chunkArgument(arguments[0]);
    std::string file, database;
    std::map<std::string, std::vector<std::string>> tables;  // names of tables by database and file
    forEachPartition(context, [&](const SeenPartition& seen) {
        tables[seen.table.database + seen.path].push_back(seen.table.name);
        if (seen.id == wanted) file = seen.table.database + seen.path;
    });
    std::vector<std::string> names = file.empty() ? std::vector<std::string>() : tables[file];
    std::sort(names.begin(), names.end());
    return Value::of(Vector::ofStrings(names));
}

int64_t countArgument(const Value& given, int argument, const char* name) {
    if (!given.isNumber() || given.isNull() || given.asLong() < 0)
        throw UserError(argument, fmt::format("{} must be a number of rows.", name));
    return given.asLong();
}

// Reads rows [first, first + count) of a partition, block by block.
Ref<MemoryTable> rowsOf(const PartitionReader& reader, const TableSchema& columns, int64_t first, int64_t count) {
    Ref<MemoryTable> rows = MemoryTable::empty(columns);
    int64_t blockStart = 0;
    for (int block = 0; block < reader.blockCount() && count > 0; ++block) {
        const int64_t blockRows = reader.blockRows(block);
        const int64_t from = std::max<int64_t>(0, first - blockStart);
        blockStart += blockRows;
        if (from >= blockRows) continue;
        const int64_t taken = std::min(blockRows - from, count);
        std::vector<int64_t> positions(static_cast<size_t>(taken));
        std::iota(positions.begin(), positions.end(), from);
        std::vector<std::string> names;
        std::vector<Value> values;
        for (size_t c = 0; c < columns.size(); ++c) {
            names.push_back(columns[c].name);
            values.push_back(gatherElements(reader.read(block, static_cast<int>(c)), positions.data(), taken));
        }
        rows->append(*makeRef<MemoryTable>(std::move(names), std::move(values)));
        count -= taken;
        first += taken;
    }
    return rows;
}

// readTabletChunk(chunkId, dbUrl, chunkPath, tableName, offset, length, [cid])
Value readChunkKernel(Context& context, Arguments arguments) {
    const std::string wanted = chunkArgument(arguments[0]);
    const std::string path = givenDatabasePath(context, arguments[1], 1);
    const std::string name = nameArgument(arguments[3], 3, "tableName");
    const int64_t offset = countArgument(arguments[4], 4, "offset"), length = countArgument(arguments[5], 5, "length");
    DatabaseService& databases = databasesOf(context);
    const TableEntry entry = visibleTable(context, path, name);
    const DatabaseEntry database = databases.catalog().database(path);
    const Ref<PartitionedTable> table = databases.open(database, entry);
    const auto snapshot = table->snapshot(context.principal());
    const std::string file = arguments[2].isString() ? std::string(arguments[2].string()) : "";
    for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
        const std::string& partition = snapshot->partitions()[p].path;
        // The chunk of a partition that several tables share has the id of one of them.
        const bool isShared = database.chunkGranularity == "DATABASE" && file == partition;
        if (chunkId(entry.id, partition) == wanted || isShared)
            return Value::of(Ref<Table>(rowsOf(*snapshot->open(p), table->columns(), offset, length)));
    }
    throw UserError(0, fmt::format("The table {} of {} has no chunk {}.", name, path, wanted),
                    "getDFSDirectoryContent and getChunksMeta tell ids.");
}

}  // namespace

void registerDirectoryBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("getDFSDirectoryContent(path)", directoryKernel,
                 {.summary = "The databases and partitions right below a path, as a table: filename, filetype (0 a "
                             "folder, 4 a partition), size, chunks, sites.",
                  .parameters = "path: as in \"/\", \"/TAQ\" or \"/TAQ/20240102/\"; `dfs:/` may stand before it",
                  .units = "size is 0; getTabletsMeta tells the bytes",
                  .errors = "path is no string.",
                  .example = "getDFSDirectoryContent(\"/TAQ\")"},
                 kReads);
    registry.add("getTablesByTabletChunk(chunkId)", tablesOfChunkKernel,
                 {.summary = "The names of the tables with rows in a chunk; empty when there is no such chunk.",
                  .parameters = "chunkId: as getDFSDirectoryContent tells it, a string or UUID",
                  .errors = "chunkId is neither.",
                  .example = "getTablesByTabletChunk(first(exec chunkId from getChunksMeta(\"/TAQ/20240102\")))"},
                 kReads);
    registry.add(
        "readTabletChunk(chunkId, dbUrl, chunkPath, tableName, offset, length, [cid=-1])", readChunkKernel,
        {.summary = "Rows of one chunk of a table that this node keeps, in the order in which they are stored.",
         .parameters = "chunkPath: the partition, as getDFSDirectoryContent names it\noffset: the first row, "
                       "from 0\nlength: at most so many rows\ncid: taken; the newest version is read",
         .errors = "There is no such database, table or chunk; another node keeps it; the user may not read "
                   "the table.",
         .example = "id = first(exec chunkId from getTabletsMeta(\"/TAQ/20240102\", \"trades\")); readTabletChunk(id, "
                    "\"dfs://TAQ\", \"/TAQ/20240102\", \"trades\", 0, 100)"},
        kReads);
}

}  // namespace pelorus
