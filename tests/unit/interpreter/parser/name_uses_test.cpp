// The names of an expression are found wherever they stand in it, but for inner queries and lambdas.
#include "runtime/code/name_uses.h"

#include <catch2/catch.hpp>
#include <string>

#include "interpreter/parser/parser.h"

using namespace pelorus;

namespace {

// The names as they come; those that are called end in ().
std::string uses(const char* code) {
    std::string names;
    forEachUse(*parseExpression(code),
               [&](const Name& name, bool called) { names += name.name + (called ? "() " : " "); });
    return names;
}

}  // namespace

TEST_CASE("every part of an expression is searched for names") {
    CHECK(uses("a + b * -c") == "a b c ");
    CHECK(uses("x > y ? a : b") == "x y a b ");
    CHECK(uses("f(a, g(b), n=c)") == "f() a g() b c ");
    CHECK(uses("f{a, }") == "f() a ");
    CHECK(uses("a[i, j]") == "a i j ");
    CHECK(uses("(a, [b, c])") == "a b c ");
    CHECK(uses("1 + 2").empty());
}

TEST_CASE("names within queries and lambdas are none of the expression") {
    CHECK(uses("a + (select b from c)") == "a ");
    CHECK(uses("each(def(x): x + b, a)") == "each() a ");
}

TEST_CASE("names are the same whether their use is asked for or not") {
    std::string names;
    forEachName(*parseExpression("f(a) + a"), [&](const Name& name) { names += name.name + " "; });
    CHECK(names == "f a a ");
}
