// Expressions over columns give each row what C++ computes of it, and tell what they read and of which type they are.
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "tests/support/drawn_rows.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

const TableSchema kColumns{
    {"place", Type::Int}, {"few", Type::Int}, {"half", Type::Double}, {"name", Type::Symbol}, {"wide", Type::Long}};

struct Bench : QueryBench {
    NodeRef item(const std::string& string) { return query("select " + string + " from t")->items[0].value; }
    ExpressionProgram expression(const std::string& string) { return bindProgram(item(string), kColumns, context); }
    std::string type(const std::string& string) {
        const ExpressionProgram e = expression(string);
        return e.isElementwise() ? std::string(typeName(e.resultType())) : "of all rows";
    }
};

// An expression as it is written, and its value for a row.
struct Drawn {
    std::string string;
    std::function<Item(const DrawnRow&)> of;
};

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}
    int64_t below(int64_t end) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(end)); }
    std::mt19937& random() { return random_; }

    Drawn number(int depth) {
        switch (depth <= 0 ? below(4) : below(14)) {
            case 0:
                return {"few", [](const DrawnRow& row) { return row.few; }};
            case 1:
                return {"place", [](const DrawnRow& row) { return Item(row.place); }};
            case 2: {
                const int64_t x = below(9);
                return {std::to_string(x), [x](const DrawnRow&) { return Item(x); }};
            }
            case 3:
                return below(3) ? number(depth - 1) : Drawn{"00i", [](const DrawnRow&) { return Item(); }};
            case 4:
                return arithmetic(number(depth - 1), "+", number(depth - 1), std::plus());
            case 5:
                return arithmetic(number(depth - 1), "-", number(depth - 1), std::minus());
            case 6: {
                const int64_t x = below(5);
                return arithmetic({std::to_string(x), [x](const DrawnRow&) { return Item(x); }}, "*", number(depth - 1),
                                  std::multiplies());
            }
            case 7:
                return one("-(", number(depth - 1), ")", [](int64_t x) { return -x; });
            case 8:
                return one("abs(", number(depth - 1), ")", [](int64_t x) { return std::abs(x); });
            case 9:
            case 10: {
                const Drawn c = condition(depth - 1), a = number(depth - 1), b = number(depth - 1);
                const std::string string =
                    below(2) ? "iif(" + c.string + ", " + a.string + ", " + b.string + ")"
                             : "(case when " + c.string + " then " + a.string + " else " + b.string + " end)";
                return {string, [c, a, b](const DrawnRow& row) { return *c.of(row) ? a.of(row) : b.of(row); }};
            }
            case 11: {
                const Drawn a = number(depth - 1);
                const int64_t x = below(9);
                return {"nullFill(" + a.string + ", " + std::to_string(x) + ")",
                        [a, x](const DrawnRow& row) { return Item(a.of(row).value_or(x)); }};
            }
            case 12: {
                const int64_t x = 1 + below(7);
                return {"(place / " + std::to_string(x) + ")",
                        [x](const DrawnRow& row) { return Item(row.place / x); }};
            }
            default: {
                const int64_t x = 1 + below(7);
                return {"(place % " + std::to_string(x) + ")",
                        [x](const DrawnRow& row) { return Item(row.place % x); }};
            }
        }
    }

    // 0 or 1, never NULL.
    Drawn condition(int depth) {
        switch (depth <= 0 ? below(7) : below(12)) {
            case 0:
                return compared("<", std::less());
            case 1:
                return compared("<=", std::less_equal());
            case 2:
                return compared(">", std::greater());
            case 3:
                return compared(">=", std::greater_equal());
            case 4:
                return compared("==", std::equal_to());
            case 5:
                return compared("!=", std::not_equal_to());
            case 6:
                return {"(name == `n3)", [](const DrawnRow& row) { return Item(row.name == Item(3)); }};
            case 7:
            case 8: {
                const Drawn a = condition(depth - 1), b = condition(depth - 1);
                const bool both = below(2) == 1;
                return {"(" + a.string + (both ? " and " : " or ") + b.string + ")", [=](const DrawnRow& row) {
                            return Item(both ? *a.of(row) && *b.of(row) : *a.of(row) || *b.of(row));
                        }};
            }
            case 9: {
                const Drawn a = condition(depth - 1);
                return {"(not (" + a.string + "))", [a](const DrawnRow& row) { return Item(!*a.of(row)); }};
            }
            case 10: {
                const Drawn a = number(depth - 1);
                if (below(2))
                    return {"isNull(" + a.string + ")", [a](const DrawnRow& row) { return Item(!a.of(row)); }};
                const int64_t x = below(9), y = below(9);
                return {"(" + a.string + " in [" + std::to_string(x) + ", " + std::to_string(y) + "])",
                        [=](const DrawnRow& row) { return Item(a.of(row) == Item(x) || a.of(row) == Item(y)); }};
            }
            default: {
                const Drawn a = number(depth - 1);
                const int64_t low = below(9), high = low + below(5);
                return {"(" + a.string + " between " + std::to_string(low) + ":" + std::to_string(high) + ")",
                        [=](const DrawnRow& row) { return Item(a.of(row) >= Item(low) && a.of(row) <= Item(high)); }};
            }
        }
    }

private:
    template <class F>
    static Drawn arithmetic(const Drawn& a, const std::string& op, const Drawn& b, F f) {
        return {"(" + a.string + " " + op + " " + b.string + ")", [a, b, f](const DrawnRow& row) {
                    const Item x = a.of(row), y = b.of(row);
                    return x && y ? Item(f(*x, *y)) : Item();
                }};
    }
    template <class F>
    static Drawn one(const std::string& before, const Drawn& a, const std::string& after, F f) {
        return {before + a.string + after, [a, f](const DrawnRow& row) {
                    const Item x = a.of(row);
                    return x ? Item(f(*x)) : Item();
                }};
    }
    template <class F>
    Drawn compared(const std::string& op, F f) {
        const Drawn a = number(1), b = number(1);
        return {"(" + a.string + " " + op + " " + b.string + ")",
                [a, b, f](const DrawnRow& row) { return Item(f(a.of(row), b.of(row))); }};
    }

    std::mt19937 random_;
};

}  // namespace

