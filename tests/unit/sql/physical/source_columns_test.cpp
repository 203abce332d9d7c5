// What an explained query reads has the columns that the query would see, and no row of it is read.
#include "sql/physical/source_columns.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "sql/bind/bind_source.h"
#include "sql/physical/run_source.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("m = table(0..9 as k, 1.5 * 0..9 as x)\nu = table(0..4 as k, 0..4 as y)\nshare table(1 2 as a) as "
            "changing\n"
            "def gone() { delete from changing\n return table(1 2 as k) }\ndef same() { return table(1 2 as k) }\n"
            "def counted(x) { delete from changing\n return sum(x) }");
        t = share("t", "m", "k", "0 5 10");
    }
    // "k INT, x DOUBLE; 0 rows"
    static std::string told(const RowSource& source) {
        std::string string;
        for (const ColumnSchema& c : source.columns())
            string += (string.empty() ? "" : ", ") + c.name + " " + std::string(typeName(c.type));
        return string;
    }
    RowSource columns(const std::string& string) {
        const Ref<Query> select = query(string);
        const SourceRef known = knownSource(bindSource(*select, context), context);
        return runSource(*select, *sourceWithoutRows(known, context), context);
    }
    Ref<PartitionsInMemory> t;
};

}  // namespace

TEST_CASE("columns of joins, queries and calls are those that their rows have") {
    Bench bench;
    for (const char* from :
         {"t", "(select k, x * 2 as twice from t)", "same()", "ej(t, u, `k)", "lj(t, u, `k)", "aj(t, u, `k)",
          "cj(t, u)", "fj(m, u, `k)", "wj(m, u, -1:1, <[sum(y) as s, count(y)]>, `k)", "pwj(m, u, -1:1, <max(y)>, `k)",
          "t join u on t.k = u.k", "t left join u on t.k = u.k", "t right join u on t.k = u.k and u.y > 2",
          "t full join u on t.k = u.k", "t cross join u", "(select k from t) as a join ej(t, u, `k) as b on a.k = b.k",
          "t join u on t.k = u.k left join m on u.k = m.k"}) {
        INFO(from);
        const std::string string = std::string("select * from ") + from;
        const Ref<Query> select = bench.query(string);
        bench.t->counts.opened = 0;
        const RowSource columns = bench.columns(string);
        CHECK(bench.t->counts.opened == 0);
        if (std::string(from) != "t" && std::string(from) != "same()") CHECK(columns.table->rowCount() == 0);
        CHECK(Bench::told(columns) == Bench::told(resolveSource(*select, bench.context)));
    }
}

TEST_CASE("calls that may change something are refused where only they know the columns") {
    Bench bench;
    for (const char* from :
         {"gone()", "ej(gone(), u, `k)", "t join gone() as g on t.k = g.k", "wj(m, u, -1:1, <counted(y)>, `k)"}) {
        INFO(from);
        CHECK_THROWS_WITH(bench.columns(std::string("select * from ") + from), Catch::Contains("may change something"));
    }
    CHECK(bench.shown("changing.rows()") == "2");
}

TEST_CASE("conditions of joins are not computed") {
    Bench bench;
    bench.columns("select * from t join u on t.k = u.k and u.y > gone().rows()");
    bench.columns("select * from ej(t, u, `k, , x > gone().rows())");
    CHECK(bench.shown("changing.rows()") == "2");
}
