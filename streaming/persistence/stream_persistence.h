// StreamPersistence is the registry of the stream tables that a node keeps on disk, with the thread that writes them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/append/stream_store.h"
#include "runtime/function/context.h"
#include "streaming/persistence/persisted_stream.h"
#include "streaming/persistence/stored_positions.h"

namespace pelorus {

// A service of the process. It holds the tables until they are dropped, or nobody else has them and all of their rows
// are on disk. Thread-safe.
class StreamPersistence {
public:
    StreamPersistence() = default;
    ~StreamPersistence() { stop(); }

    // Returns the folder of this node, which is opened at the first call.
    std::shared_ptr<StreamFolder> folder(const Services& services) LOCKS_EXCLUDED(folderMutex_);

    // Keeps the rows of the table on disk from now on, under the name: those of an empty table go on after the rows on
    // disk, of which the newest `loaded` are put into it. Throws UserError when another table of that name is kept, its
    // columns differ from those on disk (S03012, S03017), they cannot be stored, or they belong to another user; when
    // it throws, nothing has changed.
    void enable(const Services& services, const Ref<MemoryTable>& table, const std::string& name,
                const Principal& owner, const PersistenceOptions& options, int64_t loaded);
    // Returns what keeps the table; null when nothing does.
    static std::shared_ptr<PersistedStream> keeperOf(const MemoryTable& table);
    // Writes what waits, and then no more. Does nothing when the table is not kept.
    void disable(MemoryTable& table);
    // Disables it, and removes its rows from disk; those in memory stay.
    void clear(const Services& services, MemoryTable& table);
    // Removes the rows of that name from disk, whether a table of that name is kept or not.
    void remove(const Services& services, const std::string& name);
    // Stores the position of a subscription, "table/action", after the rows that its handler has given to stream
    // tables; synced within kSyncPeriod.
    void setPosition(const std::string& topic, StreamFolder::Position position);
    std::optional<StreamFolder::Position> position(const Services& services, const std::string& topic);
    void removePosition(const Services& services, const std::string& topic);
    std::vector<std::shared_ptr<PersistedStream>> all() const LOCKS_EXCLUDED(mutex_);

    // Writes what waits, syncs, and ends the thread. Later appends to the tables, and calls of `enable`, are
    // refused.
    void stop();

private:
    static constexpr auto kSyncPeriod = std::chrono::milliseconds(100);
    static constexpr auto kRetryDelay = std::chrono::milliseconds(200);
    static constexpr auto kSweepPeriod = std::chrono::seconds(2);

    struct Kept {
        Ref<MemoryTable> table;
        std::shared_ptr<PersistedStream> stream;
    };
    // The mark that rows wait. Streams share it: they may live longer than this object.
    struct Signal {
        Mutex mutex;
        CondVar came;
        bool isSet GUARDED_BY(mutex) = false;
        bool isStopping GUARDED_BY(mutex) = false;
        void set() LOCKS_EXCLUDED(mutex);
    };

    std::vector<Kept> kept() const LOCKS_EXCLUDED(mutex_);
    std::shared_ptr<PersistedStream> take(const MemoryTable& table, Ref<MemoryTable>& held) LOCKS_EXCLUDED(mutex_);
    void finish(const Kept& kept);
    void startWorker() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void work();
    bool writeAll();
    bool writeRows();
    std::shared_ptr<StreamFolder> openedFolder() LOCKS_EXCLUDED(folderMutex_);
    void sweep();

    Mutex step_;  // orders steps: one table is enabled, cleared or removed at a time
    mutable Mutex mutex_;
    std::map<std::string, Kept> kept_ GUARDED_BY(mutex_);
    StoredPositions positions_;
    std::thread worker_ GUARDED_BY(mutex_);
    bool isStopped_ GUARDED_BY(mutex_) = false;
    Mutex folderMutex_;
    std::shared_ptr<StreamFolder> folder_ GUARDED_BY(folderMutex_);
    const std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
};

}  // namespace pelorus
