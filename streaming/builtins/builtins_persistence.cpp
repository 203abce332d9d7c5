// Functions that keep the rows of stream tables on disk.
#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/principal.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_access.h"
#include "runtime/value/dictionary.h"
#include "streaming/builtins/cache_bounds.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/stream_settings.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/persistence/stream_persistence.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxRetentionMinutes = int64_t{60} * 24 * 365 * 100;

StreamPersistence& persistence(const Context& context) {
    auto* service = context.service<StreamPersistence>();
    if (!service) throw UserError("This process keeps no stream tables.");
    return *service;
}

// The positions of the arguments of one of the two functions.
struct Places {
    size_t asynWrite, cacheSize, retention, flushMode, preCache, purgeColumn;
};
constexpr Places kOfSharing = {2, 4, 5, 6, 7, 8}, kOfShared = {1, 3, 4, 5, 9, 6};

PersistenceOptions optionsGiven(const Context& context, Arguments a, const Places& at) {
    PersistenceOptions options;
    options.isAsynchronous = flagGiven(a, at.asynWrite, "asynWrite", true);
    options.isCompressed = flagGiven(a, at.asynWrite + 1, "compress", true);
    options.retentionMinutes =
        integerGiven(a, at.retention, "retentionMinutes", options.retentionMinutes, 1, kMaxRetentionMinutes);
    options.syncsEachWrite = integerGiven(a, at.flushMode, "flushMode", 0, 0, 1) == 1;
    options.maxWaitingRows = streamSetting(*context.services, "maxPersistenceQueueDepth", options.maxWaitingRows);
    return options;
}

// Returns how many of the newest rows on disk are put into the table.
int64_t loadedRows(Arguments a, const Places& at, const CacheBounds& bounds) {
    const int64_t otherwise = bounds.rows > 0 ? bounds.rows : INT64_MAX;
    return integerGiven(a, at.preCache, "preCache", otherwise, 0);
}

// enableTableShareAndPersistence(table, tableName, [asynWrite], [compress], [cacheSize], [retentionMinutes],
// [flushMode], [preCache], [cachePurgeTimeColumn], [cachePurgeInterval], [cacheRetentionTime])
Value shareAndPersistKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    const std::string name = identifierGiven(a, 1, "tableName");
    if (name.empty()) throw UserError(1, "tableName is missing.");
    if (table.rowCount() > 0 || table.stream->total() > 0) throw UserError(0, "table must be empty.");
    CacheBounds bounds = cacheBoundsGiven(a, kOfSharing.cacheSize, kOfSharing.purgeColumn, table, false);
    const PersistenceOptions options = optionsGiven(context, a, kOfSharing);
    const int64_t loaded = loadedRows(a, kOfSharing, bounds);
    auto* shared = context.service<SharedObjects>();
    Value before;
    const bool wasShared = shared && shared->find(name, before, context.principal());
    if (const MemoryTable* other = wasShared ? asMemoryTable(before) : nullptr;
        other && StreamPersistence::keeperOf(*other))
        throw UserError(1, fmt::format("The stream table {} is shared and kept on disk already.", name),
                        "Release it first: undef(name, SHARED), or dropStreamTable(name) with its rows on disk.");
    if (shared && !shared->namesOf(table).empty())
        throw UserError(0, fmt::format("The table is shared already, as {}.", shared->namesOf(table)[0]),
                        "enableTablePersistence keeps a shared table on disk.");
    shareObject(a[0], name, context);
    try {
        persistence(context).enable(*context.services, Ref<MemoryTable>(&table), name, context.principal(), options,
                                    loaded);
    } catch (...) {
        if (shared && wasShared) shared->set(name, before, context.principal());
        if (shared && !wasShared) shared->erase(name, context.principal());
        throw;
    }
    table.stream->setBounds(std::move(bounds));
    return {};
}

// enableTablePersistence(table, [asynWrite], [compress], [cacheSize], [retentionMinutes], [flushMode],
// [cachePurgeTimeColumn], [cachePurgeInterval], [cacheRetentionTime], [preCache])
Value persistKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    requireAccess(context, table, Right::Delete);
    context.principal().requireChanges("enableTablePersistence");
    const auto* shared = context.service<SharedObjects>();
    const std::vector<std::string> names = shared ? shared->namesOf(table) : std::vector<std::string>();
    if (names.empty()) throw UserError(0, "table must be shared.", "enableTableShareAndPersistence does both at once.");
    CacheBounds bounds = cacheBoundsGiven(a, kOfShared.cacheSize, kOfShared.purgeColumn, table, false);
    persistence(context).enable(*context.services, Ref<MemoryTable>(&table), names[0], context.principal(),
                                optionsGiven(context, a, kOfShared), loadedRows(a, kOfShared, bounds));
    table.stream->setBounds(std::move(bounds));
    return {};
}

