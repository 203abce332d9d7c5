#include "storage/rows/row_store.h"

#include <algorithm>

#include "common/log.h"

namespace pelorus {

std::shared_ptr<StoredRows> RowStore::find(uint64_t table) const {
    const MutexLock lock(mutex_);
    const auto found = tables_.find(table);
    return found == tables_.end() ? nullptr : found->second;
}

std::shared_ptr<StoredRows> RowStore::make(uint64_t table, const RowColumns& columns) {
    std::shared_ptr<StoredRows> rows;
    {
        const MutexLock lock(mutex_);
        std::shared_ptr<StoredRows>& entry = tables_[table];
        if (!entry) entry = std::make_shared<StoredRows>(table, columns, slots_, logFile_);
        rows = entry;
    }
    if (rows->part->columns().size() < columns.size()) rows->part->addColumns(columns);
    return rows;
}

void RowStore::drop(uint64_t table) {
    const MutexLock lock(mutex_);
    const auto found = tables_.find(table);
    if (found == tables_.end()) return;
    found->second->isDropped = true;
    tables_.erase(found);
}

std::vector<std::shared_ptr<StoredRows>> RowStore::all() const {
    const MutexLock lock(mutex_);
    std::vector<std::shared_ptr<StoredRows>> all;
    for (const auto& [table, rows] : tables_) all.push_back(rows);
    return all;
}

void RowStore::purge(int64_t maxBytes) {
    const std::vector<std::shared_ptr<StoredRows>> tables = all();
    if (tables.empty()) return;
    for (uint64_t before = UINT64_MAX;;) {
        const uint64_t horizon = reads_.advanceHorizon();
        int64_t bytes = 0;
        for (const auto& rows : tables) {
            rows->part->purge(horizon);
            bytes += rows->part->undoBytes();
        }
        // Nobody is in the way of what is left, or only short reads are.
        if (maxBytes == 0 || bytes <= maxBytes || horizon == before || horizon >= visible_()) return;
        before = horizon;
        tooOld_.store(horizon + 1, std::memory_order_seq_cst);
        logWarning("storage", "readers of the oldest snapshot are given up: before-images of rows exceed their memory",
                   {{"snapshot", horizon}, {"bytes", bytes}});
    }
}

uint64_t RowStore::beginLogFile(uint64_t number) {
    const MutexLock lock(mutex_);
    logFile_ = number;
    uint64_t first = 0;
    for (const auto& [table, rows] : tables_) first = first == 0 ? rows->logFile : std::min(first, rows->logFile);
    return first;
}

void RowStore::replay(uint64_t number, const RowEdits& edits) {
    make(edits.table, edits.columns)->part->load(number, edits);
}

void RowStore::endReplay(uint64_t number) {
    beginLogFile(number);
    for (const auto& rows : all()) rows->part->endLoad();
    reads_.advanceHorizon();
}

}  // namespace pelorus
