// Functions that bound the rows which a stream table keeps in memory.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_access.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/streaming_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kLeastRows = 1000;

int64_t nanosGiven(Arguments a, size_t i, std::string_view name) {
    const Value& given = a[i];
    const bool isDuration =
        given.isScalar() && given.type() == Type::Duration && !given.isNull() && given.integer() > 0;
    const int64_t nanos = isDuration ? calendar::nanosPerUnit(static_cast<DurationUnit>(given.unit())) : 0;
    if (nanos == 0)
        throw UserError(static_cast<int>(i), fmt::format("{} must be a DURATION above 0 of a fixed length.", name),
                        "For example 30m.");
    return given.integer() * nanos;
}

// Reads cacheSize, or the three of time, from position `at` on.
CacheBounds boundsGiven(Arguments a, size_t at, const MemoryTable& table) {
    CacheBounds bounds;
    // Fewer than a thousand rows count as a thousand.
    if (isGiven(a, at)) bounds.rows = std::max(integerGiven(a, at, "cacheSize", 0, 1), kLeastRows);
    const int given = isGiven(a, at + 1) + isGiven(a, at + 2) + isGiven(a, at + 3);
    if (given == 0) {
        if (bounds.rows == 0)
            throw UserError(static_cast<int>(at), "cacheSize is missing, and so are the three of time.");
        return bounds;
    }
    if (given < 3 || bounds.rows > 0)
        throw UserError(static_cast<int>(at + 1),
                        "Give either cacheSize, or cachePurgeTimeColumn, cachePurgeInterval and cacheRetentionTime.");
    bounds.timeColumn = textGiven(a, at + 1, "cachePurgeTimeColumn");
    const int column = table.findColumn(bounds.timeColumn);
    if (column < 0 || !isTemporal(table.columns()[static_cast<size_t>(column)].type))
        throw UserError(static_cast<int>(at + 1), "cachePurgeTimeColumn must name a temporal column of the table.");
    bounds.timeColumn = table.columns()[static_cast<size_t>(column)].name;
    bounds.intervalNanos = nanosGiven(a, at + 2, "cachePurgeInterval");
    bounds.retentionNanos = nanosGiven(a, at + 3, "cacheRetentionTime");
    if (bounds.retentionNanos >= bounds.intervalNanos)
        throw UserError(static_cast<int>(at + 3), "cacheRetentionTime must be shorter than cachePurgeInterval.");
    return bounds;
}

// enableTableCachePurge(table, [cacheSize], [cachePurgeTimeColumn], [cachePurgeInterval], [cacheRetentionTime])
Value purgeKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    requireAccess(context, table, Right::Delete);
    table.stream->setBounds(boundsGiven(a, 1, table));
    return {};
}

// enableTableShareAndCachePurge(table, tableName, [cacheSize], [cachePurgeTimeColumn], [cachePurgeInterval],
// [cacheRetentionTime])
Value shareAndPurgeKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    const std::string name = identifierGiven(a, 1, "tableName");
    if (name.empty()) throw UserError(1, "tableName is missing.");
    if (table.rowCount() > 0) throw UserError(0, "table must be empty.");
    CacheBounds bounds = boundsGiven(a, 2, table);
    shareObject(a[0], name, context);
    table.stream->setBounds(std::move(bounds));
    return {};
}

Value offsetKernel(Context&, Arguments a) {
    return Value::ofLong(streamTableGiven(a, 0, "streamTable").stream->first());
}

constexpr const char* kBoundsParameters =
    "cacheSize: INT, before an append would pass it the oldest rows go until half of it is left; at least 1,000\n"
    "cachePurgeTimeColumn: STRING, a temporal column whose values rise\n"
    "cachePurgeInterval: DURATION, once a new row is so much later than the oldest, rows go\n"
    "cacheRetentionTime: DURATION, those that are older than the new row by more than this";
constexpr const char* kBoundsErrors =
    "Neither cacheSize nor all three of time are given; the retention is not shorter than the interval.";

}  // namespace

void registerCachePurge(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "enableTableCachePurge(table, [cacheSize], [cachePurgeTimeColumn], [cachePurgeInterval], [cacheRetentionTime])",
        purgeKernel,
        {.summary =
             "Bounds the rows that a stream table keeps in memory, by their number or by their time. Rows that a "
             "subscription still waits for stay; the numbers of rows never change.",
         .parameters = kBoundsParameters,
         .errors = kBoundsErrors,
         .example =
             "feed = streamTable(10:0, `x, [INT]); enableTableCachePurge(feed, 1000); tableInsert(feed, table(1..1000 "
             "as x)); tableInsert(feed, 1001); feed.size() -> 501"},
        {.takesSharedTables = true});
    registry.add(
        "enableTableShareAndCachePurge(table, tableName, [cacheSize], [cachePurgeTimeColumn], [cachePurgeInterval], "
        "[cacheRetentionTime])",
        shareAndPurgeKernel,
        {.summary = "Shares an empty stream table under a name, and bounds its rows as enableTableCachePurge does.",
         .parameters = kBoundsParameters,
         .errors = kBoundsErrors,
         .example =
             "enableTableShareAndCachePurge(streamTable(10:0, `x, [INT]), `bounded, 1000); exec cachePurgeEnabled "
             "from getStreamTables() where name = `bounded -> [true]"},
        {.role = Role::Share, .takesSharedTables = true});
    registry.add(
        "getStreamTableCacheOffset(streamTable)", offsetKernel,
        {.summary = "The number of the oldest row of a stream table in memory, as LONG: how many rows were purged.",
         .parameters = "streamTable: a stream table",
         .errors = "streamTable is no stream table.",
         .example = "getStreamTableCacheOffset(streamTable(1 2 as x)) -> 0"},
        {.effect = Effect::Stable, .takesSharedTables = true});
}

}  // namespace pelorus
