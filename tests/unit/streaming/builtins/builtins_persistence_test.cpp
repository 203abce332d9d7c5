#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("a table on disk goes on with its rows and numbers when it is released and enabled again") {
    REQUIRE(
        shown("def make(preCache) { enableTableShareAndPersistence(table=streamTable(10:0, `sym`x, [SYMBOL, INT]), "
              "tableName=`kept31, cacheSize=1000, preCache=preCache) }; make(0); "
              "for (i in 0..19) tableInsert(kept31, take(`a`b, 100), i * 100 + 0..99); "
              "until(def() { return getPersistenceMeta(kept31).sizeOnDisk == 2000 }); m = getPersistenceMeta(kept31); "
              "undef(`kept31, SHARED); loaded = exec loaded from getStreamTables(1) where name = `kept31; "
              "make(250); n = getPersistenceMeta(kept31); x = exec first(x) from kept31; dropStreamTable(`kept31); "
              "(m.totalSize, m.memoryOffset + m.sizeInMemory, loaded[0], n.sizeInMemory, n.memoryOffset, x, "
              "existsStreamTable(`kept31))") == "(2000,2000,false,250,1750,1750,false)");
}

TEST_CASE("a subscription reads from disk what has left the memory, append by append") {
    REQUIRE(shown("enableTableShareAndPersistence(streamTable(10:0, `x, [INT]), `kept32, true, true, 1000); "
                  "for (i in 0..39) { tableInsert(kept32, i * 100 + 0..99) }; "
                  "until(def() { return getPersistenceMeta(kept32).sizeOnDisk == 4000 }); "
                  "tableInsert(kept32, table(4000..4099 as x)); share table(10:0, `n`x, [INT, INT]) as got32; "
                  "subscribeTable(tableName=`kept32, offset=0, msgAsTable=true, "
                  "handler=def(m) { tableInsert(got32, size(m), m.x[0]) }); "
                  "r = until(def() { return size(got32) == 41 }); "
                  "s = exec (count(x), max(n), min(n), sum(deltas(x) == 100)) from got32; "
                  "unsubscribeTable(tableName=`kept32); undef(`got32, SHARED); dropStreamTable(`kept32); (r, s)") ==
            "(true,(41,100,100,40))");
}

TEST_CASE("the position of a subscription is stored, and it goes on after that") {
    REQUIRE(shown("enableTableShareAndPersistence(streamTable(10:0, `x, [INT]), `kept33); "
                  "share table(10:0, `x, [INT]) as got33; def listen() { return subscribeTable(tableName=`kept33, "
                  "actionName=`a, offset=-2, handler=got33, persistOffset=true) }; topic = listen(); "
                  "tableInsert(kept33, table(1..5 as x)); until(def() { return getTopicProcessedOffset(topic) == 4 }); "
                  "unsubscribeTable(tableName=`kept33, actionName=`a, removeOffset=false); "
                  "tableInsert(kept33, table(6..7 as x)); listen(); "
                  "until(def() { return getTopicProcessedOffset(topic) == 6 }); x = exec x from got33; "
                  "kept = getStreamingStat(`subWorkers).persistOffset[0]; "
                  "unsubscribeTable(tableName=`kept33, actionName=`a); removed = getTopicProcessedOffset(topic); "
                  "dropStreamTable(`kept33); undef(`got33, SHARED); (x, kept, removed)") ==
            "([1,2,3,4,5,6,7],true,-1)");
}

TEST_CASE("a handler that fails moves the stored position on, unless it retries") {
    REQUIRE(shown("enableTableShareAndPersistence(streamTable(10:0, `x, [INT]), `kept34); "
                  "topic = subscribeTable(tableName=`kept34, actionName=`a, handler=def(m) { throw \"no\" }, "
                  "persistOffset=true); tableInsert(kept34, table(1..5 as x)); "
                  "r = until(def() { return getTopicProcessedOffset(topic) == 4 }); removeTopicOffset(topic); "
                  "o = getTopicProcessedOffset(topic); unsubscribeTable(tableName=`kept34, actionName=`a); "
                  "dropStreamTable(`kept34); (r, o)") == "(true,-1)");
}