Value disableKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    requireAccess(context, table, Right::Delete);
    context.principal().requireChanges("disableTablePersistence");
    persistence(context).disable(table);
    return {};
}

Value clearKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    requireAccess(context, table, Right::Delete);
    context.principal().requireChanges("clearTablePersistence");
    persistence(context).clear(*context.services, table);
    return {};
}

Value metaKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    requireAccess(context, table, Right::Read);
    const auto keeper = StreamPersistence::keeperOf(table);
    if (!keeper)
        throw UserError(0, "The table is not kept on disk.", "enableTableShareAndPersistence keeps it from now on.");
    int64_t first = 0, total = 0;
    {
        const OptionalLock lock(table.lock.get());
        first = table.stream->first();
        total = table.stream->total();
    }
    auto meta = makeRef<Dictionary>(Type::String, Type::Any, true);
    const auto set = [&](std::string_view key, Value value) { meta->set(Value::ofString(key), std::move(value)); };
    set("lastLogSeqNum", Value::ofLong(-1));
    set("sizeInMemory", Value::ofLong(total - first));
    set("totalSize", Value::ofLong(total));
    set("asynWrite", Value::ofBool(keeper->options().isAsynchronous));
    set("compress", Value::ofBool(keeper->options().isCompressed));
    set("raftGroup", Value::ofInt(-1));
    set("memoryOffset", Value::ofLong(first));
    set("retentionMinutes", Value::ofLong(keeper->options().retentionMinutes));
    set("sizeOnDisk", Value::ofLong(keeper->rowsOnDisk()));
    set("persistenceDir", Value::ofString(persistence(context).folder(*context.services)->path()));
    set("hashValue", Value::ofInt(0));
    set("diskOffset", Value::ofLong(keeper->oldest()));
    return Value::of(meta);
}

// Returns "table/action" of a topic, host:port:alias/table/action.
std::string storedTopic(Arguments a) {
    const std::string topic = textGiven(a, 0, "topic");
    const size_t slash = topic.find('/');
    if (slash == std::string::npos || slash + 1 == topic.size())
        throw UserError(0, fmt::format("topic must be one that subscribeTable returned, but it is {}.", topic));
    return topic.substr(slash + 1);
}

Value processedKernel(Context& context, Arguments a) {
    const std::string topic = storedTopic(a);
    const auto position = persistence(context).position(*context.services, topic);
    return Value::ofLong(position ? position->row - 1 : -1);
}

Value removeOffsetKernel(Context& context, Arguments a) {
    const std::string topic = storedTopic(a);
    context.principal().requireChanges("removeTopicOffset");
    const auto position = persistence(context).position(*context.services, topic);
    if (!position) return {};
    const Principal& who = context.principal();
    if (who.user() != position->owner && !who.mayManageWorkOf(position->owner))
        throw UserError(fmt::format("<NoPrivilege>The position of {} belongs to {}.", topic, position->owner),
                        "Its owner or an administrator can remove it.");
    persistence(context).removePosition(*context.services, topic);
    return {};
}

constexpr const char* kOptions =
    "asynWrite: BOOL, true: an append returns once its rows are in memory; false: once they are on disk\n"
    "compress: BOOL, only reported: column files are always compressed\n"
    "cacheSize: INT, before an append would pass it the oldest rows leave the memory until half of it is left; at "
    "least 1,000; without it all rows stay\n"
    "retentionMinutes: INT, rows on disk that are older may go, in whole files\n"
    "flushMode: INT, 1: each write is synced, whatever the node's settings\n"
    "preCache: INT, how many of the newest rows on disk are put into the table; else cacheSize, or all\n"
    "cachePurgeTimeColumn: STRING, a temporal column whose values rise\n"
    "cachePurgeInterval: DURATION, once a new row is so much later than the oldest in memory, rows leave it\n"
    "cacheRetentionTime: DURATION, those that are older than the new row by more than this";
constexpr const char* kEnableErrors =
    "The columns differ from those on disk (S03012, S03017), or can't be stored; rows of that name on disk belong to "
    "another user; the table is kept already.";

}  // namespace

