#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("subscriptions and their tables are listed with counts, lag and errors") {
    shown(
        "share streamTable(10:0, `x, [INT]) as feed8;\n"
        "subscribeTable(tableName=`feed8, actionName=`good, handler=def(m) {});\n"
        "subscribeTable(tableName=`feed8, actionName=`bad, filter=def(t): t, handler=def(m) { throw \"broken\" });\n"
        "feed8.append!(table(1 2 3 as x));\n"
        "until(def() { return sum(exec processedMsgCount + failedMsgCount from getStreamingStat().subWorkers) == 6 })");
    const std::string workers = "w = getStreamingStat(`subWorkers); ";
    REQUIRE(shown(workers + "w.processedMsgCount") == "[0,3]");
    REQUIRE(shown(workers + "w.failedMsgCount") == "[3,0]");
    REQUIRE(shown(workers + "w.lastMsgId") == "[-1,2]");
    REQUIRE(shown(workers + "like(w.lastErrMsg[0], \"%broken%\")") == "true");
    REQUIRE(shown("p = getStreamingStat().pubTables; p.actions") == "[\"bad,good\"]");
    REQUIRE(shown("exec lagRows from getStreamTopology()") == "[0,0]");
    REQUIRE(shown("unsubscribeTable(tableName=`feed8, actionName=`good); unsubscribeTable(tableName=`feed8, "
                  "actionName=`bad); undef(`feed8, SHARED); size(getStreamingStat().subWorkers)") == "0");
}
