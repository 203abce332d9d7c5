// Reads the arguments that bound the rows of a stream table in memory.
#pragma once

#include "runtime/registry/registry.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns the bounds: `sizeAt` is the position of cacheSize, `timeAt` that of cachePurgeTimeColumn, which
// cachePurgeInterval and cacheRetentionTime follow. `isNeeded` says that one of both must be given; a cacheSize of 0 is
// none then, and else no bound. Throws UserError, naming the argument.
CacheBounds cacheBoundsGiven(Arguments a, size_t sizeAt, size_t timeAt, const MemoryTable& table, bool isNeeded);

}  // namespace pelorus
