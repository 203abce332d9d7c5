// Functions of stream tables: their columns for time and filters, their names, their list.
#include <fmt/format.h>

#include <set>

#include "common/error.h"
#include "database/service/database_service.h"
#include "database/service/status_table.h"
#include "interpreter/session/session.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/principal.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_access.h"
#include "runtime/table/value_bytes.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/persistence/stream_persistence.h"
#include "streaming/publication/publications.h"

namespace pelorus {

namespace {

bool isStreamTable(const Value& value) {
    const MemoryTable* table = asMemoryTable(value);
    return table && table->stream;
}

// Calls found(name, table, isShared) for the stream tables of the session, and for the shared ones that the user has a
// right to.
template <class Found>
void forEachStreamTable(Context& context, Found found) {
    const auto* shared = context.service<SharedObjects>();
    if (const auto* session = static_cast<const Session*>(context.session)) {
        for (const std::string& name : session->variableNames()) {
            const Value& value = session->variable(session->findVariable(name));
            if (isStreamTable(value)) found(name, value, false);
        }
    }
    for (const std::string& name : shared ? shared->names() : std::vector<std::string>()) {
        Value value;
        if (!shared->find(name, value) || !isStreamTable(value)) continue;
        if (hasAccess(context, value.table(), Right::Read)) found(name, value, true);
    }
}

// Returns the names on disk that are not among `loaded`, of tables that the user made or administers.
std::vector<std::string> unloadedNames(Context& context, const std::set<std::string>& loaded) {
    auto* persistence = context.service<StreamPersistence>();
    auto* databases = context.service<DatabaseService>();
    // A process that has used no data folder opens none for a list.
    if (!persistence || !databases || !databases->metaStore(false)) return {};
    const auto folder = persistence->folder(*context.services);
    std::vector<std::string> names = folder->names();
    std::erase_if(names, [&](const std::string& name) {
        if (loaded.contains(name)) return true;
        const auto store = folder->find(name);
        return !store || (store->owner() != context.principal().user() && !context.principal().administers());
    });
    return names;
}

// getStreamTables([option])
Value streamTablesKernel(Context& context, Arguments arguments) {
    const int64_t option = integerGiven(arguments, 0, "option", 0, 0, 2);
    std::vector<std::vector<Value>> rows;
    std::set<std::string> loaded;
    forEachStreamTable(context, [&](const std::string& name, const Value& value, bool isShared) {
        const MemoryTable& table = *asMemoryTable(value);
        const auto keeper = StreamPersistence::keeperOf(table);
        const bool isPersisted = keeper != nullptr;
        loaded.insert(keeper ? keeper->name() : name);
        if ((option == 1 && !isPersisted) || (option == 2 && isPersisted)) return;
        const OptionalLock lock(table.lock.get());
        const CacheBounds bounds = table.stream->bounds();
        const bool isPurged = bounds.rows > 0 || !bounds.timeColumn.empty();
        rows.push_back({Value::ofString(name), Value::ofBool(isShared), Value::ofBool(isPersisted),
                        Value::ofBool(isPurged), Value::ofBool(true),
                        Value::ofInt(static_cast<int32_t>(table.columnCount())), Value::ofLong(table.rowCount()),
                        Value::ofLong(table.stream->total()), Value::ofLong(memoryBytesOf(value))});
    });
    for (const std::string& name : option == 2 ? std::vector<std::string>() : unloadedNames(context, loaded)) {
        rows.push_back({Value::ofString(name), Value(), Value::ofBool(true), Value(), Value::ofBool(false), Value(),
                        Value(), Value(), Value()});
    }
    return statusTable({{"name", Type::String},
                        {"shared", Type::Bool},
                        {"persisted", Type::Bool},
                        {"cachePurgeEnabled", Type::Bool},
                        {"loaded", Type::Bool},
                        {"columns", Type::Int},
                        {"rowsInMemory", Type::Long},
                        {"totalRows", Type::Long},
                        {"memoryUsed", Type::Long}},
                       rows);
}

Value existsKernel(Context& context, Arguments arguments) {
    const std::string wanted = textGiven(arguments, 0, "tableName");
    bool exists = false;
    forEachStreamTable(context, [&](const std::string& name, const Value&, bool) { exists |= name == wanted; });
    return Value::ofBool(exists);
}

// Removes the rows of that name from disk. Returns false when there are none.
bool removeFromDisk(const Context& context, const std::string& name) {
    auto* persistence = context.service<StreamPersistence>();
    auto* databases = context.service<DatabaseService>();
    if (!persistence || !databases || !databases->metaStore(false)) return false;
    if (!persistence->folder(*context.services)->find(name)) return false;
    persistence->remove(*context.services, name);
    return true;
}

// dropStreamTable(tableName, [force])
Value dropKernel(Context& context, Arguments arguments) {
    const std::string name = textGiven(arguments, 0, "tableName");
    const bool isForced = flagGiven(arguments, 1, "force", false);
    if (isForced && !context.principal().administers())
        throw UserError(1, "Only administrators can drop a stream table by force. RefId: S03025");
    context.request->principal().requireChanges("dropStreamTable");
    auto* shared = context.service<SharedObjects>();
    Value table;
    if (shared && shared->find(name, table, context.principal()) && isStreamTable(table)) {
        MemoryTable& memory = *asMemoryTable(table);
        if (auto* publications = context.service<Publications>()) publications->closeLeft(memory);
        if (memory.stream->hasListeners())
            throw UserError(
                fmt::format("The stream table {} has subscriptions and can't be dropped. RefId: S03003", name),
                "End them first with unsubscribeTable.");
        shared->erase(name, context.principal());
        if (const auto keeper = StreamPersistence::keeperOf(memory); keeper || isForced)
            removeFromDisk(context, keeper ? keeper->name() : name);
        return {};
    }
    auto* session = static_cast<Session*>(context.session);
    const int slot = session ? session->findVariable(name) : -1;
    if (slot >= 0 && isStreamTable(session->variable(slot))) {
        session->eraseVariable(name);
        return {};
    }
    if (isForced && removeFromDisk(context, name)) return {};
    throw UserError(fmt::format("Can't find stream table {}.", name),
                    "getStreamTables() lists them; one on disk that is not loaded is dropped with force=true.");
}

Value setTimestampKernel(Context& context, Arguments arguments) {
    MemoryTable& table = streamTableGiven(arguments, 0, "streamTable");
    requireAccess(context, table, Right::Update);
    const std::string name = textGiven(arguments, 1, "columnName");
    const OptionalLock lock(table.lock.get());
    const ColumnSchema& last = table.columns().back();
    if (table.stream->stampsArrival())
        throw UserError(0, fmt::format("The table fills its column {} with the time already.", last.name));
    const int at = table.findColumn(name);
    if (at >= 0 && !isTemporal(table.columns()[static_cast<size_t>(at)].type))
        throw UserError(1, fmt::format("The column {} must be a temporal column.", name));
    if (last.name != name)
        throw UserError(
            1, fmt::format("The column {} must be the last column of the table, which is {}.", name, last.name));
    table.stream->stampArrival();
    return {};
}

// Writers ask this of every table before they write to it.
Value timestampKernel(Context&, Arguments arguments) {
    if (!arguments[0].isTable()) throw UserError(0, "streamTable must be a table.");
    const MemoryTable* table = asMemoryTable(arguments[0]);
    const bool isStamped = table && table->stream && table->stream->stampsArrival();
    return Value::ofString(isStamped ? table->columns().back().name : "");
}

Value setFilterColumnKernel(Context& context, Arguments arguments) {
    MemoryTable& table = streamTableGiven(arguments, 0, "streamTable");
    requireAccess(context, table, Right::Update);
    const std::string name = textGiven(arguments, 1, "columnName");
    const int column = table.findColumn(name);
    if (column < 0) throw UserError(1, fmt::format("The table has no column {}.", name));
    table.stream->setFilterColumn(table.columns()[static_cast<size_t>(column)].name);
    return {};
}

Value filterColumnKernel(Context&, Arguments arguments) {
    return Value::ofString(streamTableGiven(arguments, 0, "streamTable").stream->filterColumn());
}

}  // namespace

void registerStreamTables(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "getStreamTables([option=0])", streamTablesKernel,
        {.summary = "The stream tables of the session and those that sessions share, as a table: name, shared, "
                    "persisted, cachePurgeEnabled, loaded, columns, rowsInMemory, totalRows, memoryUsed. Of tables on "
                    "disk that are not loaded only name, persisted and loaded are known.",
         .parameters = "option: INT, 0 for all, 1 for those that are kept on disk, 2 for the others",
         .units = "memoryUsed in bytes",
         .errors = "option is another number.",
         .example = "t = streamTable(1 2 as x); exec totalRows from getStreamTables() where name = \"t\" -> [2]"},
        kReads);
    registry.add("existsStreamTable(tableName)", existsKernel,
                 {.summary = "Whether there is a stream table of that name, of the session or shared, as BOOL.",
                  .parameters = "tableName: STRING",
                  .errors = "tableName is no string.",
                  .example = "feed = streamTable(1 2 as x); existsStreamTable(`feed) -> true"},
                 kReads);
    registry.add("dropStreamTable(tableName, [force=false])", dropKernel,
                 {.summary = "Releases a stream table: the name under which it is shared, else the session's variable. "
                             "Its rows on disk are removed, too, with the positions of its subscriptions.",
                  .parameters = "tableName: STRING\nforce: BOOL, for administrators: also removes rows on disk of a "
                                "table that is not loaded",
                  .errors = "There is no stream table of that name; it has subscriptions (S03003); it belongs to "
                            "another user.",
                  .example = "share streamTable(1 2 as x) as dropped; dropStreamTable(`dropped); "
                             "existsStreamTable(`dropped) -> false"});
    registry.add("setStreamTableTimestamp(streamTable, columnName)", setTimestampKernel,
                 {.summary = "From now on the last column of the table gets the time at which rows arrive, and writers "
                             "leave it out. For good.",
                  .parameters = "streamTable: a stream table\ncolumnName: STRING, its last column, of a temporal type",
                  .errors = "It is not the last column, is not temporal, or was set before.",
                  .example = "feed = streamTable(10:0, `x`at, [INT, TIMESTAMP]); setStreamTableTimestamp(feed, `at); "
                             "tableInsert(feed, 5); isNull(feed.at[0]) -> false"},
                 {.takesSharedTables = true});
    registry.add("getStreamTableTimestamp(streamTable)", timestampKernel,
                 {.summary = "The name of the column that gets the time at which rows arrive, as STRING; empty when "
                             "there is none.",
                  .parameters = "streamTable: a table",
                  .errors = "streamTable is no table.",
                  .example = "isNull(getStreamTableTimestamp(table(1 as x))) -> true"},
                 {.effect = Effect::Stable, .takesSharedTables = true});
    registry.add("setStreamTableFilterColumn(streamTable, columnName)", setFilterColumnKernel,
                 {.summary = "Sets the column by which subscriptions with a filter choose rows.",
                  .parameters = "streamTable: a stream table\ncolumnName: STRING",
                  .errors = "The table has no such column.",
                  .example = "feed = streamTable(10:0, `sym`x, [SYMBOL, INT]); setStreamTableFilterColumn(feed, `sym); "
                             "getStreamTableFilterColumn(feed) -> sym"},
                 {.takesSharedTables = true});
    registry.add("getStreamTableFilterColumn(streamTable)", filterColumnKernel,
                 {.summary = "The column by which subscriptions filter, as STRING; empty when there is none.",
                  .parameters = "streamTable: a stream table",
                  .errors = "streamTable is no stream table.",
                  .example = "isNull(getStreamTableFilterColumn(streamTable(1 as x))) -> true"},
                 {.effect = Effect::Stable, .takesSharedTables = true});
}

}  // namespace pelorus
