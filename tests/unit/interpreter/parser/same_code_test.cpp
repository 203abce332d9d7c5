// Code is the same whatever its place and the way its calls are written, and differs in any name, literal or operator.
#include "runtime/code/same_code.h"

#include <catch2/catch.hpp>

#include "interpreter/parser/parser.h"

using namespace pelorus;

namespace {

bool areSame(const char* a, const char* b) {
    return isSameCode(parseExpression(a), parseExpression(b));
}

}  // namespace

TEST_CASE("an expression is the same as the same one elsewhere") {
    const char* const kExpressions[] = {"1.5",        "`a`b",         "x",           "-x",        "!x",
                                        "x + 2 * y",  "iif(x, 1, 2)", "x ? 1 : 2",   "f(x, , 3)", "f{x, }",
                                        "each(f, x)", "f:E(x, y)",    "x[1, 2]",     "x.y",       "(x, 1, \"a\")",
                                        "[x, 2]",     "{a: 1, b: x}", "def(x): x+1", "<x + 1>",   "0:x"};
    for (const char* a : kExpressions) {
        INFO(a);
        CHECK(areSame(a, ("  " + std::string(a)).c_str()));
        for (const char* b : kExpressions) CHECK(areSame(a, b) == (std::string(a) == b));
    }
}

TEST_CASE("a call is the same however it is written, and differs by function, arguments and keywords") {
    CHECK(areSame("f(x, 2)", "x.f(2)"));
    CHECK_FALSE(areSame("f(x, 2)", "g(x, 2)"));
    CHECK_FALSE(areSame("f(x, 2)", "f(x, 3)"));
    CHECK_FALSE(areSame("f(x, 2)", "f(x)"));
    CHECK_FALSE(areSame("f(x, 2)", "f(x, n=2)"));
}

TEST_CASE("literals of other types, values or words differ") {
    CHECK_FALSE(areSame("1", "1l"));
    CHECK_FALSE(areSame("1", "2"));
    CHECK_FALSE(areSame("`a", "`b"));
    CHECK_FALSE(areSame("00i", "NULL"));
    CHECK(areSame("00i", "00i"));
}

TEST_CASE("a query is the same only as itself") {
    const NodeRef query = parseExpression("select x from t");
    CHECK(isSameCode(query, query));
    CHECK_FALSE(isSameCode(query, parseExpression("select x from t")));
    CHECK(isSameCode(NodeRef(), NodeRef()));
    CHECK_FALSE(isSameCode(query, NodeRef()));
}
