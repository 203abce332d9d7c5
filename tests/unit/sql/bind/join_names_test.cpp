// Names by which a query may call the columns of a join.
#include "sql/bind/join_names.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

const TableSchema kLeft{{"k", Type::Int}, {"v", Type::Int}};
const TableSchema kRight{{"r", Type::Int}, {"v", Type::Int}};
const std::string kName = "b";
const ClauseSides kSides{kLeft, kRight, kName};
const JoinColumns kKeys{{"k"}, {"r"}};

struct Bench : QueryBench {
    // "b.r is k; b.v is b_v"
    std::string named(JoinKind kind, const std::string& items) {
        const ReadNames read(*query("select " + items + " from t"));
        RowSource source;
        source.qualified = qualifiedColumns(kLeft, "a");
        nameColumnsOfClause(kind, kSides, kKeys, hiddenKeysOfClause(kind, kSides, kKeys, read), source);
        std::string string;
        for (const QualifiedColumn& column : source.qualified) {
            if (column.column == column.name && column.qualifier == "a") continue;
            string += (string.empty() ? "" : "; ") + column.qualifier + "." + column.column + " is " + column.name;
        }
        return string;
    }
    std::vector<Value> arguments(const std::string& list) {
        const Value tuple = run("t = table(1 2 as k, 3 4 as v)\n(t, t" + list + ")");
        std::vector<Value> values = tuple.tuple().elements;
        values.resize(6, omitted());
        return values;
    }
};

}  // namespace

TEST_CASE("a key of the right side has the name of the left, and a taken name gets the table's in front") {
    Bench bench;
    CHECK(bench.named(JoinKind::Inner, "a.k, b.v") == "b.r is k; b.v is b_v");
    CHECK(bench.named(JoinKind::Full, "k") == "b.r is r; b.v is b_v");
}

TEST_CASE("keys that an outer join leaves out are kept in hidden columns only when the query reads them") {
    Bench bench;
    CHECK(bench.named(JoinKind::Left, "b.v") == "b.r is k; b.v is b_v");
    CHECK(bench.named(JoinKind::Left, "b.r") == "b.r is  b.r; b.v is b_v");
    CHECK(bench.named(JoinKind::Right, "a.k") == "a.k is  left.k; b.r is r; b.v is b_v");
    CHECK(bench.named(JoinKind::Right, "r") == "b.r is r; b.v is b_v");
}

TEST_CASE("join functions name the keys of their right tables by the arguments of the call") {
    Bench bench;
    const ReadNames read(*bench.query("select b.r from t"));
    const JoinFunctionNames left = namesOfRightKeys("lj", "b", bench.arguments(", `k, `r"), read);
    CHECK(left.hiddenPrefix == " b.");
    REQUIRE(left.names.size() == 1);
    CHECK(left.names[0].name == " b.r");
    CHECK(namesOfRightKeys("lj", "b", bench.arguments(", `k, `s"), read).names.empty());
    CHECK(namesOfRightKeys("ej", "b", bench.arguments(", `k, `r"), read).names.empty());
    const std::vector<QualifiedColumn> keys = namesOfEquiJoinKeys("ej", "b", bench.arguments(", `k`v, `r`s"));
    REQUIRE(keys.size() == 2);
    CHECK(keys[1].column == "s");
    CHECK(keys[1].name == "v");
    CHECK(namesOfEquiJoinKeys("lj", "b", bench.arguments(", `k`v, `r`s")).empty());
}

TEST_CASE("a column is read under its name, or with the name of its table in front") {
    Bench bench;
    const ReadNames read(*bench.query("select k, b.v from t"));
    CHECK(isColumnRead(read, {"a", "b"}, "k"));
    CHECK(isColumnRead(read, {"a", "b"}, "v"));
    CHECK(isColumnRead(read, {"a", "b"}, " hidden"));
    CHECK_FALSE(isColumnRead(read, {"a", "b"}, "w"));
    CHECK(isColumnRead(read, {"a", ""}, "w"));  // a table without a name may be called in ways that nobody knows
}
