#include "runtime/append/append_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "common/log.h"
#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "common/time/local_clock.h"
#include "runtime/append/reader_waits.h"
#include "runtime/append/row_access.h"
#include "runtime/append/stream_store.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/memory/budget.h"
#include "runtime/stream/row_sink.h"
#include "runtime/stream/stream_keeper.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/stored_table.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

void tellDropped(Context& context, const Table& table, const AppendReport& report) {
    if (report.outsideScheme == 0) return;
    if (context.request->progress) context.request->progress->addDroppedRows(report.outsideScheme);
    if (!context.request->print) return;
    context.request->print(fmt::format("{} of {} rows were not stored in {}: no partition takes them; the first is {}.",
                                       report.outsideScheme, report.written + report.outsideScheme, table.name,
                                       report.firstOutside));
}

// Returns the rows with one column more, the time of their arrival.
Ref<MemoryTable> withArrival(const MemoryTable& table, const MemoryTable& rows) {
    Ref<MemoryTable> stamped = rows.copy();
    const ColumnSchema& last = table.columns().back();
    const Value now = cast(Value::scalar(Type::NanoTimestamp, localNanos()), last.type);
    stamped->setColumn(last.name, filledColumn(last.type, last.scale, rows.rowCount(), now));
    return stamped;
}

// Returns how many of the oldest rows go by their time, once a new row is `interval` later than the oldest.
int64_t rowsPastTime(const MemoryTable& table, const CacheBounds& bounds) {
    const Value* column = table.column(bounds.timeColumn);
    if (!column || table.rowCount() == 0) return 0;
    const Ref<Vector> times =
        cast(column->vector(), canCast(column->type(), Type::NanoTimestamp) ? Type::NanoTimestamp : Type::NanoTime);
    const int64_t* at = times->data<int64_t>();
    const int64_t newest = at[times->size() - 1];
    if (newest - at[0] < bounds.intervalNanos) return 0;
    return std::lower_bound(at, at + times->size(), newest - bounds.retentionNanos) - at;
}

// Purges so many of the oldest rows, without those that a reader still needs. The caller holds the lock.
void purgeOldest(MemoryTable& table, int64_t count) {
    count = std::min(count, table.stream->oldestNeeded() - table.stream->first());
    if (count > 0) table.purge(count);
}

// Removes the rows that the table has no room for in addition to `coming` new ones. The caller holds the lock.
void makeRoom(MemoryTable& table, int64_t coming) {
    const int64_t most = table.stream->bounds().rows, present = table.rowCount();
    if (most > 0 && present + coming > most) purgeOldest(table, present - most / 2);
}

// Removes those of the first `present` rows that are too old compared with the newest one. The caller holds the lock.
void removeOld(MemoryTable& table, int64_t present) {
    const CacheBounds bounds = table.stream->bounds();
    if (!bounds.timeColumn.empty()) purgeOldest(table, std::min(rowsPastTime(table, bounds), present));
}

// Adds the rows to the table, and removes those for which it has no room. `isWhole` says that they have all columns.
int64_t addRows(MemoryTable& table, const MemoryTable& rows, bool isWhole = false) {
    const OptionalLock guard(table.lock.get());
    const bool isStamped = !isWhole && table.stream && table.stream->stampsArrival();
    const bool isBounded = table.stream && table.stream->isBounded();
    if (isBounded) makeRoom(table, rows.rowCount());
    const int64_t present = isBounded ? table.rowCount() : 0;
    // A keyed table replaces the rows of known keys: they are not counted.
    const int64_t before = table.stream ? table.stream->total() : table.rowCount();
    table.append(isStamped ? *withArrival(table, rows) : rows);
    table.keep();
    const int64_t written = (table.stream ? table.stream->total() : table.rowCount()) - before;
    if (isBounded) removeOld(table, present);
    return written;
}

// Returns the first row of each key that the table lacks.
Ref<MemoryTable> rowsWithNewKeys(const MemoryTable& table, const MemoryTable& rows) {
    std::vector<Value> keys;
    std::vector<Type> types;
    for (const std::string& name : table.keys()->columns()) {
        keys.push_back(*rows.column(name));
        types.push_back(keys.back().type());
    }
    const std::vector<int32_t> known = table.keys()->find(table, keys);
    CompositeKeyIndex index(types);
    const std::vector<int32_t> numbers = index.insertAll(keys);
    std::vector<int32_t> kept;
    int32_t next = 0;
    for (size_t i = 0; i < known.size(); ++i) {
        const bool isFirst = numbers[i] == next;
        if (isFirst) ++next;
        if (isFirst && known[i] < 0) kept.push_back(static_cast<int32_t>(i));
    }
    return rows.gather(kept.data(), static_cast<int64_t>(kept.size()));
}

