// StatementCache keeps what statements were prepared as, for all sessions of a node.
#pragma once

#include <array>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/thread/mutex.h"
#include "postgres/change/prepared_change.h"
#include "postgres/parse/parsed_statement.h"
#include "postgres/translate/prepared_query.h"

namespace pelorus::postgres {

// A query or change as it was prepared, or a statement that begins or ends a transaction and needs no preparation. All
// are null where the key is known to have no form that sessions may share.
struct CachedStatement {
    std::shared_ptr<const Statement> statement;
    std::shared_ptr<const PreparedQuery> query = nullptr;
    std::shared_ptr<const PreparedChange> change = nullptr;

    // Returns whether its names of tables still find what they did.
    bool isStillMeant(const SessionFacts& session, Context& context) const;
};

// The cache, bounded by the number of its statements and by the bytes of their texts: what was not used for the longest
// time is forgotten. Whoever finds a statement asks whether it still means the same (isStillMeant).
// Thread-safe.
class StatementCache {
public:
    static constexpr size_t kMaxStatements = 4'096;
    static constexpr size_t kMaxTextBytes = 8 << 10;   // of one statement: longer ones are not kept
    static constexpr size_t kMaxAllBytes = 512 << 10;  // of all; trees and plans take some sixty times their texts

    // Finds a statement; nothing when the key is unknown.
    std::shared_ptr<const CachedStatement> find(const std::string& key);
    // Returns whether the key was asked about before, lately: what comes once is not worth its place. May be wrong for
    // a key whose hash is that of another one.
    bool isKnown(const std::string& key);
    // Keeps a statement, in the place of the one with its key.
    void add(const std::string& key, CachedStatement statement);
    void remove(const std::string& key);
    size_t size() const;

private:
    struct Entry {
        std::string key;
        std::shared_ptr<const CachedStatement> statement;
    };
    void removeLocked(const std::string& key) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    mutable Mutex mutex_;
    std::list<Entry> entries_ GUARDED_BY(mutex_);                                                // the last used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> byKey_ GUARDED_BY(mutex_);  // keys of entries_
    std::array<size_t, kMaxStatements> asked_ GUARDED_BY(mutex_) = {};  // hashes of keys, each in its own place
    size_t bytes_ GUARDED_BY(mutex_) = 0;                               // of keys
};

// Returns what a text means for a session beside its words: the beginning of its key.
std::string cacheContext(const SessionFacts& session);

}  // namespace pelorus::postgres
