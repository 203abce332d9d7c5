// What odbc's functions refuse before they reach a database.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {
// Returns what a call by the owner refuses.
std::string refusedToOwner(std::string_view name, std::vector<Value> arguments) {
    (void)called("abs", {Value::ofInt(1)});  // fills the registry
    const Services services;
    Request request(Principal::owner());
    Context context(services, request);
    try {
        FunctionRegistry::instance().get(name).call(context, arguments);
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}
}  // namespace

TEST_CASE("what is no connection, statement or table is refused by name") {
    CHECK(refusal("odbc::connect", {text("Driver=x")}).find("odbc::connect") != std::string::npos);  // no administrator
    CHECK(refusedToOwner("odbc::query", {numbers({1}), text("select 1")}).find("conn must be a connection") !=
          std::string::npos);
    CHECK(refusedToOwner("odbc::connect", {text("")}).find("connectionString") != std::string::npos);
    CHECK(refusedToOwner("odbc::query", {text("Driver=x"), text("")}).find("sqlQuery must be a statement") !=
          std::string::npos);
    CHECK(refusedToOwner("odbc::append", {text("Driver=x"), tableOf({"a"}, {{1}}), text("a; b")}).find("tableName") !=
          std::string::npos);
}
