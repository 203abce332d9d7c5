#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("what can't be subscribed to is refused with what to do, and nothing is made") {
    const std::string table = "share streamTable(10:0, `x, [INT]) as feed4; share table(1 as x) as plain4;\n";
    const auto refused = [&](const std::string& arguments, const std::string& with) {
        return fails(table + "subscribeTable(" + arguments + ")", with) &&
               shown("size(getStreamingStat().subWorkers)") == "0";
    };
    REQUIRE(refused("tableName=`nothing4, handler=def(m) {}", "The shared table nothing4 doesn't exist"));
    REQUIRE(refused("tableName=`plain4, handler=def(m) {}", "S03007"));
    REQUIRE(refused("tableName=`feed4, handler=def(a, b) {}", "one argument"));
    REQUIRE(refused("tableName=`feed4, handler=def(a) {}, handlerNeedMsgId=true", "a message and its id"));
    REQUIRE(refused("tableName=`feed4, handler=5", "a function or a table"));
    REQUIRE(refused("tableName=`feed4, handler=def(m) {}, actionName='1a'", "actionName"));
    REQUIRE(refused("tableName=`feed4, handler=def(m) {}, throttle=-1", "throttle"));
    REQUIRE(refused("tableName=`feed4, handler=def(m) {}, hash=-5", "hash"));
    REQUIRE(refused("tableName=`feed4, handler=def(m) {}, offset=-9", "offset"));
    REQUIRE(refused("tableName=`feed4, handler=def(m) {}, offset=-2", "persistOffset"));
    REQUIRE(refused("tableName=`feed4, handler=def(m) {}, udpMulticast=true", "multicast"));
    REQUIRE(refused("tableName=`feed4, handler=def(m) {}, onError='explode'", "skip, stop or retry"));
    REQUIRE(
        refused("tableName=`feed4, handler=def(m) {}, userId=`somebody, password=`secret", "rights of who subscribes"));
    REQUIRE(refused("'elsewhere', `feed4, handler=def(m) {}", "no node elsewhere"));
    shown("undef(`feed4`plain4, SHARED)");
}

TEST_CASE("a subscription has one name, ends once, and its table stays while it lives") {
    const std::string made =
        "share streamTable(10:0, `x, [INT]) as feed5; subscribeTable(tableName=`feed5, "
        "actionName=`a, handler=def(m) {})";
    REQUIRE(shown(made) == "localhost:0:local/feed5/a");
    REQUIRE(fails("subscribeTable(tableName=`feed5, actionName=`a, handler=def(m) {})", "S03002"));
    REQUIRE(fails("undef(`feed5, SHARED)", "S03000"));
    REQUIRE(fails("dropStreamTable(`feed5)", "S03003"));
    REQUIRE(fails("share streamTable(1 as x) as feed5", "S03000"));
    REQUIRE(shown("getSubscriptionTopic(`feed5, `a)") == "(\"localhost:0:local/feed5/a\",[\"x\"])");
    REQUIRE(fails("unsubscribeTable(tableName=`feed5)", "no subscription"));
    shown("unsubscribeTable(tableName=`feed5, actionName=`a)");
    REQUIRE(fails("unsubscribeTable(tableName=`feed5, actionName=`a)", "no subscription"));
    REQUIRE(fails("unsubscribeTable(tableName=`none5)", "The shared table none5 doesn't exist"));
    shown("dropStreamTable(`feed5)");
}

TEST_CASE("a recursive function goes on as handler after its session has ended") {
    shown(
        "share streamTable(10:0, `x, [LONG]) as feed6; share table(10:0, `f, [LONG]) as facts6;\n"
        "def fact(n) { if (n <= 1) return 1l; return n * fact(n - 1) };\n"
        "def put(mutable to, message) { to.append!(table([fact(message.x[0])] as f)) };\n"
        "subscribeTable(tableName=`feed6, handler=put{facts6}, msgAsTable=true)");
    REQUIRE(shown("feed6.append!(table([5l] as x)); until(def() { return size(facts6) == 1 }); r = exec f from facts6; "
                  "unsubscribeTable(tableName=`feed6); undef(`feed6`facts6, SHARED); r") == "[120]");
}
