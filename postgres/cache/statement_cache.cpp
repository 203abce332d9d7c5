#include "postgres/cache/statement_cache.h"

#include <functional>
#include <utility>

namespace pelorus::postgres {

bool CachedStatement::isStillMeant(const SessionFacts& session, Context& context) const {
    if (query) return query->isStillMeant(session, context);
    return !change || change->isStillMeant(session, context);
}

std::shared_ptr<const CachedStatement> StatementCache::find(const std::string& key) {
    const MutexLock lock(mutex_);
    const auto found = byKey_.find(key);
    if (found == byKey_.end()) return {};
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->statement;
}

bool StatementCache::isKnown(const std::string& key) {
    const size_t hash = std::hash<std::string>()(key);
    const MutexLock lock(mutex_);
    return std::exchange(asked_[hash % asked_.size()], hash) == hash;
}

void StatementCache::add(const std::string& key, CachedStatement statement) {
    if (key.size() > kMaxTextBytes) return;
    auto kept = std::make_shared<const CachedStatement>(std::move(statement));
    const MutexLock lock(mutex_);
    removeLocked(key);
    entries_.push_front({key, std::move(kept)});
    byKey_.emplace(entries_.front().key, entries_.begin());
    bytes_ += key.size();
    while (entries_.size() > kMaxStatements || bytes_ > kMaxAllBytes) removeLocked(entries_.back().key);
}

void StatementCache::remove(const std::string& key) {
    const MutexLock lock(mutex_);
    removeLocked(key);
}

size_t StatementCache::size() const {
    const MutexLock lock(mutex_);
    return entries_.size();
}

void StatementCache::removeLocked(const std::string& key) {
    const auto found = byKey_.find(key);
    if (found == byKey_.end()) return;
    const auto entry = found->second;
    bytes_ -= entry->key.size();
    byKey_.erase(found);
    entries_.erase(entry);
}

std::string cacheContext(const SessionFacts& session) {
    // No name has a zero byte.
    std::string context = session.user + '\0' + session.database + '\0';
    for (const std::string& schema : session.searchPath) context += schema + '\0';
    if (session.setting)
        for (const char* name : {"TimeZone", "DateStyle", "IntervalStyle"}) context += session.setting(name) + '\0';
    return context + '\0';
}

}  // namespace pelorus::postgres