TEST_CASE("an expression tells which columns it reads, and whether it is one of them") {
    Bench bench;
    CHECK(bench.expression("half + few * half").columns() == std::vector<int>{2, 1});
    CHECK(bench.expression("few").plainColumn() == 1);
    CHECK(bench.expression("few + 0").plainColumn() == -1);
    CHECK(bench.expression("1 + 2").isConstant());
    CHECK_FALSE(bench.expression("few + 2").isConstant());
    bench.run("few = 100\nlimit1 = 7");
    CHECK(bench.expression("few").plainColumn() == 1);  // a column, whatever variable is called so
    CHECK(bench.expression("limit1").isConstant());
    CHECK(bench.expression("few < limit1").columns() == std::vector<int>{1});
}

TEST_CASE("the type of an item for each row is known before there are rows") {
    Bench bench;
    CHECK(bench.type("few") == "INT");
    CHECK(bench.type("few + wide") == "LONG");
    CHECK(bench.type("few + half") == "DOUBLE");
    CHECK(bench.type("few > half") == "BOOL");
    CHECK(bench.type("name") == "SYMBOL");
    CHECK(bench.type("string(few)") == "STRING");
    CHECK(bench.type("iif(few > 1, few, wide)") == "LONG");
    CHECK(bench.type("2024.01.01 + few") == "DATE");
    for (const char* string : {"avg(few)", "deltas(few)", "few - avg(few)", "cumsum(half)", "{x -> x}(few)"}) {
        INFO(string);
        CHECK(bench.type(string) == "of all rows");
    }
}

TEST_CASE("a name that nothing defines is told with the nearest column or function") {
    Bench bench;
    const auto told = [&](const std::string& string, const std::string& what, const std::string& hint) {
        INFO(string);
        try {
            bench.expression(string);
            FAIL("it was taken");
        } catch (const UserError& error) {
            CHECK_THAT(error.what(), Catch::Contains(what));
            CHECK_THAT(error.hint(), Catch::Contains(hint));
        }
    };
    told("few1 + 1", "Unrecognized column name [few1]", "few");
    told("few + nmae", "Unrecognized column name [nmae]", "name");
    told("summ(few)", "'summ' is not defined", "sum");
    told("iif(few > q, 1, 2)", "Unrecognized column name [q]", "The columns are place, few, half, name, wide.");
}

TEST_CASE("aggregates and functions of other rows are found wherever they stand") {
    Bench bench;
    const auto node = [&](const std::string& string) { return bench.item(string); };
    for (const char* string : {"sum(few)", "few - avg(few)", "iif(few > max(few), 1, 2)", "string(sum(few))"}) {
        INFO(string);
        CHECK(holdsAggregate(*node(string), bench.context));
        CHECK(readsOtherRows(*node(string), bench.context));
    }
    for (const char* string : {"deltas(few)", "few + prev(few)", "cumsum(few)"}) {
        INFO(string);
        CHECK_FALSE(holdsAggregate(*node(string), bench.context));
        CHECK(readsOtherRows(*node(string), bench.context));
    }
    for (const char* string : {"few", "few + 1", "abs(few)", "iif(few > 1, 1, 2)"}) {
        INFO(string);
        CHECK_FALSE(readsOtherRows(*node(string), bench.context));
    }
}

// Drawn expressions over drawn rows: in batches, and within a select with a condition.
TEST_CASE("expressions give each row what C++ computes of it, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    Draw draw(seed);
    Bench bench;
    int items = 0, nulls = 0, elementwise = 0, passed = 0;
    for (int n = 0; n < 1500; ++n) {
        const DrawnRows rows = drawnRows(1 + draw.below(40), draw.random());
        const Ref<MemoryTable> table = tableOf(rows);
        bench.session->setVariable("m", Value::of(Ref<Table>(table)));
        const Drawn drawn = draw.below(3) ? draw.number(3) : draw.condition(3);
        const Drawn condition = draw.condition(2);
        INFO(drawn.string << " where " << condition.string);
        std::vector<std::vector<Item>> wanted, wantedOfSome;
        for (const DrawnRow& row : rows) {
            wanted.push_back({drawn.of(row)});
            if (*condition.of(row)) wantedOfSome.push_back({row.place, drawn.of(row)});
            nulls += !drawn.of(row);
            ++items;
        }
        const ExpressionProgram e = bench.expression(drawn.string);
        const Value given = e.evaluate(bench.context, *table);
        auto all = makeRef<MemoryTable>();
        all->setColumn("x",
                       given.isScalar() ? Value::of(Vector::filled(given.type(), table->rowCount(), given)) : given);
        CHECK(toString(itemsOfRows(*all)) == toString(wanted));
        if (e.isElementwise()) {
            ++elementwise;
            CHECK(typeName(e.resultType()) == typeName(given.type()));
        }
        const Value some = bench.answer("select place, " + drawn.string + " as x from m where " + condition.string);
        CHECK(toString(itemsOfRows(static_cast<const MemoryTable&>(some.table()))) == toString(wantedOfSome));
        passed += static_cast<int>(wantedOfSome.size());
    }
    CHECK(items > 20'000);
    CHECK(nulls > 200);
    CHECK(elementwise > 700);
    CHECK(passed > 1000);
}
