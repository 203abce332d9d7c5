#include "streaming/builtins/cache_bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"
#include "streaming/builtins/given.h"

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

}  // namespace

CacheBounds cacheBoundsGiven(Arguments a, size_t sizeAt, size_t timeAt, const MemoryTable& table, bool isNeeded) {
    CacheBounds bounds;
    bounds.rows = integerGiven(a, sizeAt, "cacheSize", 0, isNeeded ? 1 : 0);
    // Fewer than a thousand rows count as a thousand.
    if (bounds.rows > 0) bounds.rows = std::max(bounds.rows, kLeastRows);
    const int given = isGiven(a, timeAt) + isGiven(a, timeAt + 1) + isGiven(a, timeAt + 2);
    if (given == 0) {
        if (bounds.rows == 0 && isNeeded)
            throw UserError(static_cast<int>(sizeAt), "cacheSize is missing, and so are the three of time.");
        return bounds;
    }
    if (given < 3 || bounds.rows > 0)
        throw UserError(static_cast<int>(timeAt),
                        "Give either cacheSize, or cachePurgeTimeColumn, cachePurgeInterval and cacheRetentionTime.");
    bounds.timeColumn = textGiven(a, timeAt, "cachePurgeTimeColumn");
    const int column = table.findColumn(bounds.timeColumn);
    if (column < 0 || !isTemporal(table.columns()[static_cast<size_t>(column)].type))
        throw UserError(static_cast<int>(timeAt), "cachePurgeTimeColumn must name a temporal column of the table.");
    bounds.timeColumn = table.columns()[static_cast<size_t>(column)].name;
    bounds.intervalNanos = nanosGiven(a, timeAt + 1, "cachePurgeInterval");
    bounds.retentionNanos = nanosGiven(a, timeAt + 2, "cacheRetentionTime");
    if (bounds.retentionNanos >= bounds.intervalNanos)
        throw UserError(static_cast<int>(timeAt + 2), "cacheRetentionTime must be shorter than cachePurgeInterval.");
    return bounds;
}

}  // namespace pelorus
