// Function views run with the rights of their definer, and code of the caller with the caller's.
#include <catch2/catch.hpp>

#include "tests/support/users_fixture.h"

using namespace pelorus;

namespace {

// Reads the shared table that only its owner may read.
constexpr const char* kCountOf = R"(
share table(1 2 3 as x) as secret
addAccessControl(`secret)
def countOf() { return exec count(*) from objByName(`secret) }
addFunctionView(countOf)
undef(`countOf, DEF)
)";

}  // namespace

TEST_CASE("a function view runs as its definer, who may read what the caller may not") {
    UsersFixture users;
    users.run("admin", kCountOf);
    REQUIRE_THROWS_WITH(users.run("bob", "exec count(*) from secret"),
                        Catch::Contains("No access to shared table [secret]"));
    REQUIRE_THROWS_WITH(users.run("bob", "countOf()"), Catch::Contains("<NoPrivilege>No access to view countOf"));
    users.grant("bob", Right::ExecuteView, "countOf");
    REQUIRE(users.run("bob", "countOf()") == "3");
    REQUIRE(users.run("bob", "each(x -> countOf() + x, 1 2)") == "[4,5]");
    REQUIRE(users.run("bob", "peach(x -> countOf() + x, 1 2)") == "[4,5]");
    REQUIRE(users.run("bob", "f = countOf; f()") == "3");
    REQUIRE(users.run("bob", "call(countOf)") == "3");
    REQUIRE(users.run("bob", "::countOf()") == "3");
    REQUIRE(users.run("bob", "exec x + countOf() from table(1 2 as x)") == "[4,5]");
    REQUIRE(users.call("bob", "countOf") == "3");
    REQUIRE_THROWS_WITH(users.run("bob", "secret.x"), Catch::Contains("No access to shared table [secret]"));
}

TEST_CASE("a function view that was kept in a variable loses its power with the right") {
    UsersFixture users;
    users.run("admin", kCountOf);
    users.grant("bob", Right::ExecuteView, "countOf");
    users.run("bob", "f = countOf\ng = countOf{}");
    users.revoke("bob", Right::ExecuteView, "countOf");
    REQUIRE_THROWS_WITH(users.run("bob", "f()"), Catch::Contains("<NoPrivilege>"));
    REQUIRE_THROWS_WITH(users.run("bob", "g()"), Catch::Contains("<NoPrivilege>"));
}

TEST_CASE("a function view fails when its definer lost the right or was deleted") {
    UsersFixture users;
    users.run("admin", "share table(1 2 3 as x) as secret\naddAccessControl(`secret)");
    users.grant("ann", Right::Read, "secret");
    users.grant("ann", Right::CreateView, "");
    users.grant("bob", Right::ExecuteView, "total");
    users.run("ann", "def total() { return exec sum(x) from objByName(`secret) }\naddFunctionView(total)");
    REQUIRE(users.run("bob", "total()") == "6");
    users.revoke("ann", Right::Read, "secret");
    REQUIRE_THROWS_WITH(users.run("bob", "total()"), Catch::Contains("No access to shared table [secret]"));
    users.remove("ann");
    REQUIRE_THROWS_WITH(users.run("bob", "total()"), Catch::Contains("ann, who defined it, is no user any more"));
}

TEST_CASE("a function of the caller has the caller's rights within a function view") {
    UsersFixture users;
    users.run("admin", R"(
share table(1 2 3 as x) as secret
addAccessControl(`secret)
def apply(f) { return f() }
def applyFirst(fs) { return fs[0]() }
def applyGiven(f) { g = f(); return g() }
def inParallel(f) { return ploop(x -> f(), 1 2) }
def evaluate(code) { return eval(code) }
def byName(name) { return funcByName(name)() }
def valueOf(name) { return objByName(name) }
def late() { return notYet() }
addFunctionView(apply); addFunctionView(applyFirst); addFunctionView(applyGiven); addFunctionView(inParallel)
addFunctionView(evaluate); addFunctionView(byName); addFunctionView(valueOf); addFunctionView(late)
)");
    users.grant("bob", Right::ExecuteView, "");
    users.run("bob", "def spy() { return exec x from objByName(`secret) }\ndef notYet() { return spy() }\nmine = 7");
    const auto refused = Catch::Contains("No access to shared table [secret]");
    REQUIRE_THROWS_WITH(users.run("bob", "apply(spy)"), refused);
    REQUIRE_THROWS_WITH(users.run("bob", "apply(objByName{`secret}).x"), refused);
    REQUIRE_THROWS_WITH(users.run("bob", "applyFirst([spy, spy])"), refused);
    REQUIRE_THROWS_WITH(users.run("bob", "applyFirst({a: spy}.values())"), refused);
    REQUIRE_THROWS_WITH(users.run("bob", "applyGiven(def () { return spy })"), refused);
    REQUIRE_THROWS_WITH(users.run("bob", "inParallel(spy)"), refused);
    REQUIRE_THROWS_WITH(users.run("bob", "evaluate(<spy()>)"), Catch::Contains("takes no metacode"));
    REQUIRE_THROWS(users.run("bob", "byName(`spy)"));
    REQUIRE_THROWS(users.run("bob", "valueOf(`mine)"));
    REQUIRE_THROWS_WITH(users.run("bob", "late()"), Catch::Contains("'notYet' is not defined"));
    REQUIRE(users.run("bob", "apply(def () { return objByName(`mine) })") == "7");
}

