#include "streaming/persistence/stream_persistence.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "common/time/local_clock.h"
#include "database/service/stream_folder.h"
#include "runtime/function/principal.h"
#include "runtime/stream/stream_log.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

using Clock = std::chrono::steady_clock;

// Throws unless the table has the columns of the rows on disk.
void requireColumns(const MemoryTable& table, const TableSchema& stored, const std::string& name) {
    const TableSchema& columns = table.columns();
    if (columns.size() != stored.size())
        throw UserError(0,
                        fmt::format("The stream table {} on disk has {} columns, but this table has {}. RefId: S03012",
                                    name, stored.size(), columns.size()),
                        "Make the table as it was, or drop the one on disk: dropStreamTable(name, true).");
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name == stored[i].name && columns[i].type == stored[i].type &&
            columns[i].scale == stored[i].scale)
            continue;
        throw UserError(
            0,
            fmt::format("The column {} of the stream table {} on disk is {} {}, but that of this table is "
                        "{} {}. RefId: S03017",
                        i, name, stored[i].name, typeName(stored[i].type), columns[i].name, typeName(columns[i].type)),
            "Make the table as it was, or drop the one on disk: dropStreamTable(name, true).");
    }
}

void requireOwner(const StreamStore& store, const std::string& name, const Principal& who) {
    if (store.owner() == who.user() || who.administers()) return;
    throw UserError(fmt::format("<NoPrivilege>The stream table {} on disk belongs to {}.", name, store.owner()),
                    "Its owner or an administrator can load it.");
}

}  // namespace

std::shared_ptr<StreamFolder> StreamPersistence::folder(const Services& services) {
    const MutexLock lock(folderMutex_);
    if (!folder_) folder_ = openStreamFolder(services);
    return folder_;
}

std::shared_ptr<PersistedStream> StreamPersistence::keeperOf(const MemoryTable& table) {
    if (!table.stream) return nullptr;
    auto keeper = std::dynamic_pointer_cast<PersistedStream>(table.stream->keeper());
    return keeper && !keeper->isClosed() ? keeper : nullptr;
}

void StreamPersistence::enable(const Services& services, const Ref<MemoryTable>& table, const std::string& name,
                               const Principal& owner, const PersistenceOptions& options, int64_t loaded) {
    const MutexLock step(step_);
    const std::shared_ptr<StreamFolder> folder = this->folder(services);
    if (keeperOf(*table)) throw UserError(0, fmt::format("The table is kept on disk already, as {}.", name));
    Kept former;
    {
        const MutexLock lock(mutex_);
        if (const auto found = kept_.find(name); found != kept_.end()) former = found->second;
    }
    if (former.table) {
        // A table of that name was released: what it has goes to disk before another one continues it.
        finish(former);
        const MutexLock lock(mutex_);
        kept_.erase(name);
    }
    std::shared_ptr<StreamStore> store = folder->find(name);
    const bool isEmpty = table->rowCount() == 0 && table->stream->total() == 0;
    if (store) {
        requireOwner(*store, name, owner);
        requireColumns(*table, store->columns(), name);
        if (!isEmpty)
            throw UserError(0, fmt::format("The table has rows, and so has the stream table {} on disk.", name),
                            "Make an empty table, or drop the one on disk: dropStreamTable(name, true).");
    } else {
        store = folder->make(name, table->columns(), owner.user(), table->stream->first());
    }
    auto stream = std::make_shared<PersistedStream>(name, store, options, [signal = signal_] { signal->set(); });
    if (isEmpty) stream->load(*table, loaded);
    {
        const MutexLock lock(mutex_);
        if (isStopped_) throw UserError("The node stops: it keeps no more stream tables.");
        startWorker();
        kept_[name] = {table, stream};
    }
    table->stream->setKeeper(stream);
    stream->rowsCame();
}

void StreamPersistence::Signal::set() {
    const MutexLock lock(mutex);
    if (std::exchange(isSet, true)) return;
    came.notifyOne();
}

void StreamPersistence::startWorker() {
    if (!isStopped_ && !worker_.joinable()) worker_ = startThread([this] { work(); });
}

void StreamPersistence::setPosition(const std::string& topic, StreamFolder::Position position) {
    positions_.set(topic, std::move(position));
    {
        const MutexLock lock(mutex_);
        startWorker();
    }
    signal_->set();
}

std::optional<StreamFolder::Position> StreamPersistence::position(const Services& services, const std::string& topic) {
    return positions_.get(*folder(services), topic);
}

void StreamPersistence::removePosition(const Services& services, const std::string& topic) {
    positions_.remove(*folder(services), topic);
}

std::vector<StreamPersistence::Kept> StreamPersistence::kept() const {
    std::vector<Kept> all;
    const MutexLock lock(mutex_);
    for (const auto& [name, kept] : kept_) all.push_back(kept);
    return all;
}

std::vector<std::shared_ptr<PersistedStream>> StreamPersistence::all() const {
    std::vector<std::shared_ptr<PersistedStream>> streams;
    for (const Kept& kept : kept()) streams.push_back(kept.stream);
    return streams;
}

// Writes what waits, as far as the disk takes it, and lets the table go on without it.
void StreamPersistence::finish(const Kept& kept) {
    while (kept.stream->writeWaiting(*kept.table)) {
    }
    const std::string error = kept.stream->error();
    if (!error.empty())
        throw SystemError(
            fmt::format("Rows of the stream table {} are not on disk yet. {}", kept.stream->name(), error),
            "Try again once the disk takes them.", true);
    kept.stream->close();
    kept.table->stream->wake();
}

