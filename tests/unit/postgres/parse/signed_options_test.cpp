#include "postgres/parse/signed_options.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "postgres/parse/parsed_statement.h"
#include "postgres/parse/tree.h"

using namespace pelorus::postgres;

TEST_CASE("options have the numbers that the string has, also below zero") {
    const auto statements =
        parseStatements("select 1; create sequence s increment by - 2 minvalue -50 maxvalue 7 start 0");
    const nlohmann::json& options = bodyOf(*statements.at(1)->tree)["options"];
    std::string numbers;
    for (const auto& option : options) numbers += wordOf(bodyOf(option)["arg"]) + ' ';
    CHECK(numbers == "-2 -50 7 0 ");
}
