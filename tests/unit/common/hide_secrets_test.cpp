// Passwords in scripts, however they are written, are hidden; other text stays as it is.
#include "common/hide_secrets.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("passwords of calls are hidden") {
    REQUIRE(hideSecrets("login(\"admin\", \"secret\")") == "login(\"admin\", \"***\")");
    REQUIRE(hideSecrets("login(`admin, `secret)") == "login(`admin, \"***\")");
    REQUIRE(hideSecrets("login(userId=\"a\", password=\"b\" + \"c\")") ==
            "login(userId=\"a\", password=\"***\" + \"***\")");
    REQUIRE(hideSecrets("login(password=`b, userId=`a)") == "login(password=\"***\", userId=`a)");
    REQUIRE(hideSecrets("h = xdb(\"host\", 8848, \"admin\", \"secret\")") ==
            "h = xdb(\"host\", 8848, \"admin\", \"***\")");
    REQUIRE(hideSecrets("changePwd(\"old\", \"new\"); createUser(`u, \"pw\", [`g])") ==
            "changePwd(\"***\", \"***\"); createUser(`u, \"***\", [`g])");
    REQUIRE(hideSecrets("createUser(f(`u, [1, 2]), concat([\"s\", 'e'], \"c\"))") ==
            "createUser(f(`u, [1, 2]), concat([\"***\", \"***\"], \"***\"))");
}

TEST_CASE("a string's escapes do not end a password early") {
    REQUIRE(hideSecrets(R"(login("admin", "se\"cr\\et") + "x")") == R"(login("admin", "***") + "x")");
    REQUIRE(hideSecrets(R"(login('admin', 'se"cret'); f("x"))") == R"(login('admin', "***"); f("x"))");
    REQUIRE(hideSecrets("login(\"a\",\n  // the \"password\", as agreed: \n \"two\nlines\" /* \" */)\nf(\"x\")") ==
            "login(\"a\",\n  // the \"password\", as agreed: \n \"***\" /* \" */)\nf(\"x\")");
}

TEST_CASE("unfinished scripts show no password") {
    REQUIRE(hideSecrets("resetPwd(\"u\", \"never ended") == "resetPwd(\"u\", \"***\"");
    REQUIRE(hideSecrets("login(`admin, `sec") == "login(`admin, \"***\"");
    REQUIRE(hideSecrets("login(\"admin\", \"sec\\") == "login(\"admin\", \"***\"");
    REQUIRE(hideSecrets("}}]) login((`a), \"s\")") == "}}]) login((`a), \"***\")");
    REQUIRE(hideSecrets("") == "");
}

TEST_CASE("method calls and partial applications show no password") {
    REQUIRE(hideSecrets("\"admin\".login(\"secret\")") == "\"admin\".login(\"***\")");
    REQUIRE(hideSecrets("\"secret\".changePwd(`new)") == "\"***\".changePwd(\"***\")");
    REQUIRE(hideSecrets("(\"se\" + `cret).changePwd(`new)") == "(\"***\" + \"***\").changePwd(\"***\")");
    REQUIRE(hideSecrets("login{, \"secret\"}(\"a\")") == "login{, \"***\"}(\"a\")");
    REQUIRE(hideSecrets("call(login, `admin, `secret)").find("secret") == std::string::npos);
    REQUIRE(hideSecrets("remoteRun(h, \"login\", `admin, `secret)").find("secret") == std::string::npos);
}

TEST_CASE("a password in a script within a script is hidden") {
    REQUIRE(hideSecrets("h(\"login('admin', 'secret'); 1\")") == "h(\"login('admin', \"***\"); 1\")");
    const std::string nested = hideSecrets("run(\"login(\\\"admin\\\", \\\"secret\\\")\")");
    REQUIRE(nested.find("secret") == std::string::npos);
}

TEST_CASE("what is given to the name of a password is hidden") {
    REQUIRE(hideSecrets("password = \"secret\"\nx = \"y\"") == "password = \"***\"\nx = \"y\"");
    REQUIRE(hideSecrets("f(pwd=\"a\", x=\"b\")") == "f(pwd=\"***\", x=\"b\")");
    REQUIRE(hideSecrets("{\"user\": \"a\", \"password\": \"b\"}") == "{\"user\": \"a\", \"password\": \"***\"}");
    REQUIRE(hideSecrets("if (password == \"x\") f(\"y\")") == "if (password == \"x\") f(\"y\")");
}

TEST_CASE("scripts without passwords stay as they are") {
    for (const char* script :
         {"f(\"a\", \"b\")", "select * from loadTable(\"dfs://a\", `t) where sym = `A, d = 2024.01.02",
          "def login2(a, b) { return a + \"x\" }", "x = `a`b`c\ny = \"it's\"", "a::b(1, \"c\")"}) {
        REQUIRE(hideSecrets(script) == script);
    }
}

TEST_CASE("a password is hidden before a source is cut") {
    const std::string password(300, 's');
    const std::string shown = hideSecretsInBeginning("login(\"admin\", \"" + password + "\"); f()", 200);
    REQUIRE(shown == "login(\"admin\", \"***\"); f()");
    REQUIRE(hideSecretsInBeginning("login(\"admin\", \"" + std::string(100'000, 's'), 200) ==
            "login(\"admin\", \"***\"");
    REQUIRE(hideSecretsInBeginning(std::string(10'000, 'x'), 200).size() == 200);
}
