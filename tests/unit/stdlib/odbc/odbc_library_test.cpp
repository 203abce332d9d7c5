// The driver manager, where it is installed.
#include "stdlib/odbc/odbc_library.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("the driver manager is opened once, or its package is named") {
    try {
        const odbc::DriverManager& manager = odbc::driverManager();
        SQLHENV environment = nullptr;
        REQUIRE(SQL_SUCCEEDED(manager.allocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &environment)));
        manager.freeHandle(SQL_HANDLE_ENV, environment);
        CHECK(&odbc::driverManager() == &manager);
    } catch (const SystemError& error) {
        CHECK(std::string(error.what()).find("libodbc2") != std::string::npos);
    }
}
