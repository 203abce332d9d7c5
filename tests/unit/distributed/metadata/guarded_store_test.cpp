#include "distributed/metadata/guarded_store.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "distributed/metadata/cluster_identity.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

// A store that can be exchanged for another one behind the back of its user.
class ExchangedStore final : public MetaStore {
public:
    std::optional<MetaEntry> get(const std::string& key, uint64_t revision) override {
        return store->get(key, revision);
    }
    MetaRead range(const std::string& prefix, uint64_t revision, size_t limit) override {
        return store->range(prefix, revision, limit);
    }
    MetaOutcome transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) override {
        return store->transact(conditions, writes);
    }
    std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                 std::function<void()> onLost) override {
        told = onChange;
        return store->watch(prefix, afterRevision, std::move(onChange), std::move(onLost));
    }
    uint64_t grantLease(int64_t timeoutMillis) override { return store->grantLease(timeoutMillis); }
    bool keepAlive(uint64_t lease) override { return store->keepAlive(lease); }
    void revokeLease(uint64_t lease) override { store->revokeLease(lease); }

    std::unique_ptr<MetaStore> store = memoryMetaStore();
    OnChange told;
};

struct Fixture {
    Fixture() {
        auto own = std::make_unique<ExchangedStore>();
        below = own.get();
        for (int i = 0; i < 3; ++i) below->transact({}, {{"before", "x", 0}});
        below->transact({}, {{kClusterIdKey, "ours 2", 0}});
        guarded = std::make_unique<GuardedStore>(std::move(own), "etcd1:2379");
    }
    ExchangedStore* below = nullptr;
    std::unique_ptr<GuardedStore> guarded;
};

const char* const kForeign =
    "The metadata store etcd1:2379 is no longer that of this node's cluster: it was emptied, replaced or set back.";

}  // namespace

TEST_CASE("a store that holds no cluster is refused at once") {
    CHECK_THROWS_WITH(GuardedStore(memoryMetaStore(), "etcd1:2379"), kForeign);
}

TEST_CASE("the store of the cluster reads and writes as it is") {
    Fixture store;
    CHECK(store.guarded->transact({{"key", 0}}, {{"key", "v", 0}}).done);
    CHECK(store.guarded->get("key")->value == "v");
    CHECK(!store.guarded->get("ke"));  // another key begins so
    CHECK(!store.guarded->transact({{"key", 0}}, {{"key", "w", 0}}).done);
    const auto outcome = store.guarded->putAbsent({}, {{{"key", "x", 0}, {}}, {{"other", "x", 0}, {}}});
    CHECK(outcome.done);
    CHECK(!outcome.keys[0].isWritten);
    CHECK(outcome.keys[1].isWritten);
    CHECK(store.guarded->get("key")->value == "v");
}

TEST_CASE("a store that was emptied is written nothing, and is not used again though the right one comes back") {
    Fixture store;
    std::unique_ptr<MetaStore> ours = std::exchange(store.below->store, memoryMetaStore());
    for (int i = 0; i < 9; ++i) store.below->transact({}, {{"filler", "x", 0}});
    CHECK_THROWS_WITH(store.guarded->transact({}, {{"key", "v", 0}}), kForeign);
    CHECK(!store.below->get("key", 0));
    store.below->store = std::move(ours);
    CHECK_THROWS_WITH(store.guarded->get("before"), kForeign);
    CHECK_THROWS_AS(store.guarded->grantLease(1000), SystemError);
}

TEST_CASE("a store of another cluster that has gone further is met at the first write") {
    Fixture store;
    store.below->store = memoryMetaStore();
    store.below->transact({}, {{kClusterIdKey, "another 2", 0}});
    for (int i = 0; i < 9; ++i) store.below->transact({}, {{"filler", "x", 0}});
    CHECK_THROWS_WITH(store.guarded->transact({}, {{"key", "v", 0}}), kForeign);
    CHECK(!store.below->get("key", 0));
}

TEST_CASE("a store that went back in time is met at the first read") {
    Fixture store;
    store.guarded->transact({}, {{"key", "v", 0}});
    store.below->store = memoryMetaStore();
    store.below->transact({}, {{kClusterIdKey, "ours 2", 0}});
    CHECK_THROWS_WITH(store.guarded->get("key"), kForeign);
}

TEST_CASE("what vanishes with a store that was emptied was removed by nobody") {
    Fixture store;
    std::vector<std::string> told;
    const auto watch = store.guarded->watch("", 0, [&](const std::vector<MetaChange>& changes) {
        for (const MetaChange& change : changes) told.push_back(change.key);
    });
    told.clear();
    store.below->told({{"removed", std::nullopt, 50}});
    CHECK(told == std::vector<std::string>{"removed"});
    store.below->store->transact({}, {{kClusterIdKey, std::nullopt, 0}});
    store.below->told({{"vanished", std::nullopt, 60}});
    CHECK(std::find(told.begin(), told.end(), "vanished") == told.end());
}
