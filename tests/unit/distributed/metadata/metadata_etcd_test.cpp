#include "distributed/metadata/metadata_etcd.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "common/error.h"
#include "tests/support/etcd_fixture.h"

using namespace pelorus;

namespace {

struct Changes {
    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<MetaChange> list;

    void add(const std::vector<MetaChange>& changes) {
        std::lock_guard lock(mutex);
        list.insert(list.end(), changes.begin(), changes.end());
        arrived.notify_all();
    }
    bool reach(size_t count) {
        std::unique_lock lock(mutex);
        return arrived.wait_for(lock, std::chrono::seconds(20), [&] { return list.size() >= count; });
    }
};

}  // namespace

TEST_CASE("etcd keeps keys, revisions and conditions as the metadata store promises") {
    testing::EtcdFixture etcd;
    const auto store = etcd.open();

    CHECK_FALSE(store->get("a").has_value());
    const std::string binary("x\0\xff", 3);
    const MetaOutcome first = store->transact({{"a", 0}}, {{"a", binary, 0}, {"dir/1", "one", 0}, {"dir/2", "two", 0}});
    REQUIRE(first.done);
    CHECK(store->get("a")->value == binary);
    CHECK(store->get("a")->revision == first.revision);

    SECTION("a condition that does not hold writes nothing") {
        const MetaOutcome refused = store->transact({{"a", 0}}, {{"a", "other", 0}, {"dir/3", "three", 0}});
        CHECK_FALSE(refused.done);
        CHECK(store->get("a")->value == binary);
        CHECK_FALSE(store->get("dir/3").has_value());
    }
    SECTION("a range gives the keys of its prefix in order, as of a revision") {
        store->transact({{"a", first.revision}}, {{"dir/1", std::nullopt, 0}, {"dirt", "no", 0}});
        const MetaRead now = store->range("dir/");
        REQUIRE(now.entries.size() == 1);
        CHECK(now.entries[0].key == "dir/2");
        const MetaRead before = store->range("dir/", first.revision);
        REQUIRE(before.entries.size() == 2);
        CHECK(before.entries[0].value == "one");
        CHECK(store->range("", 0, 2).entries.size() == 2);
    }
    SECTION("a watch sees each change in order, also across a restart of etcd") {
        Changes changes;
        const auto watch = store->watch("dir/", first.revision, [&](const auto& c) { changes.add(c); });
        store->transact({}, {{"dir/1", "uno", 0}});
        store->transact({}, {{"dir/1", std::nullopt, 0}});
        REQUIRE(changes.reach(2));
        CHECK(changes.list[0].value == "uno");
        CHECK_FALSE(changes.list[1].value.has_value());
        etcd.stop();
        etcd.start();
        store->transact({}, {{"dir/9", "nine", 0}});
        REQUIRE(changes.reach(3));
        CHECK(changes.list[2].key == "dir/9");
    }
    SECTION("a lease takes its keys with it") {
        const uint64_t lease = store->grantLease(30000);
        store->transact({}, {{"nodes/n1", "here", lease}});
        CHECK(store->keepAlive(lease));
        store->revokeLease(lease);
        CHECK_FALSE(store->get("nodes/n1").has_value());
        CHECK_FALSE(store->keepAlive(lease));
    }
}

TEST_CASE("keys that are not there are put at once, and those that are there are told") {
    testing::EtcdFixture etcd;
    const auto store = etcd.open();
    const uint64_t revision = store->transact({}, {{"condition", "1", 0}, {"txn/b", "old", 0}}).revision;
    const auto outcome = store->putAbsent(
        {{"condition", revision}},
        {{{"txn/a", "1", 0}, {}}, {{"txn/b", "2", 0}, {}}, {{"txn/c", "3", 0}, {{"condition", revision}}}});
    REQUIRE(outcome.done);
    REQUIRE(outcome.keys.size() == 3);
    CHECK(outcome.keys[0].isWritten);
    CHECK_FALSE(outcome.keys[1].isWritten);
    REQUIRE(outcome.keys[1].there);
    CHECK(outcome.keys[1].there->value == "old");
    CHECK(outcome.keys[1].there->key == "txn/b");
    CHECK(outcome.keys[1].there->revision == revision);
    CHECK(outcome.keys[2].isWritten);
    CHECK(store->get("txn/a")->revision == outcome.revision);
    CHECK(store->get("txn/c")->revision == outcome.revision);
    CHECK(store->get("txn/b")->value == "old");
    // On a condition that does not hold nothing is put; on one of the key's own, that key is not.
    CHECK_FALSE(store->putAbsent({{"condition", revision - 1}}, {{{"txn/d", "4", 0}, {}}}).done);
    const auto own =
        store->putAbsent({}, {{{"txn/d", "4", 0}, {{"condition", revision - 1}}}, {{"txn/e", "5", 0}, {}}});
    CHECK(own.done);
    CHECK_FALSE(own.keys[0].isWritten);
    CHECK_FALSE(own.keys[0].there);
    CHECK(own.keys[1].isWritten);
    CHECK_FALSE(store->get("txn/d"));
    // A transaction takes as many keys as a decision writes.
    std::vector<MetaPut> many;
    for (int i = 0; i < 118; ++i) many.push_back({{"many/" + std::to_string(i), "x", 0}, {{"condition", revision}}});
    CHECK(store->putAbsent({{"condition", revision}}, many).done);
    CHECK(store->range("many/").entries.size() == 118);
}

TEST_CASE("a metadata store that does not answer is an error that names it") {
    Acceptor silent("127.0.0.1", 0);
    const auto store = openEtcdMetaStore({"127.0.0.1:" + std::to_string(silent.port())}, "x/", 300);
    CHECK_THROWS_WITH(store->get("a"), Catch::Contains("etcd") && Catch::Contains(std::to_string(silent.port())));
}
