#include "postgres/cache/statement_cache.h"

#include <catch2/catch.hpp>

using namespace pelorus::postgres;

TEST_CASE("the cache forgets what was not used for the longest time") {
    StatementCache cache;
    cache.add("first", {});
    for (size_t i = 1; i < StatementCache::kMaxStatements; ++i) cache.add(std::to_string(i), {});
    CHECK(cache.find("first") != nullptr);
    cache.add("one more", {});
    CHECK(cache.size() == StatementCache::kMaxStatements);
    CHECK(cache.find("first") != nullptr);
    CHECK(cache.find("1") == nullptr);
}

TEST_CASE("the cache is bounded by the bytes of its texts") {
    StatementCache cache;
    const std::string text(StatementCache::kMaxTextBytes, 'x');
    cache.add(text + 'x', {});
    CHECK(cache.size() == 0);
    for (char c = 'a'; c <= 'z'; ++c)
        for (int i = 0; i < 8; ++i) cache.add(text.substr(2) + c + std::to_string(i), {});
    CHECK(cache.size() == StatementCache::kMaxAllBytes / StatementCache::kMaxTextBytes);
}

TEST_CASE("a key is kept once, and can be taken out") {
    StatementCache cache;
    cache.add("a", {});
    const auto before = cache.find("a");
    cache.add("a", {std::make_shared<Statement>(), {}});
    CHECK(cache.size() == 1);
    CHECK(cache.find("a")->statement != nullptr);
    CHECK(before->statement == nullptr);
    cache.remove("a");
    cache.remove("a");
    CHECK(cache.find("a") == nullptr);
}

TEST_CASE("what a text means depends on user, search path and settings of time") {
    SessionFacts facts;
    facts.user = "ann";
    std::string zone = "UTC";
    facts.setting = [&zone](std::string_view name) { return name == "TimeZone" ? zone : std::string("x"); };
    const std::string first = cacheContext(facts);
    CHECK(cacheContext(facts) == first);
    zone = "Asia/Shanghai";
    CHECK(cacheContext(facts) != first);
    zone = "UTC";
    facts.searchPath = {"market", "public"};
    CHECK(cacheContext(facts) != first);
    facts.searchPath = {"public"};
    facts.user = "bob";
    CHECK(cacheContext(facts) != first);
}

TEST_CASE("a key is known from the second time on") {
    StatementCache cache;
    CHECK_FALSE(cache.isKnown("a"));
    CHECK_FALSE(cache.isKnown("b"));
    CHECK(cache.isKnown("a"));
    CHECK(cache.isKnown("a"));
    CHECK(cache.size() == 0);
}
