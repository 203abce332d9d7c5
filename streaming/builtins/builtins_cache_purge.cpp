// Functions that bound the rows which a stream table keeps in memory.
#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_access.h"
#include "streaming/builtins/cache_bounds.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/stream_settings.h"
#include "streaming/builtins/streaming_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxLagRows = 10'000'000;

// enableTableCachePurge(table, [cacheSize], [cachePurgeTimeColumn], [cachePurgeInterval], [cacheRetentionTime])
Value purgeKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    requireAccess(context, table, Right::Delete);
    CacheBounds bounds = cacheBoundsGiven(a, 1, 2, table, true);
    bounds.maxLagRows = streamSetting(*context.services, "maxSubQueueDepth", kMaxLagRows);
    table.stream->setBounds(std::move(bounds));
    return {};
}

// enableTableShareAndCachePurge(table, tableName, [cacheSize], [cachePurgeTimeColumn], [cachePurgeInterval],
// [cacheRetentionTime])
Value shareAndPurgeKernel(Context& context, Arguments a) {
    MemoryTable& table = streamTableGiven(a, 0, "table");
    const std::string name = identifierGiven(a, 1, "tableName");
    if (name.empty()) throw UserError(1, "tableName is missing.");
    if (table.rowCount() > 0) throw UserError(0, "table must be empty.");
    CacheBounds bounds = cacheBoundsGiven(a, 2, 3, table, true);
    bounds.maxLagRows = streamSetting(*context.services, "maxSubQueueDepth", kMaxLagRows);
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
