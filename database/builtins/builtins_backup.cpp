// Backups of partitioned tables: made, listed, read and checked.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "database/backup/backup_arguments.h"
#include "database/backup/backup_folder.h"
#include "database/backup/backup_journal.h"
#include "database/builtins/builtins_database.h"
#include "database/service/chunk_names.h"
#include "database/service/database_handle.h"
#include "database/service/secured_objects.h"
#include "database/service/status_table.h"
#include "runtime/code/query.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/stored_table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "sql/data_source.h"
#include "storage/version/version_set.h"

namespace pelorus {

// ---- common to the functions of backup and restore

BackupPlace backupPlace(const Context& context, Arguments arguments) {
    const std::string folder = arguments[0].isString() ? std::string(arguments[0].string()) : "";
    if (folder.empty()) throw UserError(0, "backupDir must be the path of a folder.");
    if (folder.starts_with("s3://"))
        throw UserError(0, "Backups to object stores are not supported.", "Give a folder.");
    UserFiles& files = userFiles(context);
    return {files, files.resolve(folder)};
}

std::optional<MasterKey> masterKeyFrom(const Context& context, const Value& keyPath, int argument) {
    if (keyPath.isVoid() || (keyPath.isString() && keyPath.isNull())) return std::nullopt;
    if (!keyPath.isString()) throw UserError(argument, "keyPath must be the path of a file.");
    return readMasterKey(userFiles(context), std::string(keyPath.string()));
}

std::string chunkPathOf(const TableEntry& table, const std::string& path) {
    return fmt::format("{}{}{}{}", table.database, path, path.ends_with("/") ? "" : "/", physicalIndex(table.id));
}

bool isLikePath(const TableEntry& table, const std::string& path, const std::string& pattern) {
    const std::string whole = "/" + table.database.substr(std::string_view("dfs://").size()) + path;
    for (const std::string& name : {path, whole, whole + "/" + physicalIndex(table.id)}) {
        if (name == pattern || isTrue(isLike(Value::ofString(name), Value::ofString(pattern)))) return true;
    }
    return false;
}

namespace {

// One table to back up: its source and its destination.
struct Plan {
    TableDescription table;
    BackupKind kind = BackupKind::Partitions;
    std::vector<ChunkBackup> chunks;
    std::function<Ref<MemoryTable>(size_t chunk)> read;
};

struct Options {
    bool force = false;
    bool parallel = false;
    std::optional<MasterKey> key;
};

std::string withinDatabase(const std::string& database, const std::string& path) {
    return path.substr(database.size() - std::string_view("dfs://").size() + 1);
}

uint64_t versionOf(LocalStorage& storage, uint64_t table, const std::string& path, uint64_t snapshot) {
    const uint64_t chunk = storage.versions().find(table, path);
    const ChunkVersionRef version = chunk == 0 ? nullptr : storage.versions().version(chunk, snapshot);
    return version ? version->since : 0;
}

Plan planPartitions(const Principal& who, DatabaseService& service, const TableDescription& description,
                    const Value& partition) {
    if (description.table.rowTable) {
        throw UserError(fmt::format("The row table {} is not backed up.", description.table.name),
                        "Copy its rows into a table of columns, and back that up.");
    }
    const Ref<PartitionedTable> table = service.open(description.database, description.table);
    const std::shared_ptr<TableSnapshot> snapshot = table->snapshot(who);
    const std::vector<Value> wanted = partitionsArgument(partition);
    Plan plan{description, BackupKind::Partitions, {}, nullptr};
    std::vector<size_t> positions;
    for (size_t i = 0; i < snapshot->partitions().size(); ++i) {
        const PartitionEntry& entry = snapshot->partitions()[i];
        const bool hit = partition.isVoid() || std::any_of(wanted.begin(), wanted.end(), [&](const Value& value) {
                             return isPartition(table->scheme(), entry, description.database.path, value);
                         });
        if (!hit) continue;
        ChunkBackup chunk;
        chunk.path = withinDatabase(description.database.path, entry.path);
        chunk.version = versionOf(service.ownStorage(), description.table.id, chunk.path, snapshot->number());
        plan.chunks.push_back(std::move(chunk));
        positions.push_back(i);
    }
    plan.read = [table, snapshot, positions](size_t chunk) {
        return readRows(*snapshot->open(positions[chunk]), table->columns());
    };
    return plan;
}

Plan planQuery(Context& context, const Value& code) {
    if (code.as<Code>()->node->kind != NodeKind::Query)
        throw UserError(1, "sqlObj must be the metacode of a query, as in <select * from t>.");
    DatabaseService& service = databasesOf(context);
    std::vector<Ref<DataSource>> sources =
        cutByPartition(static_cast<const Query&>(*code.as<Code>()->node), context, false);
    if (sources.empty()) throw UserError(1, "No partition has rows of this query.");
    if (sources[0]->database.empty()) throw UserError(1, "sqlObj must read a partitioned table.");
    Plan plan;
    plan.kind = BackupKind::Query;
    plan.table = {service.catalog().database(sources[0]->database),
                  service.catalog().table(sources[0]->database, sources[0]->table)};
    for (const Ref<DataSource>& source : sources) {
        ChunkBackup chunk;
        chunk.kind = BackupKind::Query;
        chunk.path = withinDatabase(source->database, source->partition);
        chunk.version = versionOf(service.ownStorage(), plan.table.table.id, chunk.path, source->snapshot);
        plan.chunks.push_back(std::move(chunk));
    }
    plan.read = [sources, &context](size_t chunk) {
        const Value rows = sources[chunk]->load(context);
        return Ref<MemoryTable>(rows.as<MemoryTable>());
    };
    return plan;
}

// Returns how many partitions were written; those that the folder has already are not rewritten.
int64_t runPlan(Context& context, const BackupPlace& place, Plan plan, const Options& options) {
    TableBackup backup = place.backupOf(plan.table.database.path, plan.table.table.name);
    std::map<std::string, uint64_t> known;
    for (const std::string& path : backup.paths()) {
        if (options.force && !backup.isWhole(path)) backup.remove(path);
    }
    const std::vector<ChunkBackup> present = backup.chunks();
    const bool otherKind =
        std::any_of(present.begin(), present.end(), [&](const ChunkBackup& chunk) { return chunk.kind != plan.kind; });
    if (otherKind && !options.force) {
        throw UserError(
            0,
            fmt::format("The folder {} has a backup of {} of {} that was made {}.", place.folder, plan.table.table.name,
                        plan.table.database.path, plan.kind == BackupKind::Query ? "of partitions" : "from a query"),
            "Back it up in the same way, or into another folder; force=true replaces it.");
    }
    for (const ChunkBackup& chunk : present) {
        if (otherKind) {
            backup.remove(chunk.path);
        } else {
            known[chunk.path] = chunk.version;
        }
    }
    // Chunks of another table that had the name before do not count.
    if (!known.empty() && backup.description().table.id != plan.table.table.id) known.clear();
    backup.describe(plan.table, options.key);
    std::vector<size_t> changed;
    for (size_t i = 0; i < plan.chunks.size(); ++i) {
        const auto found = known.find(plan.chunks[i].path);
        const bool same = found != known.end() && found->second == plan.chunks[i].version && found->second != 0;
        if (options.force || !same) changed.push_back(i);
    }
    BackupJournal::Entry entry(context.service<BackupJournal>(),
                               {.userId = context.principal().user(),
                                .type = plan.kind == BackupKind::Query ? "BACKUP_BY_SQL" : "BACKUP_BY_COPY_FILE",
                                .database = plan.table.database.path,
                                .table = plan.table.table.name,
                                .total = static_cast<int64_t>(changed.size())});
    ProgressPhase progress(context.request->progress, "backup", ProgressUnit::Tasks,
                           static_cast<int64_t>(changed.size()));
    AuditedData change(context, "BACKUP", plan.table.database.path, plan.table.table.name,
                       "backupDir=[" + place.folder + ']');
    const auto one = [&](int64_t i) {
        context.checkCancelled();
        ChunkBackup chunk = plan.chunks[changed[static_cast<size_t>(i)]];
        const Ref<MemoryTable> rows = plan.read(changed[static_cast<size_t>(i)]);
        chunk.rows = rows->rowCount();
        chunk.updatedMillis = localMillis();
        backup.store(chunk, *rows);
        entry.completeOne();
        progress.add(1);
    };
    const auto count = static_cast<int64_t>(changed.size());
    if (options.parallel) {
        parallelFor(count, one);
    } else {
        for (int64_t i = 0; i < count; ++i) one(i);
    }
    change.done(fmt::format("writtenPartitions={}", count));
    return count;
}

// Backs up tables of a database and returns the number of written partitions. With `snapshot`, partitions that the
// database does not have any more are removed from the backup.
int64_t backUpDatabase(Context& context, const BackupPlace& place, const std::string& path,
                       const std::vector<std::string>& tables, const Value& partition, bool snapshot,
                       const Options& options) {
    DatabaseService& service = databasesOf(context);
    const DatabaseEntry database = visibleDatabase(context, path);
    const std::vector<std::string> names = tables.empty() ? service.catalog().tableNames(path) : tables;
    int64_t count = 0;
    for (const std::string& name : names) {
        Plan plan =
            planPartitions(context.principal(), service, {database, visibleTable(context, path, name)}, partition);
        std::set<std::string> present;
        for (const ChunkBackup& chunk : plan.chunks) present.insert(chunk.path);
        count += runPlan(context, place, std::move(plan), options);
        if (!snapshot || !partition.isVoid()) continue;
        TableBackup backup = place.backupOf(path, name);
        for (const std::string& chunk : backup.paths()) {
            if (!present.count(chunk)) backup.remove(chunk);
        }
    }
    if (snapshot && partition.isVoid() && tables.empty()) {
        for (TableBackup& backup : place.backups()) {
            const bool isGone = std::find(names.begin(), names.end(), backup.table()) == names.end();
            if (backup.database() == path && isGone) backup.removeAll();
        }
    }
    return count;
}

bool flag(const Value& value, bool whenOmitted) {
    return value.isVoid() ? whenOmitted : isTrue(value);
}

Value backupKernel(Context& context, Arguments arguments) {
    const BackupPlace place = backupPlace(context, arguments);
    const Options options{flag(arguments[2], false), flag(arguments[3], false),
                          masterKeyFrom(context, arguments[7], 7)};
    if (arguments[1].type() == Type::Code) {
        return Value::ofInt(static_cast<int32_t>(runPlan(context, place, planQuery(context, arguments[1]), options)));
    }
    const std::string path = givenDatabasePath(context, arguments[1], 1);
    return Value::ofInt(
        static_cast<int32_t>(backUpDatabase(context, place, path, namesArgument(arguments[5], 5, "tableName"),
                                            arguments[6], flag(arguments[4], true), options)));
}

Value backupDBKernel(Context& context, Arguments arguments) {
    return Value::ofInt(static_cast<int32_t>(
        backUpDatabase(context, backupPlace(context, arguments), givenDatabasePath(context, arguments[1], 1), {},
                       Value(), true, {false, true, masterKeyFrom(context, arguments[2], 2)})));
}

Value backupTableKernel(Context& context, Arguments arguments) {
    return Value::ofInt(static_cast<int32_t>(backUpDatabase(context, backupPlace(context, arguments),
                                                            givenDatabasePath(context, arguments[1], 1),
                                                            {nameArgument(arguments[2], 2, "tableName")}, Value(), true,
                                                            {false, true, masterKeyFrom(context, arguments[3], 3)})));
}

Value uuid(uint64_t table, const std::string& database, const std::string& path) {
    return cast(Value::ofString(chunkId(table, "/" + database.substr(std::string_view("dfs://").size()) + path)),
                Type::Uuid);
}

TableBackup existingBackup(Context& context, Arguments arguments, int database, int table) {
    TableBackup backup = backupPlace(context, arguments)
                             .backupOf(givenDatabasePath(context, arguments[static_cast<size_t>(database)], database),
                                       nameArgument(arguments[static_cast<size_t>(table)], table, "tableName"));
    // Throws when there is none. Rows that were backed up are those of their table.
    requireOnTable(context, backup.description().table, Right::Read);
    return backup;
}

Value listKernel(Context& context, Arguments arguments) {
    const TableBackup backup = existingBackup(context, arguments, 1, 2);
    const TableEntry table = backup.description().table;
    std::vector<std::vector<Value>> rows;
    for (const ChunkBackup& chunk : backup.chunks()) {
        rows.push_back({uuid(table.id, table.database, chunk.path), Value::ofString(chunkPathOf(table, chunk.path)),
                        Value::ofLong(static_cast<int64_t>(chunk.version)), Value::ofLong(chunk.rows),
                        Value::scalar(Type::Timestamp, chunk.updatedMillis)});
    }
    return statusTable({{"chunkID", Type::Uuid},
                        {"chunkPath", Type::String},
                        {"cid", Type::Long},
                        {"rows", Type::Long},
                        {"updateTime", Type::Timestamp}},
                       rows);
}

ChunkBackup chunkArgument(const TableBackup& backup, const Value& partition) {
    if (!partition.isString()) throw UserError(2, "partition must be a path, as in \"/20240315/A_D\".");
    const TableEntry table = backup.description().table;
    for (const ChunkBackup& chunk : backup.chunks()) {
        if (isLikePath(table, chunk.path, std::string(partition.string()))) return chunk;
    }
    throw UserError(2, fmt::format("The backup of {} has no partition {}.", table.name, partition.string()),
                    "getBackupList shows which it has.");
}

Value metaKernel(Context& context, Arguments arguments) {
    const TableBackup backup = existingBackup(context, arguments, 1, 3);
    const ChunkBackup chunk = chunkArgument(backup, arguments[2]);
    const TableEntry table = backup.description().table;
    auto facts = makeRef<Dictionary>(Type::String, Type::Any, true);
    Value columns[] = {Value::of(Ref<Table>(MemoryTable::empty(table.schema)))};
    const Value schema = FunctionRegistry::instance().find("schema")->call(context, Arguments(columns));
    facts->set(Value::ofString("schema"), schema.dictionary().get(Value::ofString("colDefs")));
    facts->set(Value::ofString("dfsPath"), Value::ofString(chunkPathOf(table, chunk.path)));
    facts->set(Value::ofString("rows"), Value::ofLong(chunk.rows));
    facts->set(Value::ofString("chunkID"), uuid(table.id, table.database, chunk.path));
    facts->set(Value::ofString("cid"), Value::ofLong(static_cast<int64_t>(chunk.version)));
    return Value::of(facts);
}

Value loadKernel(Context& context, Arguments arguments) {
    TableBackup backup = existingBackup(context, arguments, 1, 3);
    backup.unlock(std::nullopt);  // refuses encrypted backups
    return Value::of(Ref<Table>(backup.load(chunkArgument(backup, arguments[2]))));
}

Value checkKernel(Context& context, Arguments arguments) {
    const BackupPlace place = backupPlace(context, arguments);
    const std::string path = givenDatabasePath(context, arguments[1], 1);
    const std::vector<std::string> names = namesArgument(arguments[2], 2, "tableName");
    const std::string pattern = arguments[3].isString() ? std::string(arguments[3].string()) : "%";
    std::vector<std::vector<Value>> rows;
    for (const TableBackup& backup : place.backups()) {
        if (backup.database() != path) continue;
        if (!names.empty() && std::find(names.begin(), names.end(), backup.table()) == names.end()) continue;
        const TableEntry table = backup.description().table;
        for (const std::string& chunk : backup.paths()) {
            if (!isLikePath(table, chunk, pattern) || backup.isWhole(chunk)) continue;
            rows.push_back({Value::ofString(path), Value::ofString(table.name),
                            Value::ofString(chunkPathOf(table, chunk).substr(std::string_view("dfs:/").size())),
                            uuid(table.id, path, chunk), Value::ofString(chunk)});
        }
    }
    return statusTable({{"dbName", Type::String},
                        {"tableName", Type::String},
                        {"chunkPath", Type::String},
                        {"chunkID", Type::Uuid},
                        {"partitionPath", Type::String}},
                       rows);
}

Value statusKernel(Context& context, Arguments arguments) {
    const std::string only = arguments[0].isVoid() ? "" : nameArgument(arguments[0], 0, "userName");
    std::vector<std::vector<Value>> rows;
    const auto* journal = context.service<BackupJournal>();
    for (const BackupTask& task : journal ? journal->tasks() : std::vector<BackupTask>()) {
        if (!context.principal().mayManageWorkOf(task.userId) || (!only.empty() && task.userId != only)) continue;
        const int64_t end = task.endedMillis != 0 ? task.endedMillis : localMillis();
        rows.push_back({Value::ofString(task.userId), Value::ofString(task.type),
                        Value::scalar(Type::Timestamp, task.startedMillis), Value::ofString(task.database),
                        Value::ofString(task.table), Value::ofLong(task.total), Value::ofLong(task.completed),
                        Value::ofInt(task.total == 0 ? 100 : static_cast<int32_t>(task.completed * 100 / task.total)),
                        Value::scalar(Type::Timestamp, end), Value::ofBool(task.completed == task.total)});
    }
    return statusTable({{"userName", Type::String},
                        {"type", Type::String},
                        {"startTime", Type::Timestamp},
                        {"dbName", Type::String},
                        {"tableName", Type::String},
                        {"totalPartitions", Type::Long},
                        {"completedPartitions", Type::Long},
                        {"percentComplete", Type::Int},
                        {"endTime", Type::Timestamp},
                        {"completed", Type::Bool}},
                       rows);
}

}  // namespace

void registerBackup(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Files, Effect::Writes);
    registry.add(
        "backup(backupDir, dbPath|sqlObj, [force=false], [parallel=false], [snapshot=true], [tableName], [partition], "
        "[keyPath])",
        backupKernel,
        {.summary = "Writes the partitions of a database, of some of its tables, or the result of a query per "
                    "partition, into a folder; returns how many partitions were written.",
         .parameters = "dbPath|sqlObj: a database, or the metacode of a query over a partitioned table\n"
                       "force: also partitions that have not changed since the folder's backup; a backup that was "
                       "made in the other way is replaced\n"
                       "parallel: several partitions at once\n"
                       "snapshot: what the database no longer has goes from the backup too\n"
                       "partition: paths, or keys as of dropPartition\n"
                       "keyPath: a file with a master key, as of enableTDEKey, which encrypts the backup; encrypted "
                       "tables need one",
         .errors = "The folder has a backup of the table that was made in the other way, and force is not set.",
         .example = "backup(\"/backup/TAQ\", \"dfs://TAQ\", parallel=true)\n"
                    "backup(\"/backup/january\", <select * from loadTable(\"dfs://TAQ\", \"trades\") where date = "
                    "2024.01.02>)"});
    registry.add(
        "backupDB(backupDir, dbPath, [keyPath])", backupDBKernel,
        {.summary = "Backs up all tables of a database: backup with parallel=true.",
         .parameters =
             "backupDir: the path of the folder of backups\n"
             "dbPath: a database, as \"dfs://TAQ\"\n"
             "keyPath: the path of a file with a master key, which encrypts the backup; encrypted tables need one",
         .example = "backupDB(\"/backup/TAQ\", \"dfs://TAQ\")"});
    registry.add(
        "backupTable(backupDir, dbPath, tableName, [keyPath])", backupTableKernel,
        {.summary = "Backs up one table: backup with parallel=true.",
         .parameters =
             "backupDir: the path of the folder of backups\n"
             "dbPath: a database, as \"dfs://TAQ\"\n"
             "tableName: a table of the database\n"
             "keyPath: the path of a file with a master key, which encrypts the backup; encrypted tables need one",
         .example = "backupTable(\"/backup/TAQ\", \"dfs://TAQ\", \"trades\")"});
    registry.add("getBackupList(backupDir, dbPath, tableName)", listKernel,
                 {.summary = "A table of the partitions in the backup of a table.",
                  .parameters = "backupDir: the path of the folder of backups\n"
                                "dbPath: a database, as \"dfs://TAQ\"\n"
                                "tableName: the table that was backed up",
                  .errors = "The folder has no backup of the table.",
                  .example = "getBackupList(\"/backup/TAQ\", \"dfs://TAQ\", \"trades\")"},
                 kReads);
    registry.add("getBackupMeta(backupDir, dbPath, partition, tableName)", metaKernel,
                 {.summary = "What a backup says about one partition: columns, path, rows and version.",
                  .parameters = "backupDir: the path of the folder of backups\n"
                                "dbPath: a database, as \"dfs://TAQ\"\n"
                                "partition: the path of a partition, as \"/20240102\"\n"
                                "tableName: the table that was backed up",
                  .errors = "The backup has no such partition.",
                  .example = "getBackupMeta(\"/backup/TAQ\", \"dfs://TAQ\", \"/20240102\", \"trades\").rows"},
                 kReads);
    registry.add("loadBackup(backupDir, dbPath, partition, tableName)", loadKernel,
                 {.summary = "The rows of one partition of a backup, as a table in memory.",
                  .parameters = "backupDir: the path of the folder of backups\n"
                                "dbPath: a database, as \"dfs://TAQ\"\n"
                                "partition: the path of a partition, as \"/20240102\"\n"
                                "tableName: the table that was backed up",
                  .errors = "The backup has no such partition, or its file is damaged.",
                  .example = "loadBackup(\"/backup/TAQ\", \"dfs://TAQ\", \"/20240102\", \"trades\")"},
                 kReads);
    registry.add("checkBackup(backupDir, dbPath, [tableName], [partition])", checkKernel,
                 {.summary = "Reads every file of a backup and compares its checksums; a table of the damaged ones, "
                             "empty when all is well.",
                  .parameters = "backupDir: the path of the folder of backups\n"
                                "dbPath: a database, as \"dfs://TAQ\"\n"
                                "tableName: the table that was backed up; all when omitted\n"
                                "partition: a path, or a pattern with % and ?",
                  .example = "checkBackup(\"/backup/TAQ\", \"dfs://TAQ\")"},
                 kReads);
    registry.add("getBackupStatus([userName])", statusKernel,
                 {.summary = "A table of the backups and restores that this process has run and runs, newest first.",
                  .parameters = "userName: only of this user; who is not admin sees his own",
                  .example = "select dbName, tableName, percentComplete from getBackupStatus()"},
                 kReads);
}

}  // namespace pelorus
