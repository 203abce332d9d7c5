// Transactional key-value store for metadata: databases, tables, placement, users.
//
// Every successful transaction gets a new revision, a growing number. A read returns the revision it shows; reads of
// several keys at one revision are one snapshot. Keys are ordered by bytes.
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

struct MetaEntry {
    std::string key;
    std::string value;
    uint64_t revision = 0;  // of the transaction that wrote this value
};

struct MetaRead {
    uint64_t revision = 0;  // of the state that the read shows
    std::vector<MetaEntry> entries;
};

// One condition of a transaction: the key was last written by `revision`; 0 means that the key does not exist.
struct MetaCondition {
    std::string key;
    uint64_t revision = 0;
};

struct MetaWrite {
    std::string key;
    std::optional<std::string> value;  // no value removes the key
    uint64_t lease = 0;                // the key disappears when this lease ends; 0 for none
};

struct MetaOutcome {
    bool done = false;      // false: a condition did not hold, nothing was written
    uint64_t revision = 0;  // of the transaction, or of the state that refused it
};

// A key that is written if it is not there, and if conditions of its own hold.
struct MetaPut {
    MetaWrite write;
    std::vector<MetaCondition> conditions;
};

struct MetaAbsentOutcome {
    bool done = false;      // false: a condition of the transaction did not hold, nothing was written
    uint64_t revision = 0;  // of the transaction, or of the state that refused it
    struct Key {
        bool isWritten = false;
        std::optional<MetaEntry> there;  // what was there and stays; nothing when a condition of the key did not hold
    };
    std::vector<Key> keys;  // in the order of the puts
};

struct MetaChange {
    std::string key;
    std::optional<std::string> value;  // none when it was removed
    uint64_t revision = 0;
};

// The key that the store of a cluster writes in every transaction: its revision is that of the newest change.
inline constexpr const char* kClockKey = "clock";

class MetaStore {
public:
    // Ends the watch when dropped; does not return while the callback runs in another thread.
    class Watch {
    public:
        virtual ~Watch() = default;
    };
    using OnChange = std::function<void(const std::vector<MetaChange>&)>;

    virtual ~MetaStore() = default;

    // `revision` 0 reads the newest state. Throws SystemError when an old revision is no longer kept, or when the store
    // does not answer (retryable).
    virtual std::optional<MetaEntry> get(const std::string& key, uint64_t revision = 0) = 0;
    // Returns the keys that begin with `prefix`, in order, at most `limit` (0: all).
    virtual MetaRead range(const std::string& prefix, uint64_t revision = 0, size_t limit = 0) = 0;

    // Applies all writes when all conditions hold, or nothing. Durable when it returns. A SystemError leaves it open
    // whether the transaction happened; read to find out.
    virtual MetaOutcome transact(const std::vector<MetaCondition>& conditions,
                                 const std::vector<MetaWrite>& writes) = 0;

    // Writes those of the keys that are not there and whose own conditions hold, as one transaction, when all
    // `conditions` hold.
    virtual MetaAbsentOutcome putAbsent(const std::vector<MetaCondition>& conditions, const std::vector<MetaPut>& puts);

    // Calls back, in order and one transaction at a time, with changes under `prefix` after `afterRevision`. The
    // callback must not call the store's transact. When the store no longer has all of them, `onLost` is called once
    // and the watch ends: its owner reads the state and watches from there; without `onLost` the differences of the
    // states are told as changes.
    virtual std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                         std::function<void()> onLost = nullptr) = 0;

    // A lease ends when it is not kept alive for `timeoutMillis`, and takes its keys with it.
    virtual uint64_t grantLease(int64_t timeoutMillis) = 0;
    // Returns false when the lease has ended.
    virtual bool keepAlive(uint64_t lease) = 0;
    virtual void revokeLease(uint64_t lease) = 0;
};

// While it lives, reads of this thread from a copy of a remote store need not be newer than the first of them: they
// show all that was acknowledged before the moment began, and what this thread has written. A moment within another one
// is part of that.
class MetaMoment {
public:
    enum class Begin {
        AtFirstRead,
        Before,  // whoever asked this thread has seen to it that the copy is as new as needed
    };
    explicit MetaMoment(Begin begin = Begin::AtFirstRead);
    ~MetaMoment();
    MetaMoment(const MetaMoment&) = delete;
    MetaMoment& operator=(const MetaMoment&) = delete;

    // Whether the copy is new enough for this thread.
    static bool isRead();
    static void noteRead();

private:
    const bool isOuter_;
};

}  // namespace pelorus
