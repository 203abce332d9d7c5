// MetaStore is the interface of the transactional key-value stores for metadata: databases, tables, placement, users.
//
// Every successful transaction gets a new revision, a growing number. A read returns the revision that it shows; reads
// of several keys at one revision are one snapshot. Keys are ordered by bytes.
//
// Two implementations: metadata_embedded.h (records of the node's log) and distributed/metadata/metadata_etcd.h.
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// A key with its value.
struct MetaEntry {
    std::string key;
    std::string value;
    uint64_t revision = 0;  // revision of the transaction that wrote this value
};

// The result of reading a range of keys.
struct MetaRead {
    uint64_t revision = 0;  // revision of the state that the read shows
    std::vector<MetaEntry> entries;
};

// A condition of a transaction: the key was last written by `revision`; 0 means that the key does not exist.
struct MetaCondition {
    std::string key;
    uint64_t revision = 0;
};

// A write of a transaction.
struct MetaWrite {
    std::string key;
    std::optional<std::string> value;  // nullopt removes the key
    uint64_t lease = 0;                // the key disappears when this lease ends; 0 for none
};

// The outcome of a transaction.
struct MetaOutcome {
    bool done = false;      // false: a condition did not hold, nothing was written
    uint64_t revision = 0;  // revision of the transaction, or of the state that refused it
};

// A key that is written if it does not exist and its own conditions hold.
struct MetaPut {
    MetaWrite write;
    std::vector<MetaCondition> conditions;
};

// The outcome of putAbsent.
struct MetaAbsentOutcome {
    bool done = false;      // false: a condition of the transaction did not hold, nothing was written
    uint64_t revision = 0;  // revision of the transaction, or of the state that refused it
    struct Key {
        bool isWritten = false;
        std::optional<MetaEntry> there;  // the existing entry, which remains; nullopt when the key did not exist
    };
    std::vector<Key> keys;  // one for each put, in order
};

// A change that a watch reports.
struct MetaChange {
    std::string key;
    std::optional<std::string> value;  // nullopt when the key was removed
    uint64_t revision = 0;
};

// Key that the store of a cluster writes in every transaction: its revision is that of the newest change.
inline constexpr const char* kClockKey = "clock";

// The interface. All calls throw SystemError (retryable) when the store does not answer.
class MetaStore {
public:
    // A running watch. The destructor ends it, and waits while the callback runs in another thread.
    class Watch {
    public:
        virtual ~Watch() = default;
    };
    using OnChange = std::function<void(const std::vector<MetaChange>&)>;

    virtual ~MetaStore() = default;

    // Returns an entry, and nullopt when the key does not exist. `revision` 0 reads the newest state. Throws
    // SystemError when an old revision is no longer stored.
    virtual std::optional<MetaEntry> get(const std::string& key, uint64_t revision = 0) = 0;
    // Returns the entries whose keys begin with `prefix`, in order, at most `limit` (0: all).
    virtual MetaRead range(const std::string& prefix, uint64_t revision = 0, size_t limit = 0) = 0;

    // Applies all writes if all conditions hold, else none. The writes are durable when it returns. After a SystemError
    // the transaction may or may not have happened; read to find out.
    virtual MetaOutcome transact(const std::vector<MetaCondition>& conditions,
                                 const std::vector<MetaWrite>& writes) = 0;

    // Writes those of the keys that do not exist and whose own conditions hold, as one transaction, if all `conditions`
    // hold.
    virtual MetaAbsentOutcome putAbsent(const std::vector<MetaCondition>& conditions, const std::vector<MetaPut>& puts);

    // Calls `onChange`, in order and one transaction at a time, with the changes under `prefix` after `afterRevision`.
    // The callback must not call `transact`. When the store does not have all of the changes any more, it calls
    // `onLost` once and the watch ends: its owner reads the state and watches from there. Without `onLost` the
    // differences of the states are reported as changes.
    virtual std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                         std::function<void()> onLost = nullptr) = 0;

    // Returns a new lease. It ends when it is not kept alive for `timeoutMillis`, and its keys are then removed.
    virtual uint64_t grantLease(int64_t timeoutMillis) = 0;
    // Extends a lease; returns false when it has ended.
    virtual bool keepAlive(uint64_t lease) = 0;
    virtual void revokeLease(uint64_t lease) = 0;
};

// Scope in which reads of this thread from a copy of a remote store need not be newer than the first of them: they show
// all that was acknowledged before the moment began, and what this thread has written. A moment within another one is
// part of it.
class MetaMoment {
public:
    enum class Begin {
        AtFirstRead,
        Before,  // the caller has ensured that the copy is as new as needed
    };
    explicit MetaMoment(Begin begin = Begin::AtFirstRead);
    ~MetaMoment();
    MetaMoment(const MetaMoment&) = delete;
    MetaMoment& operator=(const MetaMoment&) = delete;

    // Returns whether the copy is new enough for this thread.
    static bool isRead();
    static void noteRead();

private:
    const bool isOuter_;
};

}  // namespace pelorus