std::shared_ptr<PersistedStream> StreamPersistence::take(const MemoryTable& table, Ref<MemoryTable>& held) {
    const MutexLock lock(mutex_);
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept.second.table.get() == &table; });
    if (found == kept_.end()) return nullptr;
    held = found->second.table;
    auto stream = found->second.stream;
    kept_.erase(found);
    return stream;
}

void StreamPersistence::disable(MemoryTable& table) {
    const std::shared_ptr<PersistedStream> stream = keeperOf(table);
    if (!stream) return;
    finish({Ref<MemoryTable>(&table), stream});
    Ref<MemoryTable> held;
    take(table, held);
}

void StreamPersistence::clear(const Services& services, MemoryTable& table) {
    const MutexLock step(step_);
    const auto stream = std::dynamic_pointer_cast<PersistedStream>(table.stream->keeper());
    if (!stream) return;
    Ref<MemoryTable> held;
    take(table, held);
    stream->close();
    table.stream->setKeeper(nullptr);
    folder(services)->remove(stream->name());
    table.stream->wake();
}

void StreamPersistence::remove(const Services& services, const std::string& name) {
    const MutexLock step(step_);
    Kept former;
    {
        const MutexLock lock(mutex_);
        if (const auto found = kept_.find(name); found != kept_.end()) {
            former = found->second;
            kept_.erase(found);
        }
    }
    if (former.stream) {
        former.stream->close();
        former.table->stream->setKeeper(nullptr);
    }
    positions_.forget(name);
    folder(services)->remove(name);
}

bool StreamPersistence::writeRows() {
    bool isWell = true;
    for (const Kept& kept : kept()) {
        while (kept.stream->writeWaiting(*kept.table)) {
        }
        isWell = isWell && kept.stream->error().empty();
    }
    return isWell;
}

// Writes rows, and then positions. Returns whether the disk took them.
bool StreamPersistence::writeAll() {
    bool isWell = true;
    const auto rows = [&] { return isWell = writeRows(); };
    const std::shared_ptr<StreamFolder> folder = openedFolder();
    if (!folder) return rows();
    try {
        positions_.store(*folder, rows);
    } catch (const Error& error) {
        logWarning("streaming", "positions of subscriptions can't be stored", {{"why", error.what()}});
        return false;
    }
    return isWell;
}

std::shared_ptr<StreamFolder> StreamPersistence::openedFolder() {
    const MutexLock lock(folderMutex_);
    return folder_;
}

// Removes what is too old, and releases tables that nobody else has.
void StreamPersistence::sweep() {
    for (Kept& kept : kept()) {
        try {
            kept.stream->removeOld(localNanos());
        } catch (const Error& error) {
            logWarning("streaming", "old rows of a stream table can't be removed",
                       {{"table", kept.stream->name()}, {"why", error.what()}});
        }
    }
    std::vector<Kept> released;
    {
        const MutexLock lock(mutex_);
        for (auto it = kept_.begin(); it != kept_.end();) {
            const bool isAlone =
                it->second.table->unique() && it->second.table->stream->total() == it->second.stream->written();
            if (isAlone) released.push_back(std::move(it->second));
            it = isAlone ? kept_.erase(it) : std::next(it);
        }
    }
    for (const Kept& kept : released) kept.stream->close();
}

void StreamPersistence::work() {
    Clock::time_point lastSync = Clock::now(), lastSweep = lastSync;
    bool isUnsynced = false;
    for (;;) {
        bool isStopping = false;
        {
            MutexLock lock(signal_->mutex);
            const auto deadline = Clock::now() + (isUnsynced ? kSyncPeriod : Clock::duration(kSweepPeriod));
            while (!signal_->isSet && !signal_->isStopping && signal_->came.waitUntil(lock, deadline)) {
            }
            if (signal_->isSet) isUnsynced = true;
            signal_->isSet = false;
            isStopping = signal_->isStopping;
        }
        const bool isWell = writeAll();
        if (isStopping) return;
        const Clock::time_point now = Clock::now();
        if (isUnsynced && now - lastSync >= kSyncPeriod) {
            try {
                openedFolder()->sync();
                isUnsynced = false;
            } catch (const Error& error) {
                logWarning("streaming", "rows of stream tables can't be synced", {{"why", error.what()}});
            }
            lastSync = now;
        }
        if (now - lastSweep >= kSweepPeriod) {
            sweep();
            lastSweep = now;
        }
        if (isWell) continue;
        MutexLock lock(signal_->mutex);
        const auto deadline = Clock::now() + kRetryDelay;
        while (!signal_->isStopping && signal_->came.waitUntil(lock, deadline)) {
        }
        signal_->isSet = true;
    }
}

void StreamPersistence::stop() {
    std::thread worker;
    {
        const MutexLock lock(mutex_);
        isStopped_ = true;
        worker = std::move(worker_);
    }
    {
        const MutexLock lock(signal_->mutex);
        signal_->isStopping = true;
        signal_->came.notifyAll();
    }
    if (worker.joinable()) worker.join();
    for (const Kept& kept : kept()) kept.stream->end();
    std::shared_ptr<StreamFolder> folder;
    {
        const MutexLock lock(mutex_);
        kept_.clear();
    }
    {
        const MutexLock lock(folderMutex_);
        folder = std::move(folder_);
    }
    try {
        if (folder) folder->sync();
    } catch (const Error& error) {
        logWarning("streaming", "rows of stream tables can't be synced", {{"why", error.what()}});
    }
}

}  // namespace pelorus
