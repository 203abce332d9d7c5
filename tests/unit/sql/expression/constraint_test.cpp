// Constraints that a condition implies for one column, and their effect on the rows of a block whose bounds are known.
#include <catch2/catch.hpp>
#include <random>

#include "runtime/value/cast.h"
#include "runtime/value/vector.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/constraint.h"
#include "tests/support/partitions_in_memory.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using pelorus::testing::QueryBench;

namespace {

const TableSchema kColumns{{"x", Type::Int},       {"y", Type::Int},    {"real", Type::Double},
                           {"name", Type::Symbol}, {"day", Type::Date}, {"at", Type::Timestamp}};

struct Bench : QueryBench {
    NodeRef condition(const std::string& string) { return conditions(string)[0]; }

    std::optional<ColumnConstraint> constraint(const std::string& string) {
        ColumnConstraint c;
        if (!constraintOf(*condition(string), kColumns, context, c)) return std::nullopt;
        return c;
    }
    // Returns the range as "x [1, 5)"; an open side is a blank.
    std::string range(const std::string& string) {
        const std::optional<ColumnConstraint> c = constraint(string);
        if (!c) return "nothing";
        return kColumns[static_cast<size_t>(c->column)].name + (c->lowIncluded ? " [" : " (") + display(c->low) + ", " +
               display(c->high) + (c->highIncluded ? "]" : ")");
    }
    std::string values(const std::string& string) {
        const std::optional<ColumnConstraint> c = constraint(string);
        if (!c) return "nothing";
        std::string all;
        for (const Value& value : c->anyOf) all += (all.empty() ? "" : " ") + display(value);
        return all;
    }
};

BlockBounds ints(int32_t least, int32_t greatest, int64_t nulls = 0) {
    return {.known = true, .min = Value::ofInt(least), .max = Value::ofInt(greatest), .nullCount = nulls};
}

}  // namespace

TEST_CASE("a comparison of a column with a constant is a range, open on the other side") {
    Bench bench;
    CHECK(bench.range("x < 5") == "x [, 5)");
    CHECK(bench.range("x <= 5") == "x [, 5]");
    CHECK(bench.range("x > 5") == "x (5, ]");
    CHECK(bench.range("x >= 5") == "x [5, ]");
    CHECK(bench.range("x = 5") == "x [5, 5]");
    CHECK(bench.values("x == 5") == "5");
    CHECK(bench.range("x between 2:7") == "x [2, 7]");
    CHECK(bench.range("between(x, 2:7)") == "nothing");  // a call of a function, which is not looked into
    CHECK(bench.range("name >= \"M\"") == "name [M, ]");
}

TEST_CASE("a constant on the left is the same range as one on the right") {
    Bench bench;
    CHECK(bench.range("5 > x") == bench.range("x < 5"));
    CHECK(bench.range("5 >= x") == bench.range("x <= 5"));
    CHECK(bench.range("5 < x") == bench.range("x > 5"));
    CHECK(bench.range("5 <= x") == bench.range("x >= 5"));
    CHECK(bench.range("5 == x") == bench.range("x == 5"));
}

TEST_CASE("constants that are computed count as constants, and see the session's variables") {
    Bench bench;
    bench.run("limits = [3, 9]\nday = 2024.01.31\nlisted = set(1 4)");
    CHECK(bench.range("x < 2 + 3") == "x [, 5)");
    CHECK(bench.range("x < limits[1]") == "x [, 9)");
    CHECK(bench.range("x < max(limits)") == "x [, 9)");
    CHECK(bench.range("x in listed") == "x [1, 4]");
    // A name that a column has is the column, whatever the session calls so.
    CHECK(bench.range("day > day") == "nothing");
}

TEST_CASE("what is no comparison of one column with one constant says nothing") {
    Bench bench;
    for (const char* string : {"x < y", "x + 1 < 5", "x != 5", "x", "1 < 2", "abs(x) < 5", "not (x < 5)",
                               "x < [1, 2, 3]", "x < \"a\"", "x in []", "x in [1, 2][x]", "name like \"a%\"",
                               "x < 1 and y < 2", "5 in x", "x == NULL", "year(day) == 2024", "x in (select 1 as n)"}) {
        INFO(string);
        CHECK(bench.range(string) == "nothing");
    }
}

