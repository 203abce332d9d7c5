// A trace has the steps of its thread, each within the one that was open, and nothing is recorded without one.
#include "sql/execution/query_profile.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("steps are recorded within the step that was open") {
    const QueryTrace trace;
    {
        const TraceStep whole("query");
        TraceStep outer("outer");
        outer.note("rows", 3);
        {
            TraceStep inner("inner");
            inner.note("name", "a \"b\"");
        }
    }
    const std::string json = trace.json();
    INFO(json);
    const size_t outer = json.find("\"outer\""), inner = json.find("\"inner\"");
    REQUIRE(outer != std::string::npos);
    REQUIRE(inner != std::string::npos);
    CHECK(outer < inner);
    CHECK(json.find("\"rows\": 3") != std::string::npos);
    CHECK(json.find("a \\\"b\\\"") != std::string::npos);
    CHECK(json.find("\"cost\"") != std::string::npos);
}

TEST_CASE("nothing is recorded without a trace, or while it pauses") {
    CHECK_FALSE(QueryTrace::isOn());
    CHECK_FALSE(TraceStep("alone"));
    const QueryTrace trace;
    CHECK(QueryTrace::isOn());
    {
        const TracePause pause;
        CHECK_FALSE(TraceStep("unseen"));
    }
    CHECK(TraceStep("seen"));
    CHECK(trace.json().find("unseen") == std::string::npos);
}
