// Sub-queries over all outer rows at once give each row what they give for it alone.
#include "postgres/steps/domain_steps.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

namespace {

constexpr int kOuterRows = 40;

void fillDomainTables() {
    [[maybe_unused]] static const bool isFilled = [] {
        wholeProcess().run(
            "share table(1..40 as id, iif(1..40 % 7 == 0, int(NULL), 1..40 % 11) as k, take(`a`b`c`, 40) as s, "
            "double(1..40) as x) as pgSomeRows;"
            "share table(iif(1..60 % 9 == 0, int(NULL), 1..60 % 8) as k, take(`a`b``d, 60) as s, "
            "iif(1..60 % 5 == 0, int(NULL), 1..60) as v) as pgInnerRows;"
            "share table(0..5 as k, `zero`one`two`three`four`five as label) as pgLabels");
        return true;
    }();
}

// Asks for the value of an expression of each outer row, all together and one by one: fewer rows than a domain has.
void checkSame(const std::string& value, bool overDomain = true) {
    INFO(value);
    fillDomainTables();
    const std::string query = "select " + value + " from pgSomeRows o";
    std::string oneByOne;
    for (int id = 1; id <= kOuterRows; ++id)
        oneByOne += (id > 1 ? ";" : "") + answer(query + " where id = " + std::to_string(id));
    CHECK(answer(query + " order by id") == oneByOne);
    const std::string plan = [&] {
        Request request(Principal::owner());
        Context context(wholeProcess().services(), request);
        SessionFacts session;
        session.user = "admin";
        return prepareQuery(*parseStatements(query)[0], {}, session, context)->source();
    }();
    CHECK((plan.find("a sub-query for all rows") != std::string::npos) == overDomain);
}

}  // namespace

TEST_CASE("aggregates of the rows of each outer row, also where it has none") {
    checkSame("(select count(*) from pgInnerRows i where i.k = o.k)");
    checkSame("(select sum(v) from pgInnerRows i where i.k = o.k and i.v > o.id)");
    checkSame("(select coalesce(max(v), -1) + 1 from pgInnerRows i where i.k = o.k and i.s = o.s)");
    checkSame("(select sum(i.v * o.id) from pgInnerRows i where i.k + 1 = o.k)");
    checkSame("(select count(l.label) from pgInnerRows i left join pgLabels l on l.k = i.k where i.k = o.k)");
    checkSame("(select min(l.label) from pgInnerRows i, pgLabels l where l.k = i.k and i.v = o.id)");
    checkSame("(select count(*) from (select v from pgInnerRows i group by v) g where g.v = o.id)");
    checkSame("(select count(distinct i.s) from pgInnerRows i where i.k = o.k)");
}

TEST_CASE("one value of the rows of each outer row") {
    checkSame("(select label from pgLabels l where l.k = o.k)");
    checkSame("(select distinct i.k from pgInnerRows i where i.k = o.k)");
    checkSame("(select i.k from pgInnerRows i where i.k = o.k group by i.k having count(*) > 6)");
    fillDomainTables();
    CHECK(stateOf("select (select v from pgInnerRows i where i.k = o.k) from pgSomeRows o") == "21000");
}

TEST_CASE("rows that are there, and rows that are not") {
    checkSame("exists (select * from pgInnerRows i where i.k = o.k)");
    checkSame("exists (select 1 from pgInnerRows i where i.k = o.k and i.v > o.id order by v)");
    checkSame("not exists (select 1 from pgInnerRows i, pgLabels l where i.k = o.k and l.k = i.v)");
    checkSame("exists (select k from pgInnerRows i where i.s = o.s group by k having sum(v) > 100)");
    checkSame("exists (select count(*) from pgInnerRows i where i.k = o.k)");
    fillDomainTables();
    CHECK(answer("select count(*) from pgSomeRows o where not exists (select * from pgInnerRows i where i.k = o.k)") ==
          "13");
}

TEST_CASE("limits, groups that a filter drops and rows without an equality are of one outer row") {
    checkSame("(select v from pgInnerRows i where i.k = o.k order by v limit 1)", false);
    checkSame("(select count(*) from pgInnerRows i where i.k = o.k having count(*) > 7)", false);
    checkSame("(select count(*) from pgInnerRows i where i.v < o.id)", false);
    checkSame("(select count(*) + o.id from pgInnerRows i where i.k = o.k)", false);
    checkSame("(select count(*) from pgInnerRows i where i.k = o.k and i.v in (select k from pgLabels))", false);
    checkSame("(select count(*) from pgLabels l right join pgInnerRows i on l.k = i.k where i.k = o.k)", false);
}

TEST_CASE("equal values of an outer row are one row of the domain") {
    fillDomainTables();
    CHECK(answer("select sum((select count(*) from pgInnerRows i where i.k = o.id % 20)) from pgSomeRows o") ==
          answer("select 2 * count(*) from pgInnerRows i where i.k between 0 and 19"));
}