TEST_CASE("in leaves its values, without order and of any container") {
    Bench bench;
    CHECK(bench.values("x in [7, 3, 5]") == "7 3 5");
    CHECK(bench.range("x in [7, 3, 5]") == "x [3, 7]");
    CHECK(bench.range("x in 3:5") == "x [3, 5]");
    CHECK(bench.values("name in `B`A") == "B A");
    // `in` would round the column to the list's type; comparisons with a DOUBLE do not.
    CHECK(bench.range("real in [1, 2]") == "nothing");
    CHECK(bench.range("real in [1.0, 2.0]") != "nothing");
    // So many values are no help.
    CHECK(bench.range("x in 1..1000") == "x [1, 1000]");
    CHECK(bench.range("x in 1..1001") == "nothing");
}

TEST_CASE("or joins what both sides say of one column, and is not exact where a gap lies between") {
    Bench bench;
    CHECK(bench.values("x == 3 or x == 8") == "3 8");
    CHECK(bench.values("x == 3 or x in [5, 6] or x == 8") == "3 5 6 8");
    const auto between = bench.constraint("(x between 1:2) or (x between 8:9)");
    REQUIRE(between);
    CHECK(bench.range("(x between 1:2) or (x between 8:9)") == "x [1, 9]");
    CHECK_FALSE(between->isExact);
    CHECK(bench.range("x < 3 or x <= 3") == "x [, 3]");
    CHECK(bench.range("x < 3 or x < 5") == "x [, 5)");
    CHECK(bench.range("x < 3 or x > 5") == "nothing");  // open on both sides
    CHECK(bench.range("x < 3 or y < 3") == "nothing");
    CHECK(bench.range("x < 3 or x + 1 == 9") == "nothing");
    CHECK(bench.range("x == 1 || x == 2") == "x [1, 2]");
}

TEST_CASE("or over several columns leaves what both sides say of each, none of it exact") {
    Bench bench;
    const auto said = [&](const std::string& string) {
        std::string all;
        for (const ColumnConstraint& c : constraintsOf({bench.condition(string)}, kColumns, bench.context)) {
            CHECK_FALSE(c.isExact);
            all += kColumns[static_cast<size_t>(c.column)].name + ":";
            for (const Value& value : c.anyOf) all += " " + display(value);
            all += "; ";
        }
        return all;
    };
    CHECK(said("(x == 1 and y == 2) or (x == 1 and y == 5) or (y == 7 and x == 3)") == "x: 1 1 3; y: 2 5 7; ");
    CHECK(said("(x == 1 and y == 2) or x == 4") == "x: 1 4; ");
    CHECK(said("(x == 1 and real > 2) or (x < 5 and real > 3)") == "x:; real:; ");
    CHECK(said("(x == 1 and y == 2) or real == 4") == "");
}

TEST_CASE("a time as a constant is taken where it is one of the column's own") {
    Bench bench;
    CHECK(bench.range("day < 2024.01.05") == "day [, 2024.01.05)");
    CHECK(bench.range("day < 2024.01.05T00:00:00") == "day [, 2024.01.05)");
    CHECK(bench.range("day < 2024.01.05T12:00:00") == "nothing");
    CHECK(bench.range("at >= 2024.01.05") == "at [2024.01.05T00:00:00.000, ]");
    CHECK(bench.range("day < 5") == "nothing");
}

TEST_CASE("bounds decide for none, some or all rows of a block") {
    Bench bench;
    const auto decided = [&](const std::string& string, const BlockBounds& bounds) {
        return decide(*bench.constraint(string), bounds);
    };
    CHECK(decided("x < 5", ints(1, 4)) == Selects::All);
    CHECK(decided("x < 5", ints(1, 5)) == Selects::Some);
    CHECK(decided("x < 5", ints(5, 9)) == Selects::None);
    CHECK(decided("x <= 5", ints(5, 9)) == Selects::Some);
    CHECK(decided("x <= 5", ints(1, 5)) == Selects::All);
    CHECK(decided("x > 5", ints(1, 5)) == Selects::None);
    CHECK(decided("x > 5", ints(6, 9)) == Selects::All);
    CHECK(decided("x >= 5", ints(1, 5)) == Selects::Some);
    CHECK(decided("x == 5", ints(5, 5)) == Selects::All);
    CHECK(decided("x == 5", ints(4, 6)) == Selects::Some);
    CHECK(decided("x between 2:7", ints(2, 7)) == Selects::All);
    // Bounds cannot prove that a row between several values is one of them.
    CHECK(decided("x in [3, 5]", ints(3, 5)) == Selects::Some);
    CHECK(decided("x in [3, 5]", ints(6, 9)) == Selects::None);
    CHECK(decided("(x between 1:2) or (x between 8:9)", ints(4, 5)) == Selects::Some);
    CHECK(decided("x < 5", BlockBounds{}) == Selects::Some);
}