// Returns the rows as an append to the stream table would add them: with the types of its columns, and of keyed tables
// those with a new key only. Throws UserError when a column does not fit.
Ref<MemoryTable> rowsToAdd(MemoryTable& table, const MemoryTable& rows) {
    const OptionalLock guard(table.lock.get());
    const Ref<MemoryTable> stamped = table.stream->stampsArrival() ? withArrival(table, rows) : Ref<MemoryTable>();
    const MemoryTable& whole = stamped ? *stamped : rows;
    // Throws as an append does when there are too many columns, or too few.
    if (whole.columnCount() != table.columnCount()) MemoryTable::empty(table.columns())->append(whole);
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (int c = 0; c < table.columnCount(); ++c) {
        const ColumnSchema& column = table.columns()[static_cast<size_t>(c)];
        names.push_back(column.name);
        columns.push_back(castForStorage(whole.column(c), column.type, column.name, column.scale));
    }
    const bool keepsLatest = table.keys() && !table.keys()->latestBy().empty();
    const std::vector<int32_t> latest =
        keepsLatest ? latestRows(table, *table.keys(), columns) : std::vector<int32_t>();
    auto added = makeRef<MemoryTable>(std::move(names), std::move(columns));
    if (keepsLatest) return added->gather(latest.data(), std::ssize(latest));
    return table.keys() ? rowsWithNewKeys(table, *added) : added;
}

// Adds the rows that are on disk, but not in the table, since memory was short.
void addRowsOnDisk(MemoryTable& table, const StreamKeeper& disk) {
    while (table.stream->total() < disk.written() && disk.written() != StreamKeeper::kWritesNoMore) {
        const StreamRows found = disk.read(table.stream->total(), 1);
        CHECK(found.rows) << "what was written can be read";
        addRows(table, *found.rows, true);
    }
}

// Appends rows to a table whose rows are on disk before they are in it. Returns how many there were.
int64_t writeAndAddRows(MemoryTable& table, StreamKeeper& disk, const MemoryTable& rows) {
    const OptionalLock turn(&table.turn);  // rows are written in the order in which they are added
    addRowsOnDisk(table, disk);
    disk.awaitRoom(table.stream->total());
    const Ref<MemoryTable> added = rowsToAdd(table, rows);
    if (added->rowCount() == 0) return 0;
    disk.write(added);
    const memory::Unrefused whole;
    try {
        addRows(table, *added, true);
    } catch (const memory::OutOfMemory& error) {
        // They are stored for good: the next append adds them first.
        logWarning("streaming", "rows were written to disk, but there is no memory to show them",
                   {{"table", table.name}, {"error", error.what()}});
    }
    return added->rowCount();
}

AppendReport appendRows(Context& context, Value& target, const MemoryTable& rows) {
    if (PartitionedTable* partitioned = target.table().asPartitioned()) {
        ProgressPhase progress(context.request->progress, "append", ProgressUnit::Rows, rows.rowCount());
        partitioned->require(context.principal(), Right::Insert);
        const auto* stored = dynamic_cast<const StoredTable*>(partitioned);
        AuditedData change(context, stored && stored->commitsByPartition() ? "APPEND_CHUNK_GRANULARITY" : "APPEND",
                           *partitioned, "", AuditedChange::Durability::Unsynced);
        // Rows of a row table may have to wait for other transactions.
        std::optional<CancellationScope> cancellation;
        if (dynamic_cast<RowAccess*>(partitioned) != nullptr) cancellation.emplace(&context.request->cancelled);
        const AppendReport report = partitioned->append(rows);
        if (change.isAudited()) change.done(fmt::format("appendedRows={}", report.written));
        progress.add(rows.rowCount());
        tellDropped(context, *partitioned, report);
        return report;
    }
    if (RowSink* sink = target.table().asSink()) return {.written = sink->take(context, rows)};
    auto* memory = asMemoryTable(target);
    if (memory == nullptr) throw UserError(0, "This table takes no rows.");
    if (memory->lock) return {.written = appendToMemory(*memory, rows)};
    // Appending a table to itself must not read the rows that it writes.
    const Ref<MemoryTable> held = &rows == memory ? memory->copy() : Ref<MemoryTable>();
    target.makeUnique();
    return {.written = appendToMemory(static_cast<MemoryTable&>(target.table()), held ? *held : rows)};
}

}  // namespace

int64_t appendToMemory(MemoryTable& table, const MemoryTable& rows) {
    const std::shared_ptr<StreamKeeper> disk = table.stream ? table.stream->keeper() : nullptr;
    if (!disk) {
        if (table.stream && table.stream->isBounded()) awaitReaders(*table.stream);
        const int64_t written = addRows(table, rows);
        if (table.stream && written > 0) table.stream->wake();
        return written;
    }
    int64_t written = 0;
    if (disk->isSynchronous()) {
        written = writeAndAddRows(table, *disk, rows);
    } else {
        disk->awaitRoom(table.stream->total());
        written = addRows(table, rows);
        if (written > 0) disk->rowsCame();
    }
    // Else readers are woken once the rows are on disk.
    if (written > 0 && table.stream->published() == table.stream->total()) table.stream->wake();
    return written;
}

AppendReport appendToTable(Context& context, Value& target, const MemoryTable& rows) {
    const AppendReport report = appendRows(context, target, rows);
    if (Progress* progress = context.request->progress) progress->addChangedRows(report.written, 0);
    return report;
}

void makeStream(MemoryTable& table) {
    table.stream = std::make_shared<StreamLog>();
    table.stream->appended(table.rowCount());
    if (!table.lock) table.lock = std::make_shared<RecursiveMutex>();
}

int writtenColumns(const Table& table) {
    const MemoryTable* memory = const_cast<Table&>(table).asMemory();
    const bool isStamped = memory && memory->stream && memory->stream->stampsArrival();
    return table.columnCount() - (isStamped ? 1 : 0);
}

}  // namespace pelorus
