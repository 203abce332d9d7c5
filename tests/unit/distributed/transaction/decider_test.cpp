#include "distributed/transaction/decider.h"

#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "distributed/metadata/cluster_config.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

TransactionRecord commitOf(const std::string& transaction) {
    return {transaction, true, 0, {"a"}, 0};
}

uint64_t put(MetaStore& store, const std::string& key, const std::string& value) {
    return store.transact({}, {{key, value, 0}}).revision;
}

}  // namespace

TEST_CASE("a commit is decided once, and sent again it is what it was") {
    const auto store = memoryMetaStore();
    const uint64_t config = put(*store, kConfigKey, "");
    Decider decider(*store);
    CHECK(decider.decide(commitOf("a/1/1"), config, {}) == Decision::Committed);
    CHECK(store->get("txn/a/1/1")->value == "commit 0 a");
    const uint64_t revision = store->get("txn/a/1/1")->revision;
    CHECK(decider.decide(commitOf("a/1/1"), config, {}) == Decision::Committed);
    CHECK(store->get("txn/a/1/1")->revision == revision);
}

TEST_CASE("a transaction that was aborted before stays so, whatever the configuration is by then") {
    const auto store = memoryMetaStore();
    const uint64_t config = put(*store, kConfigKey, "");
    put(*store, "txn/a/1/1", "abort 0 a");
    put(*store, "txn/a/1/2", "commit 0 a");
    Decider decider(*store);
    CHECK(decider.decide(commitOf("a/1/1"), config, {}) == Decision::Aborted);
    put(*store, kConfigKey, "newer");
    CHECK(decider.decide(commitOf("a/1/1"), config, {}) == Decision::Aborted);
    CHECK(decider.decide(commitOf("a/1/2"), config, {}) == Decision::Committed);
    CHECK(decider.decide(commitOf("a/1/3"), config, {}) == Decision::Refused);
    CHECK(!store->get("txn/a/1/3"));
}

TEST_CASE("a table that has changed refuses its own transaction") {
    const auto store = memoryMetaStore();
    const uint64_t config = put(*store, kConfigKey, "");
    const uint64_t first = put(*store, "table/t", "1");
    put(*store, "table/t", "2");
    Decider decider(*store);
    CHECK(decider.decide(commitOf("a/1/1"), config, {{"table/t", first}}) == Decision::TableChanged);
    CHECK(!store->get("txn/a/1/1"));
    CHECK(decider.decide(commitOf("a/1/2"), config, {}) == Decision::Committed);
}

TEST_CASE("of many at once each gets its own answer, and a place of its own within a revision") {
    const auto store = memoryMetaStore();
    const uint64_t config = put(*store, kConfigKey, "");
    const uint64_t table = put(*store, "table/t", "1");
    put(*store, "txn/a/1/3", "abort 0 a");
    Decider decider(*store);
    constexpr int kCount = 24;
    std::vector<Decision> decisions(kCount, Decision::Refused);
    std::vector<std::thread> threads;
    for (int i = 0; i < kCount; ++i) {
        threads.emplace_back([&, i] {
            const MetaCondition condition{"table/t", i == 5 ? table + 1 : table};
            decisions[static_cast<size_t>(i)] =
                decider.decide(commitOf("a/1/" + std::to_string(i)), config, {condition});
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<std::pair<uint64_t, uint64_t>> places;
    for (int i = 0; i < kCount; ++i) {
        INFO(i);
        const Decision expected = i == 3 ? Decision::Aborted : i == 5 ? Decision::TableChanged : Decision::Committed;
        CHECK(decisions[static_cast<size_t>(i)] == expected);
        const auto entry = store->get("txn/a/1/" + std::to_string(i));
        if (expected != Decision::Committed) continue;
        const auto record = TransactionRecord::decode("", entry.value().value, entry->revision);
        CHECK(places.insert({record.value().revision, record->place}).second);
    }
}

TEST_CASE("an error of the store is that of all who waited for it") {
    class BrokenStore final : public MetaStore {
    public:
        std::optional<MetaEntry> get(const std::string&, uint64_t) override { throw SystemError("The store is away."); }
        MetaRead range(const std::string&, uint64_t, size_t) override { throw SystemError("The store is away."); }
        MetaOutcome transact(const std::vector<MetaCondition>&, const std::vector<MetaWrite>&) override {
            throw SystemError("The store is away.");
        }
        std::unique_ptr<Watch> watch(const std::string&, uint64_t, OnChange, std::function<void()>) override {
            return nullptr;
        }
        uint64_t grantLease(int64_t) override { return 0; }
        bool keepAlive(uint64_t) override { return false; }
        void revokeLease(uint64_t) override {}
    } store;
    Decider decider(store);
    CHECK_THROWS_WITH(decider.decide(commitOf("a/1/1"), 1, {}), "The store is away.");
    // And the next one is not stuck behind it.
    CHECK_THROWS_WITH(decider.decide(commitOf("a/1/2"), 1, {}), "The store is away.");
}