TEST_CASE("rows without a value are below every value") {
    Bench bench;
    const auto decided = [&](const std::string& string, const BlockBounds& bounds) {
        return decide(*bench.constraint(string), bounds);
    };
    CHECK(decided("x < 5", ints(6, 9, 1)) == Selects::Some);
    CHECK(decided("x < 5", ints(1, 4, 1)) == Selects::All);
    CHECK(decided("x > 5", ints(6, 9, 1)) == Selects::Some);
    CHECK(decided("x > 5", ints(1, 4, 1)) == Selects::None);
    CHECK(decided("x == 00i", ints(1, 4, 1)) == Selects::Some);
    CHECK(decided("x == 00i", ints(1, 4)) == Selects::None);
    CHECK(decided("x in [00i, 9]", ints(1, 4, 1)) == Selects::Some);
    CHECK(decided("x >= 00i", ints(1, 4, 2)) != Selects::None);
    CHECK(decided("x > 00i", ints(1, 4, 2)) == Selects::Some);
    CHECK(decided("x > 00i", ints(1, 4)) == Selects::All);
}

TEST_CASE("what bounds decide is what the rows of the block say, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    const auto below = [&](unsigned end) { return static_cast<int32_t>(random() % end); };
    const auto constant = [&](bool isReal) {
        if (below(6) == 0) return std::string(isReal ? "00F" : "00i");
        return std::to_string(below(7)) + (isReal ? ".5" : "");
    };
    const auto comparison = [&](const std::string& column) {
        static constexpr const char* kOperators[] = {"<", "<=", ">", ">=", "=="};
        const bool isReal = column == "real";
        const std::string a = constant(isReal), b = constant(isReal);
        switch (below(4)) {
            case 0:
                return column + " in [" + a + ", " + b + "]";
            case 1:
                return column + " between " + a + ":" + b;
            default:
                return column + " " + kOperators[below(5)] + " " + a;
        }
    };
    int none = 0, all = 0;
    for (int n = 0; n < 2000; ++n) {
        const std::string column = below(2) ? "x" : "real";
        std::string string = comparison(column);
        if (below(3) == 0) string = "(" + string + ") or (" + comparison(column) + ")";
        const std::optional<ColumnConstraint> constraint = bench.constraint(string);
        if (!constraint) continue;
        const int first = below(6), count = 1 + below(4);
        const Type type = column == "x" ? Type::Int : Type::Double;
        const Ref<Vector> items = Vector::make(type, count);
        for (int64_t i = 0; i < count; ++i) {
            const int item = first + below(3);
            items->set(i, below(5) == 0       ? Value::nullOf(type)
                          : type == Type::Int ? Value::ofInt(item)
                                              : Value::ofDouble(item + 0.5 * below(2)));
        }
        const ExpressionProgram expression = bindProgram(bench.condition(string), kColumns, bench.context);
        const Value column1 = Value::of(items);
        const Value passes = expression.evaluate(bench.context, {&column1, 1}, count);
        int64_t passing = 0;
        for (int64_t i = 0; i < count; ++i) passing += isTrue(passes.isScalar() ? passes : passes.at(i));
        const Selects told = decide(*constraint, testing::boundsOf(*items));
        INFO(string << " of " << display(column1));
        if (told == Selects::None) CHECK(passing == 0);
        if (told == Selects::All) CHECK(passing == count);
        none += told == Selects::None;
        all += told == Selects::All;
    }
    CHECK(none > 20);
    CHECK(all > 20);
}
