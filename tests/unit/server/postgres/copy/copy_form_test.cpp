#include "server/postgres/copy/copy_form.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

CopyForm formOf(std::vector<Option> options) {
    Statement statement;
    statement.options = std::move(options);
    return copyFormOf(statement);
}

std::string stateOf(std::vector<Option> options) {
    try {
        formOf(std::move(options));
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

}  // namespace

TEST_CASE("options of a copy are checked") {
    CHECK(stateOf({{"format", "parquet"}}) == "22023");
    CHECK(stateOf({{"nonsense", "1"}}) == "42601");
    CHECK(stateOf({{"delimiter", "ab"}}) == "0A000");
    CHECK(stateOf({{"encoding", "latin1"}}) == "22023");
    CHECK(stateOf({{"format", "binary"}, {"header", "true"}}) == "42601");
    CHECK(stateOf({{"format", "text"}, {"freeze", "on"}}).empty());
    const CopyForm form = formOf({{"force_null", "a,b"}, {"force_not_null", "*"}, {"header", "match"}});
    CHECK(form.nullInQuotes == std::vector<std::string>{"a", "b"});
    CHECK(form.neverNull == std::vector<std::string>{"*"});
    CHECK(form.matchesHeader);
}
