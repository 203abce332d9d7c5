// What odbc's functions refuse before they reach a database.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("what is no connection, statement or table is refused by name") {
    CHECK(refusal("odbc::query", {numbers({1}), text("select 1")}).find("conn must be a connection") !=
          std::string::npos);
    CHECK(refusal("odbc::connect", {text("")}).find("connectionString") != std::string::npos);
    CHECK(refusal("odbc::query", {text("Driver=x"), text("")}).find("sqlQuery must be a statement") !=
          std::string::npos);
    CHECK(refusal("odbc::append", {text("Driver=x"), tableOf({"a"}, {{1}}), text("a; b")}).find("tableName") !=
          std::string::npos);
}