TEST_CASE("a function that a function view returns unchanged is the caller's own again") {
    UsersFixture users;
    users.run("admin", "def giveBack(f) { return f }\naddFunctionView(giveBack)");
    users.grant("bob", Right::ExecuteView, "giveBack");
    users.run("bob", "f = giveBack(x -> x * 2)");
    REQUIRE(users.run("bob", "f(4)") == "8");
}

TEST_CASE("function views survive a restart with the functions that they call") {
    UsersFixture users;
    users.run("admin", R"(
def factorial(n) { if (n <= 1) return 1; return n * factorial(n - 1) }
def withDefaults(n, pair=1:3, list=1 2 3) { return factorial(n) + sum(pair) + sum(list) }
addFunctionView(withDefaults)
)");
    users.restart();
    REQUIRE(users.run("admin", "withDefaults(4)") == "34");
    REQUIRE(users.run("admin", "withDefaults(4, list=[1])") == "29");
    REQUIRE(users.run("admin", "(exec owner from getFunctionViews())") == "[\"admin\"]");
    users.run("admin", "dropFunctionView(`withDefaults)");
    users.restart();
    REQUIRE(users.run("admin", "size(getFunctionViews())") == "0");
}

TEST_CASE("a session's own function wins over a function view, which wins over nothing else") {
    UsersFixture users;
    users.run("admin", "def which() { return `view }\naddFunctionView(which)\nundef(`which, DEF)");
    REQUIRE(users.run("admin", "which()") == "view");
    users.run("admin", "def which() { return `own }");
    REQUIRE(users.run("admin", "which()") == "own");
    REQUIRE_THROWS_WITH(users.run("admin", "addFunctionView(which)"), Catch::Contains("already exists"));
    users.run("admin", "dropFunctionView(`which)\naddFunctionView(which)\nundef(`which, DEF)");
    REQUIRE(users.run("admin", "which()") == "own");
}

TEST_CASE("only administrators, and users with the right, make function views; owners drop theirs") {
    UsersFixture users;
    const std::string add = "def one() { return 1 }\naddFunctionView(one)";
    REQUIRE_THROWS_WITH(users.run("bob", add),
                        Catch::Contains("<NoPrivilege>Not granted to create or drop function views"));
    users.grant("ann", Right::CreateView, "");
    users.grant("bob", Right::CreateView, "");
    users.run("ann", add);
    users.run("admin", "def two() { return 2 }\naddFunctionView(two)");
    REQUIRE_THROWS_WITH(users.run("bob", "dropFunctionView(`one)"), Catch::Contains("belongs to ann"));
    REQUIRE(users.run("ann", "exec name from getFunctionViews()") == "[\"one\"]");
    REQUIRE(users.run("bob", "size(getFunctionViews())") == "0");
    REQUIRE(users.run("admin", "exec name from getFunctionViews()") == "[\"one\",\"two\"]");
    users.run("ann", "dropFunctionView(`one)");
}

TEST_CASE("functions that cannot be function views are refused, and nothing is stored") {
    UsersFixture users;
    const auto refused = [&](const std::string& script, const char* string) {
        REQUIRE_THROWS_WITH(users.run("admin", script), Catch::Contains(string));
    };
    refused("addFunctionView(x -> x)", "no function that `def` gave a name");
    refused("addFunctionView(sum)", "no function that `def` gave a name");
    refused("addFunctionView(1)", "udf must be a function");
    refused("addFunctionView(\"noSuchModule\")", "noSuchModule");
    refused("def f(x={a: 1}) { return x }\naddFunctionView(f)", "no scalar, pair or vector");
    refused(
        "def odd(n)\ndef even(n) { return iif(n == 0, true, odd(n - 1)) }\n"
        "def odd(n) { return iif(n == 0, false, even(n - 1)) }\naddFunctionView(even)",
        "call each other");
    refused("dropFunctionView(`noView)", "There is no function view noView");
    REQUIRE(users.run("admin", "size(getFunctionViews())") == "0");
}
