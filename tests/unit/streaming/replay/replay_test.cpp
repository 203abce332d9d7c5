#include "streaming/replay/replay.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "tests/unit/streaming/stream_script.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

constexpr std::string_view kInputs =
    "a = table(2024.01.01T00:00:00 + 0 2 4 as t, `a`b`a as s, 1 2 3 as v); "
    "b = table(2024.01.01T00:00:00 + 1 2 5 as t, `b`a`b as s, 4 5 6 as v);\n";

std::string played(std::string_view script) {
    return shown(std::string(kInputs) + std::string(script));
}

}  // namespace

TEST_CASE("a replay into an engine gives what the query gives over all rows") {
    REQUIRE(
        played(
            "out = table(10:0, `s`c, [SYMBOL, LONG]); engine = createReactiveStateEngine(`replayed1, <cumsum(v)>, a, "
            "out, `s); replay([a, b], engine, `t); dropStreamEngine(`replayed1); exec c from out") == "[1,4,6,6,9,12]");
}

TEST_CASE("rates of nothing and of much, inputs without rows, and times that are NULL") {
    for (const char* rate : {"0", "-1", "1000000000"}) {
        for (const char* rest : {"true", "false", "false, 1, , true"}) {
            const std::string call = std::string("replay([a, b], o, `t, , ") + rate + ", " + rest + ")";
            INFO(call);
            REQUIRE(played("o = table(1:0, `t`s`v, [DATETIME, SYMBOL, INT]); " + call + "; o.v") == "[1,4,2,5,3,6]");
        }
    }
    REQUIRE(played("o = table(1:0, `t`s`v, [DATETIME, SYMBOL, INT]); none = select * from a where v > 9; "
                   "replay([none, none], o, `t); replay(none, o, `t, , 5); size(o)") == "0");
    REQUIRE(played("o = table(1:0, `t`s`v, [DATETIME, SYMBOL, INT]); a.append!(table(datetime(NULL) as t, `z as s, 9 "
                   "as v)); replay(a, o, `t, , 1000000, false, 1, , true); o.v") == "[9,1,2,3]");
}

TEST_CASE("a replay that is cancelled ends, and keeps the rows that it wrote") {
    const Services& services = wholeProcess().services();
    Request request{Principal::owner()};
    Context context(services, request);
    Session session(services);
    context.session = &session;
    context.scope = &session;
    evaluate(std::string(kInputs) + "o = table(1:0, `t`s`v, [DATETIME, SYMBOL, INT])", session, context);
    std::thread cancelling([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        request.cancelled = true;
    });
    REQUIRE_THROWS(evaluate("replay([a, b], o, `t, , 1)", session, context));
    cancelling.join();
    request.cancelled = false;
    REQUIRE(evaluate("size(o)", session, context).asLong() < 6);
}

TEST_CASE("inputs of many rows are merged in order, whether they are sorted or not, and past the size of one append") {
    const std::string made =
        "n = 100000; a = table(2024.01.01T00:00:00 + 3 * 0..(n - 1) as t, take(`a, n) as s, 1..n as v); b = table("
        "2024.01.01T00:00:00 + 3 * (0..(n - 1)) + 0..(n - 1) % 4 as t, take(`b, n) as s, n + 1..n as v); ";
    for (const char* inputs : {"[a, b]", "[a, select * from b order by t]", "[(select * from a order by t desc), b]"}) {
        INFO(inputs);
        const std::string both = made + "inputs = " + inputs +
                                 "; o = table(1:0, `t`s`v, [DATETIME, SYMBOL, INT]); replay(inputs, o, `t); twin = "
                                 "select * from unionAll(inputs, false) order by t; ";
        REQUIRE(shown(both + "eqObj(o.values(), twin.values())") == "true");
    }
    REQUIRE(shown(made + "oa = table(1:0, `t`s`v, [DATETIME, SYMBOL, INT]); ob = oa.copy(); replay([a, b], [oa, ob], "
                         "`t); eqObj(oa.values(), a.values()) && eqObj(ob.v, exec v from b order by t)") == "true");
}

TEST_CASE("columns that do not fit are refused, and nothing is written") {
    REQUIRE(played("o = table(1:0, `t`s, [DATETIME, SYMBOL]); f = false; try { replay([a, b], o, `t) } catch (e) { f = "
                   "true }; f && size(o) == 0") == "true");
    REQUIRE(fails(std::string(kInputs) + "replay(a, table(1:0, `t`s`v, [DATETIME, SYMBOL, UUID]), `t)", ""));
    REQUIRE(fails(std::string(kInputs) + "replay(a, 5, `t)", "outputTables"));
    REQUIRE(fails(std::string(kInputs) + "replay(a, a, `t, parallelLevel=0)", "parallelLevel"));
}
