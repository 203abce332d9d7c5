// Explaining a statement of any form runs no function that may change something, reads no row, and changes nothing.
// The statements are generated: each form of source with each form of clause, with effects wherever code may stand.
#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("m = table(0..99 as k, 1.5 * 0..99 as x, string(0..99 % 7) as s)\n"
            "u = table(0..49 as k, 0..49 as y)\n"
            "share keyedTable(`k, 0..9 as k, 0..9 as y) as kept\n"
            "share table(1 2 3 as a) as changing\n"
            "def noisy(v) { insert into changing values(9)\n print(`called)\n return v }\n"
            "def tables() { insert into changing values(9)\n print(`called)\n return table(0..9 as k, 0.5 * 0..9 as x, "
            "string(0..9) as s) }");
        t = share("t", "m", "k", "0 20 40 60 80 100");
        request.print = [this](std::string_view) { ++calls; };
    }

    // What a user could see of a statement that ran: calls, rows that were read, rows that changed.
    void requireNothing() {
        CHECK(calls == 0);
        CHECK(t->counts.opened == 0);
        CHECK(t->counts.blocks == 0);
        CHECK(shown("changing.a") == "[1,2,3]");
        CHECK(shown("(t.size(), m.size(), u.size(), kept.size())") == "(100,100,50,10)");
    }
    // Explains a statement. Returns whether it has a plan; an error is what explain says, or what the statement says.
    bool isExplained(const std::string& string) {
        INFO(string);
        const Ref<Query> statement = query(string);
        calls = 0;
        t->counts.opened = t->counts.blocks = 0;
        bool isPlanned = false;
        try {
            isPlanned = !planText(*statement, context).empty();
        } catch (const UserError&) {  // which must not have done anything either
        }
        requireNothing();
        return isPlanned;
    }
    // Runs a statement; returns whether it is one that runs.
    bool runs(const std::string& string) {
        INFO(string);
        bool isValid = true;
        try {
            answer(string);
        } catch (const UserError&) {
            isValid = false;
        }
        run("delete from changing where a = 9");
        return isValid;
    }

    Ref<PartitionsInMemory> t;
    int calls = 0;
};

const std::vector<std::string> kSources = {
    "t",
    "m",
    "kept",
    "(select k, x, s from t where x > 3)",
    "(select k, x, s from t where k < noisy(50))",
    "ej(t, u, `k)",
    "lj(m as a, t as b, `k, , a.x > noisy(1), b.x > 2)",
    "fj(t, u, `k)",
    "aj(t, u, `k)",
    "cj(t, u)",
    "sej(t, u, `k)",
    "wj(t, u, -2:2, <[sum(y) as sums, count(y)]>, `k)",
    "wj(t, u, -2:2, <[max(y), noisy(sum(y)) as n]>, `k)",
    "ej(t, (select k, sum(y) as y from u group by k), `k)",
    "t join u on t.k = u.k",
    "t left join u on t.k = u.k and u.y > noisy(3)",
    "t right join u on t.k = u.k",
    "t full join u on t.k = u.k",
    "t cross join u",
    "t as a join (select k, y from u where y > noisy(1)) as b on a.k = b.k left join kept on kept.k = b.k",
    "tables()",
    "ej(tables(), u, `k)",
    "t join tables() as w on t.k = w.k",
};

// What stands before `from`, and behind the conditions.
const std::vector<std::pair<std::string, std::string>> kForms = {
    {"select *", " order by k limit 5"},
    {"select top 3 k", " order by noisy(k)"},
    {"select distinct k", " limit noisy(4)"},
    {"exec count(*)", ""},
    {"exec noisy(7) as n", ""},
    {"select sum(k) as total, noisy(2) as n", " group by k % 3 as g having sum(k) > noisy(1) order by total desc"},
    {"select avg(noisy(k)) as a", " group by noisy(k) % 5 as g"},
    {"select k, cumsum(k) as c", " context by k % 3 csort k limit -2"},
    {"select last(k) as k", " group by interval(k, noisy(10), \"null\")"},
    {"select k, row_number() over (partition by k % 2 order by k) as r", ""},
    {"select last(k) as k", " pivot by k % 2 as a, k % 3 as b"},
    {"select sum(k) as c", " cgroup by k % 4 as g order by g"},
    {"select k, (select max(noisy(x)) from t) as most", ""},
    {"with w as (select k from t where k > noisy(2)) select k, (exec count(*) from w) as n", ""},
};

const std::vector<std::string> kConditions = {
    "",
    " where k > noisy(3)",
    " where k in (select noisy(k) from t where k < 5), k > (exec min(k) from u)",
    " where exists(select k from t where k > noisy(1)) and k > any (select k from u)",
    " where k > avg(k), noisy(k) > 2",
};

}  // namespace

TEST_CASE("explaining a select or exec of any form runs nothing and reads nothing") {
    Bench bench;
    int planned = 0, running = 0;
    for (const std::string& source : kSources) {
        for (const auto& [items, tail] : kForms) {
            for (const std::string& condition : kConditions) {
                const std::string statement = items + " from " + source + condition + tail;
                planned += bench.isExplained(statement);
                // The forms are ones that run: each of them over a plain table, and each source without effects.
                if (source == "m" || (&condition == kConditions.data() && items == "select *"))
                    running += bench.runs(statement);
            }
        }
    }
    CHECK(planned > 1000);
    CHECK(running > 70);
}

TEST_CASE("explaining what changes rows changes nothing") {
    Bench bench;
    for (const char* statement :
         {"update t set x = noisy(1)", "update m set x = noisy(x) where k in (select noisy(k) from t)",
          "update kept set y = noisy(y) from ej(kept, u, `k)", "delete from t where k > noisy(3)",
          "delete from kept where k > noisy(3)", "delete from lj(kept, u, `k) where u.k > noisy(1)",
          "insert into kept values(noisy(11), 2)", "insert into m select k, x, s from t where k > noisy(3)"}) {
        CHECK(bench.isExplained(statement));
    }
}

TEST_CASE("a union and each of its parts are explained without being run") {
    Bench bench;
    CHECK(bench.isExplained("(select k from t where k > noisy(1)) union all (select noisy(k) as k from u)"));
    CHECK(bench.isExplained("(select k from t) union (select k from m order by noisy(k) limit 3)"));
}
