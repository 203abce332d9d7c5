#include "runtime/append/script_transaction.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/error.h"

using namespace pelorus;

namespace {

// A transaction of the session around a script that notes what it is asked for.
class NotedTransaction final : public Transaction {
public:
    const void* clock() const override { return this; }
    void beginStatement(const TransactionSettings&) override {}
    void endStatement() override {}
    uint64_t number() override { return 1; }
    bool hasChanges() const override { return isChanged; }
    bool lockNumber(const AdvisoryLock&) override { return true; }
    void checkChanges() override {}
    void deferChecks(const std::vector<std::string>&, bool) override {}
    size_t savepointCount() const override { return count; }
    void savepoint() override { ++count; }
    void release(size_t left) override { count = left; }
    void rollbackTo(size_t place) override { asked.push_back("rollback to " + std::to_string(place)); }
    void commit() override { asked.push_back("commit"); }
    void rollback() override { asked.push_back("rollback"); }

    bool isChanged = false;
    size_t count = 0;
    std::vector<std::string> asked;
};

}  // namespace

TEST_CASE("blocks of a thread are nested, and the innermost is the current one") {
    CHECK(ScriptTransaction::current() == nullptr);
    CHECK_NOTHROW(ScriptTransaction::refuse("A change"));
    {
        ScriptTransaction outer({});
        CHECK(ScriptTransaction::current() == &outer);
        {
            ScriptTransaction inner({});
            CHECK(ScriptTransaction::current() == &inner);
            inner.commit();
            CHECK(ScriptTransaction::current() == &outer);
        }
        CHECK_THROWS_WITH(ScriptTransaction::refuse("A change"),
                          Catch::Contains("A change is a transaction of its own"));
        CHECK_NOTHROW(ScriptTransaction::requireUnchanged("A drop"));
    }
    CHECK(ScriptTransaction::current() == nullptr);
}

TEST_CASE("a block within a transaction of the session is a savepoint of it") {
    NotedTransaction session;
    session.savepoint();
    const TransactionScope scope(&session);
    {
        ScriptTransaction kept({});
        CHECK(TransactionScope::current() == &session);
        CHECK(session.count == 2);
        kept.commit();
    }
    CHECK(session.asked.empty());
    CHECK(session.count == 1);
    {
        const ScriptTransaction left({});
        session.isChanged = true;
        CHECK_THROWS_WITH(ScriptTransaction::requireUnchanged("A drop"), Catch::Contains("<ActiveTransaction>"));
    }
    CHECK(session.asked == std::vector<std::string>{"rollback to 2"});
    CHECK(session.count == 1);
    CHECK(TransactionScope::current() == &session);
}

TEST_CASE("statements of a block wait for locks as it says") {
    const ScriptTransaction block({.lockTimeout = std::chrono::milliseconds(5)});
    CHECK(TransactionScope::settings().lockTimeout == std::chrono::milliseconds(5));
}
