// A source gives the columns that a query names, in whatever way.
#include "sql/bind/read_names.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

ReadNames namesOf(const std::string& string) {
    static QueryBench bench;
    return ReadNames(*bench.query(string));
}

}  // namespace

TEST_CASE("names of all clauses are read, others are not") {
    const ReadNames names = namesOf("select a + 1 from t join u on t.k = u.j where b > 2 group by c having sum(d) > 1");
    for (const char* name : {"a", "k", "j", "b", "c", "d", "t_k"}) CHECK(names.holds(name));
    CHECK_FALSE(names.holds("z"));
    CHECK_FALSE(names.all());
}

TEST_CASE("stars, changes and code that may name columns in other ways read all") {
    CHECK(namesOf("select * from t").all());
    CHECK(namesOf("select t.* from t").all());
    CHECK(namesOf("update t set a = 1").all());
    CHECK(namesOf("select each(x -> x, a) from t").all());
    CHECK_FALSE(namesOf("select count(*) from t").all());
}

TEST_CASE("sub-queries may name columns of the rows around them, and their stars mean their own") {
    const ReadNames names = namesOf("select a from t where exists (select * from u where u.k = t.j and w > b)");
    for (const char* name : {"a", "j", "w", "b", "t_j"}) CHECK(names.holds(name));
    CHECK_FALSE(names.all());
}
