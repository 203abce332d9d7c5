#include "storage/version/metadata_embedded.h"

#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"

using namespace pelorus;

namespace {

uint64_t put(MetaStore& store, const std::string& key, const std::string& value) {
    return store.transact({}, {{key, value, 0}}).revision;
}

}  // namespace

TEST_CASE("a transaction writes all or nothing, by the revisions of its conditions") {
    const auto store = memoryMetaStore();
    const MetaOutcome made = store->transact({{"a", 0}}, {{"a", "1", 0}, {"b", "2", 0}});
    REQUIRE(made.done);
    CHECK(store->get("a")->revision == made.revision);
    CHECK(store->get("b")->revision == made.revision);
    CHECK(!store->transact({{"a", 0}}, {{"c", "3", 0}}).done);
    CHECK(!store->transact({{"a", made.revision}, {"b", 77}}, {{"c", "3", 0}}).done);
    CHECK(!store->get("c"));
    CHECK(store->transact({{"a", made.revision}}, {{"a", std::nullopt, 0}}).done);
    // A key that was removed is not there.
    CHECK(store->transact({{"a", 0}}, {{"a", "again", 0}}).done);
}

TEST_CASE("a read of several keys shows one revision, and old ones are kept for a while") {
    const auto store = memoryMetaStore();
    put(*store, "k/1", "a");
    const uint64_t then = put(*store, "k/2", "b");
    put(*store, "k/1", "c");
    store->transact({}, {{"k/2", std::nullopt, 0}, {"k/3", "d", 0}});
    CHECK(store->range("k/").entries.size() == 2);
    CHECK(store->range("k/", 0, 1).entries.size() == 1);
    const MetaRead old = store->range("k/", then);
    REQUIRE(old.entries.size() == 2);
    CHECK(old.entries[0].value == "a");
    CHECK(old.entries[1].value == "b");
    CHECK(store->get("k/2", then)->value == "b");
    CHECK(!store->get("k/3", then));
    for (int i = 0; i < 20; ++i) put(*store, "k/1", std::to_string(i));
    try {
        store->get("k/1", then);
        FAIL("it is kept");
    } catch (const SystemError& error) {
        CHECK(std::string(error.what()) == "The metadata of revision " + std::to_string(then) + " is no longer kept.");
        CHECK(error.retryable());
    }
}

TEST_CASE("a watch tells what was missed and what comes, of its keys alone, until it is dropped") {
    const auto store = memoryMetaStore();
    put(*store, "k/1", "a");
    const uint64_t seen = put(*store, "k/2", "b");
    put(*store, "k/3", "c");
    std::vector<std::string> told;
    auto watch = store->watch("k/", seen, [&](const std::vector<MetaChange>& changes) {
        for (const MetaChange& change : changes) told.push_back(change.key + "=" + change.value.value_or("removed"));
    });
    CHECK(told == std::vector<std::string>{"k/3=c"});
    put(*store, "other", "x");
    store->transact({}, {{"k/1", std::nullopt, 0}, {"k/4", "d", 0}});
    CHECK(told == std::vector<std::string>{"k/3=c", "k/1=removed", "k/4=d"});
    watch.reset();
    put(*store, "k/5", "e");
    CHECK(told.size() == 3);
}

TEST_CASE("a lease takes its keys with it when it is revoked or not kept alive") {
    const auto store = memoryMetaStore();
    const uint64_t revoked = store->grantLease(60'000), ended = store->grantLease(1);
    store->transact({}, {{"r", "1", revoked}});
    store->transact({}, {{"e", "1", ended}, {"stays", "1", 0}});
    CHECK(store->keepAlive(revoked));
    store->revokeLease(revoked);
    CHECK(!store->get("r"));
    CHECK(!store->keepAlive(revoked));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(!store->get("e"));
    CHECK(!store->keepAlive(ended));
    CHECK(store->get("stays"));
    CHECK_NOTHROW(store->revokeLease(999));
}

TEST_CASE("entries of a checkpoint are the state with its revisions") {
    const auto store = memoryMetaStore();
    put(*store, "a", "1");
    put(*store, "b", "2");
    store->transact({}, {{"a", std::nullopt, 0}});
    const auto entries = dynamic_cast<EmbeddedMetaStore&>(*store).entries();
    REQUIRE(entries.size() == 1);
    EmbeddedMetaStore other([](std::vector<Edit>) -> uint64_t { return 0; });
    other.restore(entries, 40);
    CHECK(other.get("b")->revision == store->get("b")->revision);
    CHECK(other.range("").revision == 40);
    CHECK(!other.get("a"));
}
