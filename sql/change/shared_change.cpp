#include "sql/change/shared_change.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "interpreter/bytecode/effects.h"
#include "runtime/format/to_source.h"

namespace pelorus {

namespace {

constexpr int kAttempts = 250;
// Number of conflicts after which a change takes its turn first.
constexpr int kPoliteAttempts = 3;

bool isSameObject(const Value& a, const Value& b) {
    return a.isVector() && b.isVector() && a.object() == b.object();
}

// Returns the columns that an update computed for the rows of `seen`, and after them the rows that came since.
std::vector<std::pair<std::string, Value>> updatedColumns(const MemoryTable& seen, const MemoryTable& computed,
                                                          const MemoryTable& added) {
    std::vector<std::pair<std::string, Value>> columns;
    for (int c = 0; c < computed.columnCount(); ++c) {
        const ColumnSchema& column = computed.columns()[static_cast<size_t>(c)];
        if (c < seen.columnCount() && isSameObject(computed.column(c), seen.column(c))) continue;
        Value items = computed.column(c);
        if (added.rowCount() > 0) {
            appendElements(items, c < added.columnCount() ? added.column(c)
                                                          : filledColumn(column.type, column.scale, added.rowCount()));
        }
        columns.emplace_back(column.name, std::move(items));
    }
    return columns;
}

void apply(const Query& query, MemoryTable& table, const MemoryTable& seen, const MemoryTable& computed) {
    const Ref<MemoryTable> added = table.slice(seen.rowCount(), table.rowCount() - seen.rowCount());
    if (query.verb == QueryVerb::Update) {
        for (auto& [name, items] : updatedColumns(seen, computed, *added)) table.setColumn(name, std::move(items));
        return;
    }
    std::vector<Value> columns;
    for (int c = 0; c < computed.columnCount(); ++c) {
        columns.push_back(computed.column(c));
        if (added->rowCount() > 0) appendElements(columns.back(), added->column(c));
    }
    table.mutableColumns() = std::move(columns);
}

}  // namespace

void changeShared(const Query& query, MemoryTable& table, const ComputeChange& compute, Context& context) {
    OptionalLock turn(nullptr);
    for (int attempt = 0;; ++attempt) {
        context.checkCancelled();
        // The computation only reads and waits for nobody, so it may run while others wait for the turn.
        if (attempt == kPoliteAttempts) turn.reset(&table.turn);
        Ref<MemoryTable> seen, rows;
        uint64_t changes = 0;
        {
            const OptionalLock guard(table.lock.get());
            seen = table.copy();
            rows = table.copyWithKeys();
            changes = table.changeCount();
        }
        if (!compute(*rows)) return;
        if (attempt < kPoliteAttempts) turn.reset(&table.turn);
        {
            const OptionalLock guard(table.lock.get());
            if (table.changeCount() == changes) {
                apply(query, table, *seen, *rows);
                return table.keep();
            }
        }
        if (attempt < kPoliteAttempts) turn.reset(nullptr);
        const bool repeats = effectOf(query, context) < Effect::Writes;
        if (!repeats || attempt == kAttempts) {
            throw SystemError(
                fmt::format("Rows of the shared table {} were changed while {} computed its own change; nothing of it "
                            "was done.",
                            toSource(*query.table), query.verb == QueryVerb::Update ? "update" : "delete"),
                repeats ? "Run it again."
                        : "Run it again: what writes, or calls what cannot be told to only read, is computed once.",
                true);
        }
        if (attempt >= kPoliteAttempts) std::this_thread::sleep_for(std::chrono::milliseconds(std::min(attempt, 20)));
    }
}

}  // namespace pelorus
