// What a query reads, as nodes: tables are looked up, and nothing else is computed.
#include "sql/bind/bind_source.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;
using Kind = SourceNode::Kind;

namespace {

struct Bench : QueryBench {
    Bench() {
        run("t = table(1 2 as k, 3 4 as v)\nu = table(1 2 as k)\ncalled = 0\n"
            "def made() { print(`called)\n return table(1 as k) }");
        request.print = [this](std::string_view) { ++calls; };
    }
    SourceRef source(const std::string& from) { return bindSource(*query("select * from " + from), context); }
    int calls = 0;
};

}  // namespace

TEST_CASE("each part of from is a node of its kind, which is not computed") {
    Bench bench;
    CHECK(bench.source("t")->kind == Kind::Table);
    CHECK(bench.source("\"nosuch.csv\"")->kind == Kind::File);
    CHECK(bench.source("(select k from t)")->kind == Kind::Derived);
    CHECK(bench.source("made()")->kind == Kind::TableFunction);
    CHECK(bench.source("ej(t, made(), `k)")->kind == Kind::JoinFunction);
    CHECK(bench.source("t join made() on t.k = k")->kind == Kind::Join);
    CHECK(bench.calls == 0);
}

TEST_CASE("a node has the name by which the query calls its columns") {
    Bench bench;
    CHECK(bench.source("t")->qualifier == "t");
    CHECK(bench.source("t as a")->qualifier == "a");
    CHECK(bench.source("made()")->qualifier.empty());
    CHECK(bench.source("made() as m")->qualifier == "m");
    const SourceRef joined = bench.source("t as a join u on a.k = u.k");
    const auto& join = static_cast<const JoinNode&>(*joined);
    REQUIRE(join.sides.size() == 2);
    CHECK(join.sides[0]->qualifier == "a");
    CHECK(join.sides[1]->qualifier == "u");
}

TEST_CASE("arguments of a join function are tables, code, and filters as metacode, in their order") {
    Bench bench;
    const SourceRef source = bench.source("ej(t as a, u, `k, , a.v > 3)");
    const auto& join = static_cast<const JoinFunctionNode&>(*source);
    CHECK(join.function.name() == "ej");
    CHECK(join.rightName == "u");
    CHECK(join.side(0)->qualifier == "a");
    REQUIRE(join.arguments.size() == 4);
    CHECK(join.arguments[2].parameter == 2);
    CHECK(join.arguments[2].code);
    CHECK(join.arguments[3].parameter == 4);
    CHECK(display(join.arguments[3].value) == "< v > 3 >");
}

TEST_CASE("a name that is no variable, and a string where a table changes, are refused") {
    Bench bench;
    CHECK_THROWS_WITH(bench.source("nosuch"), Catch::Contains("Can't recognize table nosuch"));
    CHECK_THROWS_WITH(bench.source("t join nosuch on t.k = nosuch.k"), Catch::Contains("nosuch"));
    CHECK_THROWS_AS(bindSource(*bench.query("delete from \"a.csv\""), bench.context), UserError);
}
