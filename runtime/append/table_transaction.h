// A transaction over statements: what a session changes in row tables between begin and commit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pelorus {

// What the statements of a transaction see.
enum class IsolationLevel : uint8_t {
    ReadCommitted,   // each statement what is committed when it begins
    RepeatableRead,  // all what was committed when the first one began
};

// How a statement locks rows that it reads, from the weakest on.
enum class RowLockStrength : uint8_t { KeyShare, Share, NoKeyUpdate, Update };
// What a statement does about rows that others have locked.
enum class RowLockPolicy : uint8_t { Wait, Refuse, Skip };

struct TransactionOptions {
    IsolationLevel level = IsolationLevel::ReadCommitted;
    // The number of the session, whose transactions and advisory locks exclude each other from nothing; 0: none.
    uint64_t session = 0;
    uint64_t number = 0;  // of the snapshot that the session reads at already; 0: none
};

// What a session says of how its statements wait, and of what a commit promises. It may change between statements.
struct TransactionSettings {
    std::chrono::milliseconds lockTimeout{0};  // 0: no limit
    bool isSynchronous = true;                 // else a commit is durable a moment after it was told, and never half
};

// A number that clients agree on to exclude each other, and how they hold it.
struct AdvisoryLock {
    uint64_t space = 0;
    uint64_t number = 0;
    bool isShared = false;
    bool waits = true;
};

// The advisory locks of a session, which it holds until it gives them back or ends. Used by one thread at a time.
class SessionLocks {
public:
    virtual ~SessionLocks() = default;
    // Takes a lock once more. Returns false when it does not wait and another session has it. Throws UserError:
    // <LockNotAvailable>, <Deadlock>, or that the request was cancelled.
    virtual bool lock(const AdvisoryLock& lock, const TransactionSettings& settings) = 0;
    // Gives it back once, and returns whether the session had it.
    virtual bool unlock(const AdvisoryLock& lock) = 0;
    virtual void unlockAll() = 0;
};

// A transaction of one session over the tables of one storage. It holds the rows that it has changed and locked until
// it ends; others that want them wait. Used by one thread at a time. The destructor rolls back.
class Transaction {
public:
    virtual ~Transaction() = default;

    // Tables of this clock (StoredTable::clock) belong to the transaction.
    virtual const void* clock() const = 0;
    // Begins a statement: one of read committed has a snapshot of its own.
    virtual void beginStatement(const TransactionSettings& settings) = 0;
    // Ends it: what only its snapshot needs may go.
    virtual void endStatement() = 0;
    // Returns the number at which the statement reads column tables. It is pinned until the next statement. Throws
    // SystemError when the disk refuses to make durable what the transaction builds on.
    virtual uint64_t number() = 0;
    // Returns whether rows have changed, or were locked.
    virtual bool hasChanges() const = 0;

    // Takes an advisory lock until the end of the transaction, as SessionLocks does.
    virtual bool lockNumber(const AdvisoryLock& lock) = 0;

    // Checks what the rows that a statement has changed must satisfy together, such as foreign keys, and changes rows
    // of other tables where that is said. Called when a statement has made its changes. Throws UserError: the statement
    // must not stand then.
    virtual void checkChanges() = 0;

    // Sets when constraints that may be checked at the end are, from here to the end of the transaction: of these
    // names, or of all where there are none. What was put off and is not to be any more is checked here. Throws as
    // checkChanges does.
    virtual void deferChecks(const std::vector<std::string>& constraints, bool isDeferred) = 0;

    // Returns the number of savepoints.
    virtual size_t savepointCount() const = 0;
    // Sets a savepoint; forgets all but the first `count`; and puts back what was changed and releases what was locked
    // since savepoint `count`, which stays.
    virtual void savepoint() = 0;
    virtual void release(size_t count) = 0;
    virtual void rollbackTo(size_t count) = 0;

    // Makes all changes durable and visible at once, and releases the locks. Where the settings of its last statement
    // say so, it is visible at once and durable a moment later, never half, and not before what was committed earlier.
    // Throws SystemError when the disk refuses: nothing was changed then. The transaction has ended in either case.
    virtual void commit() = 0;
    virtual void rollback() = 0;
};

// Scope in which statements of this thread belong to a transaction, as far as their tables are of its storage; or to
// none, each being one of its own, with the settings of the scope. What a statement hands to other threads has its
// snapshots already.
class TransactionScope {
public:
    // `transaction` outlives the scope; null: there is none. Without settings those of the scope around it apply.
    explicit TransactionScope(Transaction* transaction);
    TransactionScope(Transaction* transaction, const TransactionSettings& settings);
    ~TransactionScope();
    TransactionScope(const TransactionScope&) = delete;
    TransactionScope& operator=(const TransactionScope&) = delete;

    static Transaction* current();
    static TransactionSettings settings();
    // Puts another transaction in the place of the innermost scope's. REQUIRES: there is a scope.
    static void set(Transaction* transaction);

private:
    Transaction* const outer_;
    const TransactionSettings outerSettings_;
    const bool hadScope_;
};

}  // namespace pelorus
