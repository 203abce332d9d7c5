// PostgresSession is the state that a session of PostgreSQL's protocol keeps between its messages.
#pragma once

#include "postgres/change/kept_inserts.h"
#include "postgres/translate/prepared_query.h"
#include "server/postgres/portals.h"
#include "server/postgres/session_settings.h"
#include "server/postgres/transaction_state.h"
#include "server/postgres/wire/field_encoder.h"

namespace pelorus {
class Context;
class HeldSnapshot;
class Transaction;
}  // namespace pelorus

namespace pelorus::postgres {

class OpenTransaction;

// The limits that a session sets itself, in milliseconds; 0: none.
struct SessionLimits {
    int64_t statementMillis = 0;
    int64_t idleMillis = 0;
    int64_t idleInBlockMillis = 0;
};

// The thread of the connection owns it.
class PostgresSession {
public:
    // `facts` says who the client is.
    explicit PostgresSession(SessionFacts facts);
    ~PostgresSession();
    PostgresSession(const PostgresSession&) = delete;
    PostgresSession& operator=(const PostgresSession&) = delete;

private:
    const std::unique_ptr<OpenTransaction> ownRows_;  // what `rows` is

public:
    SessionSettings settings;
    TransactionState transaction;
    Portals portals;
    KeptInserts kept;
    OpenTransaction& rows;

    const SessionFacts& facts() const { return facts_; }
    // Returns what a text means for this session beside its words: the beginning of its key among kept statements.
    const std::string& cacheContext() const { return cacheContext_; }
    const FieldStyle& style() const { return style_; }
    const SessionLimits& limits() const { return limits_; }

    // Applies changed settings to facts, style and limits. Called after each change.
    void noteSettings();

    // Change a setting; outside of a block the change is taken back by an error in what was sent together with it.
    void set(std::string_view name, std::string_view value, bool isLocal);
    void reset(std::string_view name);  // "all": all

    // A block begins, and ends: kept, or taken back.
    void beginBlock();
    void endBlock(bool isKept);
    // Returns the transaction over row tables, which begins here if there is none.
    Transaction& openRows(Context& context);
    // Takes back what a failed statement has left: all, or what came after the last savepoint.
    void noteFailure();
    // Returns the snapshot that the block reads at, if its level is that of one for all its statements; else null.
    HeldSnapshot* heldSnapshot();
    // What was sent together ends, outside of a block.
    void endImplicit(bool isKept);
    // Drops the session's temporary tables, and takes back what is open: its locks would be in the way.
    void dropTemporary(const Services& services);

private:
    void noteImplicit();

    SessionFacts facts_;
    std::string cacheContext_;
    FieldStyle style_;
    SessionLimits limits_;
    std::unique_ptr<HeldSnapshot> snapshot_;  // of the block
    bool isImplicit_ = false;                 // settings have changed outside of a block
};

}  // namespace pelorus::postgres
