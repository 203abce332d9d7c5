#include "streaming/engine/stream_engine.h"

#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("a column that does not fit is refused before anything was taken") {
    const std::string made =
        "d = table(1:0, `k`v, [INT, INT]); r = table(9:0, `k`s, [INT, LONG]); eng = "
        "createReactiveStateEngine(`typed, <cumsum(v)>, d, r, `k); ";
    REQUIRE(fails(made + "eng.append!(table([1] as k, `x as v))", ""));
    REQUIRE(shown("exec status from getStreamEngineStat().ReactiveStreamEngine") == "[\"OK\"]");
    REQUIRE(fails("getStreamEngine(`typed).append!(table([1] as k))", "columns"));
    shown("dropStreamEngine(`typed)");
}

TEST_CASE("an engine whose output fails takes no more rows, and says why") {
    const std::string made =
        "d = table(1:0, `v, [INT]); eng = createReactiveStateEngine(`broken, <v>, d, "
        "outputHandler=def(m) { throw \"no room\" }); ";
    REQUIRE(fails(made + "eng.append!(table([1] as v))", "no room"));
    REQUIRE(fails("getStreamEngine(`broken).append!(table([1] as v))", "failed before"));
    REQUIRE(shown("exec status from getStreamEngineStat().ReactiveStreamEngine") == "[\"FATAL\"]");
    REQUIRE(
        fails("eng = getStreamEngine(`broken); dropStreamEngine(`broken); eng.append!(table([1] as v))", "dropped"));
}

TEST_CASE("an output that writes to its own engine is an error that names it") {
    REQUIRE(
        fails("d = table(1:0, `v, [INT]); eng = createReactiveStateEngine(`circle, <v>, d, "
              "outputHandler=def(m) { getStreamEngine(`circle).append!(table(m[0] as v)) }); "
              "eng.append!(table([1] as v))",
              "circle"));
    shown("dropStreamEngine(`circle)");
}
