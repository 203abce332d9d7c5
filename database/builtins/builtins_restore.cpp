// Restore of backups into tables.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "database/backup/backup_arguments.h"
#include "database/backup/backup_folder.h"
#include "database/backup/backup_journal.h"
#include "database/service/database_handle.h"
#include "database/service/secured_objects.h"
#include "database/service/status_table.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"
#include "storage/version/version_set.h"

namespace pelorus {

namespace {

CatalogTable& catalogTable(const Value& table, int argument) {
    auto* found = table.isTable() ? dynamic_cast<CatalogTable*>(&table.table()) : nullptr;
    if (found == nullptr)
        throw UserError(argument, "outputTable must be a partitioned table, as loadTable returns it.");
    return *found;
}

// Returns the position in a snapshot's list of the partition that has this path within its database.
std::optional<size_t> findPartition(const TableSnapshot& snapshot, const std::string& database,
                                    const std::string& path) {
    const std::string whole = "/" + database.substr(std::string_view("dfs://").size()) + path;
    for (size_t i = 0; i < snapshot.partitions().size(); ++i) {
        if (snapshot.partitions()[i].path == whole) return i;
    }
    return std::nullopt;
}

void checkScheme(const TableDescription& backup, const CatalogTable& target) {
    const auto& from = backup.database.scheme.levels();
    const auto& to = target.database().scheme.levels();
    bool same = from.size() == to.size() && backup.database.engine == target.database().engine &&
                backup.table.partitionColumns == target.entry().partitionColumns;
    for (size_t i = 0; same && i < from.size(); ++i) {
        same = from[i].kind() == to[i].kind() &&
               (from[i].kind() == PartitionKind::Value || identical(from[i].scheme(), to[i].scheme()));
    }
    if (same && backup.table.encryptMode != target.entry().encryptMode)
        throw UserError(fmt::format("The table {} of {} is not encrypted in the way of the table that was backed up.",
                                    target.name, target.databasePath()),
                        "Restore it into a table with the same encryptMode; migrate makes one.");
    if (same) return;
    throw UserError(fmt::format("The backup of {} has another engine, scheme or partition columns than {} of {}.",
                                backup.table.name, target.name, target.databasePath()),
                    "Restore it into a database like the one it was made of; migrate makes one.");
}

// Replaces the rows of one partition, or appends to it.
void putBack(CatalogTable& target, const ChunkBackup& chunk, const Ref<MemoryTable>& rows, bool append) {
    const PartitionedRows cut = cutByPartition(*rows, target.entry(), target.scheme(), false);
    if (cut.report.outsideScheme > 0) {
        throw UserError(fmt::format("The partition {} of the backup has rows that no partition of {} takes: {}.",
                                    chunk.path, target.databasePath(), cut.report.firstOutside),
                        "Add the partitions with addValuePartitions or addRangePartitions first.");
    }
    for (;;) {
        const std::shared_ptr<TableSnapshot> snapshot = target.takeSnapshot();
        const std::optional<size_t> partition = findPartition(*snapshot, target.databasePath(), chunk.path);
        if (append || !partition) {
            target.append(*rows);
            return;
        }
        if (target.replace(*snapshot, {{*partition, rows}})) return;  // otherwise it has changed meanwhile: try again
    }
}

struct RestoreOptions {
    std::string pattern = "%";
    bool force = false;
    bool parallel = false;
    bool snapshot = false;  // partitions that the backup lacks are removed
    bool toOutput = false;  // restores into another table than the one that was backed up
};

// Returns the paths of the partitions that were restored.
std::vector<std::string> restoreTable(Context& context, const TableBackup& backup, CatalogTable& target,
                                      const RestoreOptions& options) {
    DatabaseService& service = databasesOf(context);
    const TableDescription description = backup.description();
    checkScheme(description, target);
    // A restore reveals rows, so that it requires the right to read them.
    requireOnTable(context, description.table, Right::Read);
    target.require(context.principal(), Right::Insert);
    target.require(context.principal(), Right::Delete);
    const std::vector<ChunkBackup> all = backup.chunks();
    const bool isQuery = std::any_of(all.begin(), all.end(), [](const auto& c) { return c.kind == BackupKind::Query; });
    if (isQuery && options.snapshot) throw UserError("A backup of a query can't be restored with snapshot=true.");
    const bool sameTable = target.entry().id == description.table.id;
    const auto isUnchanged = [&](const ChunkBackup& chunk) {
        const VersionSet& versions = service.ownStorage().versions();
        const uint64_t id = versions.find(target.entry().id, chunk.path);
        const ChunkVersionRef now = id == 0 ? nullptr : versions.newest(id);
        return sameTable && !isQuery && now && now->since == chunk.version && now->rowCount == chunk.rows;
    };
    std::vector<ChunkBackup> chunks;
    for (const ChunkBackup& chunk : all) {
        if (isLikePath(description.table, chunk.path, options.pattern) && (options.force || !isUnchanged(chunk)))
            chunks.push_back(chunk);
    }
    BackupJournal::Entry entry(context.service<BackupJournal>(),
                               {.userId = context.principal().user(),
                                .type = isQuery ? "RESTORE_BY_SQL" : "RESTORE_BY_COPY_FILE",
                                .database = target.databasePath(),
                                .table = target.name,
                                .total = static_cast<int64_t>(chunks.size())});
    ProgressPhase progress(context.request->progress, "restore", ProgressUnit::Tasks,
                           static_cast<int64_t>(chunks.size()));
    AuditedData change(context, "RESTORE", target.databasePath(), target.name);
    const auto one = [&](int64_t i) {
        context.checkCancelled();
        const ChunkBackup& chunk = chunks[static_cast<size_t>(i)];
        putBack(target, chunk, backup.load(chunk), isQuery && options.toOutput);
        entry.completeOne();
        progress.add(1);
    };
    const auto count = static_cast<int64_t>(chunks.size());
    if (options.parallel) {
        parallelFor(count, one);
    } else {
        for (int64_t i = 0; i < count; ++i) one(i);
    }
    if (options.snapshot && options.pattern == "%") {
        std::set<std::string> kept;
        for (const ChunkBackup& chunk : all) kept.insert(chunk.path);
        std::vector<std::string> surplus;
        const size_t prefix = target.databasePath().size() - std::string_view("dfs://").size() + 1;
        const auto snapshot = target.takeSnapshot();
        for (const size_t position : partitionsWithRows(*snapshot)) {
            const PartitionEntry& partition = snapshot->partitions()[position];
            if (!kept.count(partition.path.substr(prefix))) surplus.push_back(partition.path.substr(prefix));
        }
        service.removePartitions(target.entry().id, surplus);
    }
    change.done(fmt::format("restoredPartitions={}", chunks.size()));
    std::vector<std::string> paths;
    for (const ChunkBackup& chunk : chunks) paths.push_back(chunkPathOf(target.entry(), chunk.path));
    return paths;
}

Value restoreKernel(Context& context, Arguments arguments) {
    const std::string path = givenDatabasePath(context, arguments[1], 1);
    const std::string name = nameArgument(arguments[2], 2, "tableName");
    TableBackup backup = backupPlace(context, arguments).backupOf(path, name);
    backup.description();  // throws when there is none
    backup.unlock(masterKeyFrom(context, arguments[8], 8));
    if (!arguments[3].isString()) throw UserError(3, "partition must be a path or a pattern, as in \"%/20240315/%\".");
    RestoreOptions options;
    options.pattern = arguments[3].string();
    options.force = isTrue(arguments[4]);
    options.toOutput = !arguments[5].isVoid();
    options.parallel = isTrue(arguments[6]);
    options.snapshot = isTrue(arguments[7]);
    const Value own = options.toOutput ? arguments[5] : openTable(context, path, name);
    return Value::of(Vector::ofStrings(restoreTable(context, backup, catalogTable(own, 5), options)));
}

// Opens the database and table, or makes them like those of the backup.
Value openOrCreate(Context& context, const TableDescription& backup, const std::string& path, const std::string& name) {
    DatabaseService& service = databasesOf(context);
    if (!service.catalog().findDatabase(path)) {
        DatabaseEntry database = backup.database;
        database.path = path;
        database.owner = context.principal().user();
        context.principal().require(Right::CreateDatabase, SecuredObject::ofDatabase(path, ""));
        AuditedData change(context, "CREATE_DB", path);
        service.catalog().createDatabase(database);
        change.done();
    }
    if (!service.catalog().findTable(path, name)) {
        requireOnDatabase(context, path, Right::CreateObject);
        TableEntry table = backup.table;
        table.database = path;
        table.name = name;
        table.owner = context.principal().user();
        // The backup has the columns of its time, under their names then.
        table.storedNames.clear();
        table.retiredNames.clear();
        table.newColumns = 0;
        if (table.rowTable) table.rowTable->foreignKeys.clear();  // the parents may have other rows now
        AuditedData change(context, table.partitionColumns.empty() ? "CREATE_TABLE" : "CREATE_PARTITIONED_TABLE", path,
                           name);
        service.createTable(std::move(table));
        change.done();
    }
    return openTable(context, path, name);
}

struct Move {
    TableBackup backup;
    std::string database;
    std::string table;
};

std::vector<Move> movesOf(const BackupPlace& place, const std::string& database, const std::string& table,
                          const std::string& newDatabase, const std::string& newTable) {
    std::vector<Move> moves;
    for (TableBackup& backup : place.backups()) {
        if (!database.empty() && backup.database() != database) continue;
        if (!table.empty() && backup.table() != table) continue;
        const std::string toDatabase = newDatabase.empty() ? backup.database() : newDatabase;
        const std::string toTable = newTable.empty() ? backup.table() : newTable;
        moves.push_back({std::move(backup), toDatabase, toTable});
    }
    if (!moves.empty()) return moves;
    throw UserError(0, "The folder " + place.folder + " has no backup of " +
                           (table.empty() ? "" : "the table " + table + " of ") +
                           (database.empty() ? "any database" : database) + ".");
}

void carryOut(Context& context, const std::optional<MasterKey>& key, Move& move) {
    requireOnTable(context, move.backup.description().table, Right::Read);  // before anything is made
    move.backup.unlock(key);
    const Value table = openOrCreate(context, move.backup.description(), move.database, move.table);
    RestoreOptions options;
    options.force = true;
    options.parallel = true;
    restoreTable(context, move.backup, catalogTable(table, 0), options);
}

std::string optionalName(const Value& value, int argument, std::string_view parameter) {
    return value.isVoid() ? "" : nameArgument(value, argument, parameter);
}
std::string optionalPath(const Context& context, const Value& value, int argument) {
    return value.isVoid() ? "" : givenDatabasePath(context, value, argument);
}

Value migrateKernel(Context& context, Arguments arguments) {
    const std::optional<MasterKey> key = masterKeyFrom(context, arguments[5], 5);
    std::vector<Move> moves =
        movesOf(backupPlace(context, arguments), optionalPath(context, arguments[1], 1),
                optionalName(arguments[2], 2, "backupTableName"), optionalPath(context, arguments[3], 3),
                optionalName(arguments[4], 4, "newTableName"));
    std::vector<std::vector<Value>> rows;
    for (Move& move : moves) {
        std::string problem;
        try {
            carryOut(context, key, move);
        } catch (const Error& error) {
            problem = error.what();
        }
        rows.push_back({Value::ofString(move.backup.database()), Value::ofString(move.backup.table()),
                        Value::ofInt(problem.empty()), Value::ofString(problem)});
    }
    return statusTable(
        {{"dbName", Type::String}, {"tableName", Type::String}, {"success", Type::Int}, {"errorMsg", Type::String}},
        rows);
}

Value restored(Context& context, const std::optional<MasterKey>& key, std::vector<Move> moves) {
    std::vector<std::vector<Value>> rows;
    for (Move& move : moves) {
        carryOut(context, key, move);
        rows.push_back({Value::ofString(move.database), Value::ofString(move.table)});
    }
    return statusTable({{"dbName", Type::String}, {"tableName", Type::String}}, rows);
}

Value restoreDBKernel(Context& context, Arguments arguments) {
    return restored(context, masterKeyFrom(context, arguments[3], 3),
                    movesOf(backupPlace(context, arguments), givenDatabasePath(context, arguments[1], 1), "",
                            optionalPath(context, arguments[2], 2), ""));
}

Value restoreTableKernel(Context& context, Arguments arguments) {
    return restored(context, masterKeyFrom(context, arguments[5], 5),
                    movesOf(backupPlace(context, arguments), givenDatabasePath(context, arguments[1], 1),
                            nameArgument(arguments[2], 2, "tableName"), optionalPath(context, arguments[3], 3),
                            optionalName(arguments[4], 4, "newTableName")));
}

}  // namespace

void registerRestore(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Files, Effect::Writes);
    registry.add(
        "restore(backupDir, dbPath, tableName, partition, [force=false], [outputTable], [parallel=false], "
        "[snapshot=false], [keyPath])",
        restoreKernel,
        {.summary = "Replaces partitions of a table by those of its backup, each as one transaction; returns "
                    "the paths of the partitions.",
         .parameters = "backupDir: the path of the folder of backups\n"
                       "dbPath: the database that was backed up\n"
                       "tableName: the table that was backed up\n"
                       "partition: a path, or a pattern with % and ?; \"%\" for all\n"
                       "force: also partitions that have not changed since the backup\n"
                       "outputTable: another table like it; what a query backed up is appended there\n"
                       "parallel: several partitions at once\n"
                       "snapshot: with \"%\", partitions that the backup has not go\n"
                       "keyPath: the file of the master key that an encrypted backup was made with",
         .errors = "There is no such backup, a file of it is damaged, or the table has another scheme.",
         .example = "restore(\"/backup/TAQ\", \"dfs://TAQ\", \"trades\", \"%20240102%\")"});
    registry.add(
        "migrate(backupDir, [backupDBPath], [backupTableName], [newDBPath], [newTableName], [keyPath])", migrateKernel,
        {.summary = "Restores all tables of a folder of backups, of one database or one table, and makes "
                    "databases and tables that are not there; a table of what became of each.",
         .parameters = "backupDir: the path of the folder of backups\n"
                       "backupDBPath: the database that was backed up; all when omitted\n"
                       "backupTableName: the table that was backed up; all when omitted\n"
                       "newDBPath: the database to restore to; that of the backup when omitted\n"
                       "newTableName: the table to restore to; that of the backup when omitted\n"
                       "keyPath: the path of the file of the master key that an encrypted backup was made with",
         .errors = "The folder has no such backup.",
         .example = "migrate(\"/backup/TAQ\", \"dfs://TAQ\", \"quotes\", \"dfs://TAQ_moved\")"});
    registry.add(
        "restoreDB(backupDir, dbPath, [newDBPath], [keyPath])", restoreDBKernel,
        {.summary = "Restores all tables of a database; a table of their names.",
         .parameters = "backupDir: the path of the folder of backups\n"
                       "dbPath: the database that was backed up\n"
                       "newDBPath: the database to restore to; dbPath when omitted\n"
                       "keyPath: the path of the file of the master key that an encrypted backup was made with",
         .errors = "There is no such backup, or it was made from queries.",
         .example = "restoreDB(\"/backup/TAQ\", \"dfs://TAQ\", \"dfs://TAQ_copy\")"});
    registry.add(
        "restoreTable(backupDir, dbPath, tableName, [newDBPath], [newTableName], [keyPath])", restoreTableKernel,
        {.summary = "Restores one table.",
         .parameters = "backupDir: the path of the folder of backups\n"
                       "dbPath: the database that was backed up\n"
                       "tableName: the table that was backed up\n"
                       "newDBPath: the database to restore to; dbPath when omitted\n"
                       "newTableName: the table to restore to; tableName when omitted\n"
                       "keyPath: the path of the file of the master key that an encrypted backup was made with",
         .errors = "There is no such backup, or it was made from a query.",
         .example = "restoreTable(\"/backup/TAQ\", \"dfs://TAQ\", \"trades\", , \"trades_copy\")"});
}

}  // namespace pelorus