void registerPersistence(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "enableTableShareAndPersistence(table, tableName, [asynWrite=true], [compress=true], [cacheSize], "
        "[retentionMinutes=1440], [flushMode=0], [preCache], [cachePurgeTimeColumn], [cachePurgeInterval], "
        "[cacheRetentionTime])",
        shareAndPersistKernel,
        {.summary = "Shares an empty stream table under a name, and keeps its rows on the node's disk. After a restart "
                    "the same call puts the newest rows on disk into the table, and its row numbers go on. "
                    "Subscriptions get rows once they are in the node's log, and read from disk what has left the "
                    "memory.",
         .parameters = std::string("table: an empty stream table\ntableName: STRING\n") + kOptions,
         .units = "retentionMinutes in minutes",
         .errors = kEnableErrors,
         .example =
             "enableTableShareAndPersistence(streamTable(10:0, `sym`px, [SYMBOL, DOUBLE]), `keptTrades); "
             "keptTrades.append!(table(`A`B as sym, 1 2.0 as px)); n = getPersistenceMeta(keptTrades).totalSize; "
             "dropStreamTable(`keptTrades); n -> 2"},
        {.role = Role::Share, .takesSharedTables = true});
    registry.add(
        "enableTablePersistence(table, [asynWrite=true], [compress=true], [cacheSize], [retentionMinutes=1440], "
        "[flushMode=0], [cachePurgeTimeColumn], [cachePurgeInterval], [cacheRetentionTime], [preCache])",
        persistKernel,
        {.summary = "Keeps the rows of a shared stream table on the node's disk, as enableTableShareAndPersistence "
                    "does; rows that it has go to disk, too.",
         .parameters = std::string("table: a shared stream table\n") + kOptions,
         .units = "retentionMinutes in minutes",
         .errors = kEnableErrors,
         .example = "share streamTable(10:0, `px, [DOUBLE]) as keptQuotes; enableTablePersistence(keptQuotes); "
                    "kept = exec persisted from getStreamTables() where name = `keptQuotes; "
                    "dropStreamTable(`keptQuotes); kept -> [true]"},
        {.takesSharedTables = true});
    registry.add("disableTablePersistence(table)", disableKernel,
                 {.summary = "Writes the rows of a stream table that wait, and keeps later ones in memory only. Those "
                             "on disk stay there.",
                  .parameters = "table: a stream table; one that is not kept on disk stays as it is",
                  .errors = "The disk does not take the rows that wait.",
                  .example = "enableTableShareAndPersistence(streamTable(10:0, `px, [DOUBLE]), `keptBids); "
                             "disableTablePersistence(keptBids); kept = exec persisted from getStreamTables() where "
                             "name = `keptBids; dropStreamTable(`keptBids, true); kept -> [false]"},
                 {.takesSharedTables = true});
    registry.add("clearTablePersistence(table)", clearKernel,
                 {.summary = "Removes the rows of a stream table from disk, and keeps later ones in memory only. The "
                             "table and its rows in memory stay.",
                  .parameters = "table: a stream table; one that is not kept on disk stays as it is",
                  .errors = "The disk refuses.",
                  .example = "enableTableShareAndPersistence(streamTable(10:0, `px, [DOUBLE]), `keptAsks); "
                             "keptAsks.append!(table(1 2.0 as px)); clearTablePersistence(keptAsks); keptAsks.size() "
                             "-> 2"},
                 {.takesSharedTables = true});
    registry.add("getPersistenceMeta(table)", metaKernel,
                 {.summary = "The state of a stream table that is kept on disk, as a dictionary: lastLogSeqNum (-1), "
                             "sizeInMemory, totalSize, asynWrite, compress, raftGroup (-1), memoryOffset, "
                             "retentionMinutes, sizeOnDisk, persistenceDir (the node's data folder), hashValue (0), "
                             "diskOffset.",
                  .parameters = "table: a stream table",
                  .units = "sizes in rows; offsets are numbers of rows",
                  .errors = "The table is not kept on disk.",
                  .example = "enableTableShareAndPersistence(streamTable(10:0, `px, [DOUBLE]), `keptFees); d = "
                             "getPersistenceMeta(keptFees).diskOffset; dropStreamTable(`keptFees); d -> 0"},
                 {.effect = Effect::Stable, .takesSharedTables = true});
    registry.add("getTopicProcessedOffset(topic)", processedKernel,
                 {.summary = "The number of the last row that a subscription with persistOffset=true has handled, as "
                             "LONG; -1 when none is stored.",
                  .parameters = "topic: STRING, as subscribeTable returned it",
                  .errors = "topic is no topic.",
                  .example = "getTopicProcessedOffset(\"localhost:0:local/nothing/action\") -> -1"},
                 kReads);
    registry.add("removeTopicOffset(topic)", removeOffsetKernel,
                 {.summary = "Removes the stored position of a subscription.",
                  .parameters = "topic: STRING, as subscribeTable returned it",
                  .errors = "topic is no topic; the position belongs to another user.",
                  .example = "removeTopicOffset(\"localhost:0:local/nothing/action\"); "
                             "getTopicProcessedOffset(\"localhost:0:local/nothing/action\") -> -1"});
}

}  // namespace pelorus
