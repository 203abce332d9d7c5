// Connections by ODBC, as far as no driver is needed; tests/odbc_test.py goes on with SQLite's.
#include "stdlib/odbc/odbc_connection.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;

TEST_CASE("a driver that is not there is named in the error") {
    try {
        odbc::OdbcConnection connection("Driver=NoDriverOfThisName");
        FAIL("a connection to nothing");
    } catch (const UserError& error) {
        CHECK(std::string(error.what()).find("can't be connected to") != std::string::npos);
    } catch (const SystemError& error) {
        // Machines without the driver manager say which package has it.
        CHECK(std::string(error.what()).find("libodbc2") != std::string::npos);
    }
}
