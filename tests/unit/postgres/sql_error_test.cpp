#include "postgres/sql_error.h"

#include <catch2/catch.hpp>
#include <new>

using namespace pelorus;
using namespace pelorus::postgres;

TEST_CASE("each kind of error has a SQLSTATE") {
    CHECK(sqlStateOf(SqlError("42703", "column")) == "42703");
    CHECK(sqlStateOf(UserError("It is wrong.")) == "42000");
    CHECK(sqlStateOf(UserError("<NoPrivilege>Not granted to read table t.")) == "42501");
    CHECK(sqlStateOf(UserError("Only administrators execute function f.")) == "42501");
    CHECK(sqlStateOf(UserError("The task was cancelled.")) == "57014");
    CHECK(sqlStateOf(SystemError("The disk refuses.")) == "58030");
    CHECK(sqlStateOf(SystemError("It passes the memory limit.")) == "53200");
    CHECK(sqlStateOf(InternalError("a defect")) == "XX000");
    CHECK(sqlStateOf(std::bad_alloc()) == "53200");
    CHECK(sqlStateOf(std::runtime_error("other")) == "XX000");
}

TEST_CASE("an error keeps its SQLSTATE through the sentence of another one") {
    const UserError outer("In f: " + withState(SqlError("22012", "division by zero")) + " at line 3.");
    try {
        try {
            throw outer;
        } catch (const Error& error) {
            throwByState(error);
        }
    } catch (const SqlError& error) {
        CHECK(error.state() == "22012");
        CHECK(std::string(error.what()) == "division by zero");
    }
    CHECK_THROWS_AS(
        [] {
            try {
                throw UserError("without a state");
            } catch (const Error& error) {
                throwByState(error);
            }
        }(),
        UserError);
}
