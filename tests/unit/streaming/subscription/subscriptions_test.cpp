#include "streaming/subscription/subscriptions.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/append/append_rows.h"
#include "runtime/stream/stream_log.h"

namespace pelorus {

TEST_CASE("subscriptions are kept by table and action, and end with their node") {
    Services services;
    Subscriptions all(2);
    auto table =
        makeRef<MemoryTable>(std::vector<std::string>{"x"}, std::vector<Value>{Value::of(Vector::make(Type::Int, 0))});
    makeStream(*table);
    const auto add = [&](const std::string& action) {
        SubscriptionOptions options;
        options.table = "t";
        options.action = action;
        options.topic = "t/" + action;
        return all.add(services, table, options, nullptr, nullptr, 0);
    };
    REQUIRE(add("b") == "t/b");
    REQUIRE(add("a") == "t/a");
    REQUIRE_THROWS_AS(add("a"), UserError);
    REQUIRE(all.all().size() == 2);
    REQUIRE(all.all()[0]->options().action == "a");
    REQUIRE(all.find("t", "b"));
    REQUIRE(all.remove("t", "b"));
    REQUIRE_FALSE(all.remove("t", "b"));
    all.stop();
    REQUIRE(all.all().empty());
    REQUIRE_FALSE(table->stream->hasListeners());
    REQUIRE_THROWS_AS(add("c"), UserError);
}

}  // namespace pelorus
