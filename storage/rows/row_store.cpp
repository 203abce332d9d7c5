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
    keepImages();
}

std::map<uint64_t, std::shared_ptr<StoredRows>> RowStore::tables() const {
    const MutexLock lock(mutex_);
    std::map<uint64_t, std::shared_ptr<StoredRows>> tables = tables_;
    std::erase_if(tables, [](const auto& entry) { return entry.second->isDropped.load(); });
    return tables;
}

// Forgets the images of tables that are gone. A checkpoint must not name them: the record that dropped such a table may
// be in a file of the log that nothing else needs.
void RowStore::keepImages() {
    if (!images_) return;
    auto kept = std::make_shared<RowImages>(*images_);
    std::erase_if(kept->tables, [&](const auto& entry) { return tables_.count(entry.first) == 0; });
    images_ = tables_.empty() ? nullptr : std::move(kept);
}

void RowStore::adopt(std::shared_ptr<const RowImages> images) {
    const MutexLock lock(mutex_);
    images_ = std::move(images);
    keepImages();
}

void RowStore::purge(int64_t maxBytes) {
    const std::map<uint64_t, std::shared_ptr<StoredRows>> tables = this->tables();
    if (tables.empty()) return;
    for (uint64_t before = UINT64_MAX;;) {
        const uint64_t horizon = reads_.advanceHorizon();
        int64_t bytes = 0;
        for (const auto& [table, rows] : tables) {
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

RowStore::OnDisk RowStore::beginLogFile(uint64_t number) {
    {
        const MutexLock lock(mutex_);
        logFile_ = number;
    }
    return onDisk();
}

RowStore::OnDisk RowStore::onDisk() const {
    const MutexLock lock(mutex_);
    uint64_t first = 0;
    for (const auto& [table, rows] : tables_) first = first == 0 ? rows->logFile : std::min(first, rows->logFile);
    if (first != 0 && images_) first = std::max(first, images_->logFile);
    return {first, images_};
}

void RowStore::replay(uint64_t number, const RowEdits& edits) {
    {
        const MutexLock lock(mutex_);
        if (images_ && number <= images_->number) return;
    }
    make(edits.table, edits.columns)->part->load(number, edits);
}

void RowStore::endReplay(uint64_t number) {
    beginLogFile(number);
    for (const auto& [table, rows] : tables()) rows->part->endLoad();
    reads_.advanceHorizon();
}

}  // namespace pelorus
