#include "sql/rewrite/inner_joins_first.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// The order of the joins of a query over tables a (k, v), l (k, w), c (k, u).
std::vector<size_t> orderOf(const std::string& text) {
    static const TableSchema kA{{"k", Type::Int}, {"v", Type::Int}}, kL{{"k", Type::Int}, {"w", Type::Int}},
        kC{{"k", Type::Int}, {"u", Type::Int}};
    QueryBench bench;
    const Ref<Query> query = bench.query(text);
    return innerJoinsFirst(*query, query->joins, {{"a", &kA}, {"l", &kL}, {"c", &kC}});
}

using Order = std::vector<size_t>;

}  // namespace

TEST_CASE("inner and cross joins pass left joins whose columns they do not read") {
    CHECK(orderOf("select v from a left join l on a.k = l.k, c where a.v = c.u") == Order{1, 0});
    CHECK(orderOf("select v from a left join l on a.k = l.k join c on a.v = c.u") == Order{1, 0});
    CHECK(orderOf("select v from a join c on a.v = c.u left join l on a.k = l.k") == Order{0, 1});
}

TEST_CASE("joins stay where an inner one reads the columns of a left one") {
    CHECK(orderOf("select v from a left join l on a.k = l.k join c on l.w = c.u") == Order{0, 1});
    CHECK(orderOf("select v from a left join l on a.k = l.k join c on w = u") == Order{0, 1});
}

TEST_CASE("joins stay where a name would mean another table's column") {
    CHECK(orderOf("select k from a left join l on a.k = l.k, c where a.v = c.u") == Order{0, 1});
    CHECK(orderOf("select c_k from a left join l on a.k = l.k, c where a.v = c.u") == Order{0, 1});
    CHECK(orderOf("select * from a left join l on a.k = l.k, c where a.v = c.u") == Order{0, 1});
    CHECK(orderOf("select v from a right join l on a.k = l.k, c where a.v = c.u") == Order{0, 1});
}
