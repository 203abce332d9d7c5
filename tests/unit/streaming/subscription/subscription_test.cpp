#include "streaming/subscription/subscription.h"

#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

namespace {

// Two shared tables, the second of what came to a handler.
constexpr std::string_view kTables =
    "share streamTable(10:0, `x, [INT]) as feed1; share table(10:0, `n`last, [LONG, LONG]) as seen1;\n"
    "def note(mutable seen, message, id) { seen.append!(table(long(message.rows()) as n, long(id) as last)) };\n";
constexpr std::string_view kEnd =
    "; unsubscribeTable(tableName=`feed1, actionName=`a); undef(`feed1`seen1, SHARED); result";

std::string shownOf(std::string_view subscribe, std::string_view rest) {
    return shown(std::string(kTables) + "subscribeTable(tableName=`feed1, actionName=`a, handler=note{seen1}, " +
                 "msgAsTable=true, handlerNeedMsgId=true, " + std::string(subscribe) + ");\n" + std::string(rest) +
                 std::string(kEnd));
}

constexpr std::string_view kThreeAppends =
    "feed1.append!(table(1 2 as x)); feed1.append!(table([3] as x)); feed1.append!(table(4 5 6 as x));\n";

}  // namespace

TEST_CASE("without batchSize each append is a message, with the number of its last row") {
    REQUIRE(shownOf("offset=-1", std::string(kThreeAppends) +
                                     "until(def() { return size(seen1) == 3 }); result = exec string(n) + `_ + "
                                     "string(last) from seen1") == "[\"2_1\",\"1_2\",\"3_5\"]");
}

TEST_CASE("with batchSize whole appends are joined until there are so many rows") {
    REQUIRE(shownOf("batchSize=3, throttle=1000",
                    std::string(kThreeAppends) +
                        "until(def() { return size(seen1) == 2 }); result = exec n from seen1") == "[3,3]");
}

TEST_CASE("after throttle fewer rows are a message") {
    REQUIRE(shownOf("batchSize=100, throttle=0.05", std::string(kThreeAppends) +
                                                        "until(def() { return sum(exec n from seen1) == 6 }); "
                                                        "result = exec max(last) from seen1") == "5");
}

TEST_CASE("timeTrigger sends empty messages") {
    REQUIRE(shownOf("batchSize=100, throttle=0.02, timeTrigger=true",
                    "until(def() { return size(seen1) >= 2 }); result = exec first(n) from seen1") == "0");
}

TEST_CASE("offset begins at a row that is there, and filters choose by the filter column") {
    REQUIRE(shown(std::string(kTables) +
                  "setStreamTableFilterColumn(feed1, `x); feed1.append!(table(1 2 3 4 as x));\n"
                  "subscribeTable(tableName=`feed1, actionName=`a, offset=0, handler=note{seen1}, msgAsTable=true, "
                  "handlerNeedMsgId=true, filter=2 4 9);\n"
                  "until(def() { return size(seen1) == 1 }); result = exec n from seen1" +
                  std::string(kEnd)) == "[2]");
}

TEST_CASE("an error of the handler is counted, and the next message runs; retry gives it the same one") {
    const std::string prelude(
        "share streamTable(10:0, `x, [INT]) as feed2; share table(10:0, `x, [INT]) as tries2;\n"
        "share table(10:0, `x, [INT]) as got2;\n"
        "def failOnce(mutable got, mutable tries, message) { tries.append!(message); if (size(tries) == 1) throw "
        "\"once\"; got.append!(message) };\n");
    const auto run = [&](const std::string& onError) {
        return shown(prelude +
                     "subscribeTable(tableName=`feed2, handler=failOnce{got2, tries2}, msgAsTable=true, onError='" +
                     onError + "');\nfeed2.append!(table([1] as x)); feed2.append!(table([2] as x));\n" +
                     (onError == "stop" ? "until(def() { return size(tries2) == 1 }); sleep(20);\n"
                                        : "until(def() { return max(exec x from got2) == 2 });\n") +
                     "r = exec x from got2; unsubscribeTable(tableName=`feed2); undef(`feed2`got2`tries2, SHARED); r");
    };
    REQUIRE(run("skip") == "[2]");
    REQUIRE(run("retry") == "[1,2]");
    REQUIRE(run("stop") == "[]");
}

TEST_CASE("a handler may append to its own table, and end its own subscription") {
    REQUIRE(shown("share streamTable(10:0, `x, [INT]) as feed3;\n"
                  "def again(mutable feed, message) { if (max(message.x) < 5) feed.append!(table(message.x + 1 as x)) "
                  "else unsubscribeTable(tableName=`feed3) };\n"
                  "subscribeTable(tableName=`feed3, handler=again{feed3}, msgAsTable=true); feed3.append!(table([1] as "
                  "x));\n"
                  "until(def() { return !existsSubscriptionTopic(tableName=`feed3) }); r = exec x from feed3; "
                  "undef(`feed3, SHARED); r") == "[1,2,3,4,5]");
}
