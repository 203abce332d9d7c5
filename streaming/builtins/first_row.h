// Reads what subscribers of all kinds say of a stream table: its topic, and the row with which they begin.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Offsets that are no numbers of rows.
constexpr int64_t kNewRows = -1;       // the row that comes next
constexpr int64_t kStoredOffset = -2;  // the row after the last one that was handled
constexpr int64_t kOldestRow = -3;     // the oldest one that is kept

// Returns the topic of a subscription, host:port:alias/table/action; without an action its part is missing.
std::string topicOf(const Context& context, const std::string& table, const std::string& action);

// Which subscription asks, and which argument holds the offset.
struct OffsetOf {
    int argument = 0;
    const std::string& table;
    const std::string& action;
};
// Returns the number of the row with which a subscription begins that gives this offset. An offset beyond the end
// stands for the next row, and the log says so. Throws UserError naming the oldest row when the wanted one is no longer
// kept.
int64_t firstRowGiven(const Context& context, const MemoryTable& table, int64_t offset, const OffsetOf& of);

}  // namespace pelorus
