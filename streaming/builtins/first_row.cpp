#include "streaming/builtins/first_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/log.h"
#include "database/service/node_identity.h"
#include "runtime/stream/stream_keeper.h"
#include "runtime/stream/stream_log.h"
#include "streaming/persistence/stream_persistence.h"

namespace pelorus {

std::string topicOf(const Context& context, const std::string& table, const std::string& action) {
    const auto* identity = context.service<NodeIdentity>();
    std::string topic = identity ? fmt::format("{}:{}:{}", identity->host, identity->port, identity->alias)
                                 : std::string("localhost:0:local");
    topic += "/" + table;
    return action.empty() ? topic : topic + "/" + action;
}

// Returns the row after the last one that was handled, as it was stored; 0 when nothing is stored.
static int64_t storedRow(const Context& context, const std::string& topic) {
    auto* persistence = context.service<StreamPersistence>();
    const auto position = persistence ? persistence->position(*context.services, topic) : std::nullopt;
    return position ? position->row : 0;
}

int64_t firstRowGiven(const Context& context, const MemoryTable& table, int64_t offset, const OffsetOf& of) {
    const auto disk = table.stream->keeper();
    const int64_t inMemory = table.stream->first(), total = table.stream->total();
    const int64_t first = disk ? std::min(inMemory, disk->oldest()) : inMemory;
    if (offset == kNewRows) return total;
    if (offset == kOldestRow) return first;
    if (offset == kStoredOffset) offset = storedRow(context, of.table + "/" + of.action);
    if (offset < first)
        throw UserError(of.argument,
                        fmt::format("Row {} of {} is no longer kept: the earliest one is {}.", offset, of.table, first),
                        "offset -3 begins with that.");
    if (offset > total) {
        logWarning("streaming", "a subscription begins beyond the end of its table, and gets new rows",
                   {{"table", of.table}, {"offset", offset}, {"rows", total}});
        return total;
    }
    return offset;
}

}  // namespace pelorus
