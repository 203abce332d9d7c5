// Names of sub-queries are those of the innermost query that has them.
#include "sql/bind/correlation.h"

#include <catch2/catch.hpp>

#include "sql/physical/source_columns.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() { run("a = table(1 2 as k, 1 2 as v)\nb = table(1 2 as k, 1 2 as w)\nlimit = 5"); }
    // The outer columns that a sub-query of `select … from a` names.
    std::string named(const std::string& sub) {
        const Ref<Query> outer = query("select * from a where exists(" + sub + ")");
        const auto& call = static_cast<const Call&>(*outer->where[0]);
        const RowSource rows = sourceOf(Ref<MemoryTable>(run("a").table().asMemory()));
        const auto found =
            correlated(static_cast<const Query&>(*call.arguments[0].value), asOuterRows(*outer, rows), context);
        std::string names;
        for (const std::string& column : found ? found->columns : std::vector<std::string>()) names += column + " ";
        return names;
    }
};

}  // namespace

TEST_CASE("columns of the query around are found with and without the table's name") {
    Bench bench;
    CHECK(bench.named("select * from b where b.k = a.k") == "k ");
    CHECK(bench.named("select * from b where w > v") == "v ");
    CHECK(bench.named("select a.v + w from b where b.k = a.k") == "v k ");
    CHECK(bench.named("select * from b where k in (select k from b c where c.w = a.v)") == "v ");
}

TEST_CASE("own columns, variables, functions and tables come first") {
    Bench bench;
    CHECK(bench.named("select * from b where k > limit").empty());
    CHECK(bench.named("select k from a where a.v = 1").empty());
    CHECK(bench.named("select * from b a where a.k = 1").empty());
    CHECK(bench.named("with c as (select k as v from b) select v from c where v = 1").empty());
}

TEST_CASE("a sub-query over its domain reads the domain beside its tables") {
    Bench bench;
    const Ref<MemoryTable> domain = emptyDomain({"v"}, bench.run("a").table().columns());
    CHECK(domain->columns()[0].name == domainName("v"));
    const Ref<Query> over = overDomain(*bench.query("select w from b"), domain);
    CHECK(over->joins.size() == 1);
    CHECK(over->joins[0].kind == JoinKind::Cross);
}