TEST_CASE("a keyed table on disk stores each key once, also when appends wait for the disk") {
    REQUIRE(shown("enableTableShareAndPersistence(keyedStreamTable(`k, 10:0, `k`v, [INT, INT]), `kept35, "
                  "asynWrite=false); kept35.append!(table(1 2 1 as k, 1 2 3 as v)); "
                  "kept35.append!(table(2 3 as k, 4 5 as v)); n = getPersistenceMeta(kept35).sizeOnDisk; "
                  "v = exec v from kept35; dropStreamTable(`kept35); (n, v)") == "(3,[1,2,5])");
}

TEST_CASE("what can't be kept is refused, and nothing is shared") {
    const auto refused = [](const std::string& call, const std::string& with) {
        return fails(call, with) && shown("existsStreamTable(`kept36)") == "false";
    };
    const std::string make = "enableTableShareAndPersistence(streamTable(10:0, `t`x, [DATETIME, INT]), `kept36";
    REQUIRE(refused(make + ", 3, , -1)", "cacheSize"));
    REQUIRE(refused(make + ", , , , 0)", "retentionMinutes"));
    REQUIRE(refused(make + ", , , , , 2)", "flushMode"));
    REQUIRE(refused(make + ", , , , , , -1)", "preCache"));
    REQUIRE(refused(make + ", , , , , , , `x, 7H, 2H)", "temporal"));
    REQUIRE(refused("enableTableShareAndPersistence(table(1 as x), `kept36)", "a stream table"));
    REQUIRE(refused("enableTableShareAndPersistence(streamTable(1 as x), `kept36)", "empty"));
    REQUIRE(refused("enableTableShareAndPersistence(streamTable(10:0, `x, [ANY]), `kept36)", "cannot hold"));
    REQUIRE(refused("enableTablePersistence(streamTable(10:0, `x, [INT]))", "must be shared"));
    REQUIRE(refused("getPersistenceMeta(streamTable(10:0, `x, [INT]))", "not kept on disk"));
    REQUIRE(refused("subscribeTable(tableName=`kept36, offset=-2, handler=def(m) {})", "doesn't exist"));
    shown("enableTableShareAndPersistence(streamTable(10:0, `x, [INT]), `kept37); undef(`kept37, SHARED)");
    REQUIRE(fails("enableTableShareAndPersistence(streamTable(10:0, `x`y, [INT, INT]), `kept37)", "S03012"));
    REQUIRE(fails("enableTableShareAndPersistence(streamTable(10:0, `x, [LONG]), `kept37)", "S03017"));
    REQUIRE(fails("dropStreamTable(`kept37)", "Can't find stream table kept37"));
    REQUIRE(shown("dropStreamTable(`kept37, true); size(exec name from getStreamTables(1) where name = `kept37)") ==
            "0");
}

TEST_CASE("a stream table on disk gets columns, loses none, and a reader of older rows finds NULL") {
    const std::string made =
        "enableTableShareAndPersistence(streamTable(10:0, `x, [INT]), `kept38, cacheSize=1000); "
        "for (i in 0..2) tableInsert(kept38, take(i, 600)); addColumn(kept38, `y, INT); "
        "tableInsert(kept38, take(3, 600), take(4, 600)); share table(10:0, `x`y, [INT, INT]) as got38; ";
    REQUIRE(fails(made + "dropColumns!(kept38, `x)", "keeps its columns"));
    REQUIRE(fails("clear!(objByName(`kept38))", "never changed"));
    REQUIRE(shown("subscribeTable(tableName=`kept38, offset=0, handler=got38); "
                  "r = until(def() { return size(got38) == 2400 }); n = exec count(y) from got38; "
                  "unsubscribeTable(tableName=`kept38); undef(`got38, SHARED); dropStreamTable(`kept38); (r, n)") ==
            "(true,600)");
}
