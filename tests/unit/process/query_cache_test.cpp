#include "interpreter/engine/query_cache.h"

#include <catch2/catch.hpp>
#include <string>

#include "apps/process/wiring.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"

namespace pelorus {

namespace {

class Fixture {
public:
    Fixture() { registerAllFunctions(); }
    Value run(const std::string& script) {
        Context context(services_, request_);
        return evaluate(script, session, context, {}, &cache);
    }
    bool has(const std::string& script) { return !cache.find(script, rolesIn(session)).empty(); }

private:
    Services services_;
    Request request_{Principal::owner()};

public:
    Session session{services_};
    QueryCache cache;
};

}  // namespace

TEST_CASE("a query is read once, and sees the values of each run") {
    Fixture f;
    f.run("t = table(1 2 3 as x)\nlow = 1");
    const std::string query = "exec sum(x) from t where x > low";
    CHECK(f.run(query).asLong() == 5);
    CHECK(f.has(query));
    f.run("low = 2");
    CHECK(f.run(query).asLong() == 3);
    f.run("t = table(10 20 as x)");
    CHECK(f.run(query).asLong() == 30);
    CHECK(f.cache.size() == 1);
    f.run("undef(`t)");
    CHECK_THROWS(f.run(query));
    f.run("other = 5\nt = table(7 8 as x)");
    CHECK(f.run(query).asLong() == 15);
}

TEST_CASE("names that changed their roles make a query read anew") {
    Fixture f;
    f.run("a = 2\nb = 3\nt = table(1 2 as x)\ndef f(x, y) { return x + y }");
    const std::string query = "exec sum(a f b) from t";  // 5 for each of two rows
    CHECK(f.run(query).asLong() == 10);
    CHECK(f.has(query));
    f.run("undef(`f, DEF)\nf = 7");
    CHECK_FALSE(f.has(query));
    CHECK_THROWS(f.run(query));
}

TEST_CASE("only scripts of one query are kept, and as many as the cache holds") {
    Fixture f;
    f.run("t = table(1 2 3 as x)");
    for (const char* other : {"1 + 1", "y = exec x from t", "select x from t; select x from t", "def g() { return 1 }",
                              "select x from t\ngo\n1"}) {
        f.run(other);
        CHECK_FALSE(f.has(other));
    }
    f.run("select x from t" + std::string(QueryCache::kMaxTextBytes, ' '));
    CHECK(f.cache.size() == 0);
    for (size_t i = 0; i < 2 * QueryCache::kMaxQueries; ++i) f.run("exec x from t where x < " + std::to_string(i));
    CHECK(f.cache.size() == QueryCache::kMaxQueries);
    CHECK_FALSE(f.has("exec x from t where x < 0"));
    CHECK(f.has("exec x from t where x < " + std::to_string(2 * QueryCache::kMaxQueries - 1)));
}

}  // namespace pelorus
