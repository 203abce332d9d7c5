#include "server/postgres/postgres_session.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/time/time_zone.h"
#include "postgres/cache/statement_cache.h"
#include "postgres/catalog/table_names.h"
#include "postgres/change/open_transaction.h"
#include "postgres/definition/temporary_tables.h"
#include "sql/execution/query_snapshot.h"

namespace pelorus::postgres {

PostgresSession::PostgresSession(SessionFacts facts)
    : ownRows_(std::make_unique<OpenTransaction>(static_cast<uint64_t>(facts.processId))),
      rows(*ownRows_),
      facts_(std::move(facts)) {
    facts_.setting = [this](std::string_view name) { return settings.get(name); };
    facts_.set = [this](std::string_view name, std::string_view value, bool isLocal) {
        set(name, value, isLocal);
        return settings.get(name);
    };
    facts_.makeTemporary = [this](Context& context) {
        const bool isThere = !facts_.temporarySchema.empty() && findSchema(facts_.temporarySchema, context);
        if (!isThere) {
            facts_.temporarySchema = makeTemporarySchema(facts_.processId, context);
            noteSettings();
        }
        return facts_.temporarySchema;
    };
    facts_.advisory = [this](AdvisoryVerb verb, const AdvisoryLock& lock, Context& context) {
        return rows.advise(verb, lock, {.held = heldSnapshot(), .savepoints = transaction.savepointCount()}, context);
    };
    noteSettings();
}

PostgresSession::~PostgresSession() = default;

void PostgresSession::noteSettings() {
    facts_.searchPath.clear();
    if (!facts_.temporarySchema.empty()) facts_.searchPath.push_back(facts_.temporarySchema);
    for (std::string& schema : settings.searchPath())
        facts_.searchPath.push_back(schema == "$user" ? facts_.user : std::move(schema));
    cacheContext_ = postgres::cacheContext(facts_);
    style_.zone = zoneOfSetting(settings.get("TimeZone"));
    const std::string digits = settings.get("extra_float_digits");
    style_.extraFloatDigits = 1;
    std::from_chars(digits.data(), digits.data() + digits.size(), style_.extraFloatDigits);
    limits_ = {.statementMillis = settings.millis("statement_timeout"),
               .idleMillis = settings.millis("idle_session_timeout"),
               .idleInBlockMillis = settings.millis("idle_in_transaction_session_timeout")};
    rows.setSettings({.lockTimeout = std::chrono::milliseconds(settings.millis("lock_timeout")),
                      .isSynchronous = settings.get("synchronous_commit") != "off"});
    style_.searchPath = joinedSearchPath(facts_);
    style_.escapesBytes = settings.get("bytea_output") == "escape";
}

void PostgresSession::dropTemporary(const Services& services) {
    if (facts_.temporarySchema.empty()) return;
    rows.rollback();
    dropTemporarySchema(std::exchange(facts_.temporarySchema, {}), services);
    noteSettings();
}

void PostgresSession::noteImplicit() {
    if (transaction.isOpen() || isImplicit_) return;
    isImplicit_ = true;
    settings.begin();
}

void PostgresSession::set(std::string_view name, std::string_view value, bool isLocal) {
    noteImplicit();
    settings.set(name, value, isLocal);
    noteSettings();
}

void PostgresSession::reset(std::string_view name) {
    noteImplicit();
    if (name == "all") {
        settings.resetAll();
    } else {
        settings.reset(name);
    }
    noteSettings();
}

void PostgresSession::beginBlock() {
    endImplicit(true);
    settings.begin();
    transaction.begin();
}

HeldSnapshot* PostgresSession::heldSnapshot() {
    if (!transaction.isOpen() || settings.get("transaction_isolation") != "repeatable read") return nullptr;
    if (!snapshot_) snapshot_ = std::make_unique<HeldSnapshot>();
    return snapshot_.get();
}

Transaction& PostgresSession::openRows(Context& context) {
    return rows.open({.held = heldSnapshot(), .savepoints = transaction.savepointCount()}, context);
}

void PostgresSession::noteFailure() {
    transaction.fail();
    endImplicit(false);
    if (!transaction.hasFailed()) return;
    if (const size_t savepoints = transaction.savepointCount(); savepoints > 0) return rows.rollbackTo(savepoints);
    kept.drop();
    rows.rollback();
}

void PostgresSession::endBlock(bool isKept) {
    transaction.end();
    snapshot_.reset();
    kept.drop();
    rows.rollback();
    if (isKept) {
        settings.commit();
    } else {
        settings.rollback();
    }
    portals.closePortals(false);
    noteSettings();
}

void PostgresSession::endImplicit(bool isKept) {
    if (!isKept && !transaction.isOpen()) {
        kept.drop();
        rows.rollback();
    }
    if (!isImplicit_) return;
    isImplicit_ = false;
    if (isKept) {
        settings.commit();
    } else {
        settings.rollback();
    }
    noteSettings();
}

}  // namespace pelorus::postgres
