#include "runtime/append/table_transaction.h"

#include <catch2/catch.hpp>
#include <thread>

using namespace pelorus;

namespace {

class NoTransaction final : public Transaction {
public:
    const void* clock() const override { return this; }
    void beginStatement(const TransactionSettings&) override {}
    void endStatement() override {}
    uint64_t number() override { return 1; }
    bool hasChanges() const override { return false; }
    bool lockNumber(const AdvisoryLock&) override { return true; }
    void checkChanges() override {}
    void deferChecks(const std::vector<std::string>&, bool) override {}
    size_t savepointCount() const override { return 0; }
    void savepoint() override {}
    void release(size_t) override {}
    void rollbackTo(size_t) override {}
    void commit() override {}
    void rollback() override {}
};

}  // namespace

TEST_CASE("statements of a thread belong to the transaction of the innermost scope") {
    NoTransaction outer, inner;
    CHECK(TransactionScope::current() == nullptr);
    {
        const TransactionScope scope(&outer);
        CHECK(TransactionScope::current() == &outer);
        {
            const TransactionScope none(nullptr, {.lockTimeout = std::chrono::milliseconds(5)});
            CHECK(TransactionScope::current() == nullptr);
            {
                const TransactionScope innermost(&outer);
                CHECK(TransactionScope::settings().lockTimeout == std::chrono::milliseconds(5));
            }
            TransactionScope::set(&inner);
            CHECK(TransactionScope::current() == &inner);
        }
        CHECK(TransactionScope::current() == &outer);
        CHECK(TransactionScope::settings().lockTimeout == std::chrono::milliseconds(0));
        const Transaction* elsewhere = &outer;
        std::thread([&] { elsewhere = TransactionScope::current(); }).join();
        CHECK(elsewhere == nullptr);
    }
    CHECK(TransactionScope::current() == nullptr);
}
