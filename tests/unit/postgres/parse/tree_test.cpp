#include "postgres/parse/tree.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "postgres/parse/pg_query_library.h"
#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

WrittenType typeOfCast(const std::string& type) {
    const auto tree = parseTree("select x::" + type);
    const auto& select = tree.at("stmts").at(0).at("stmt").at("SelectStmt");
    return writtenType(select.at("targetList").at(0).at("ResTarget").at("val").at("TypeCast").at("typeName"));
}

}  // namespace

TEST_CASE("written types have numbers and modifiers") {
    CHECK(typeOfCast("int").type == oid::kInt4);
    CHECK(typeOfCast("varchar(7)").modifier == 11);
    CHECK(typeOfCast("numeric(10,2)").modifier == numericModifier(10, 2));
    CHECK(typeOfCast("float(3)").type == oid::kFloat4);
    CHECK(typeOfCast("text[]").type == oid::kTextArray);
    CHECK(typeOfCast("timestamp with time zone").type == oid::kTimestamptz);
    CHECK(typeOfCast("pg_catalog.regclass").type == oid::kRegclass);
    CHECK_THROWS_AS(typeOfCast("money_of_old"), SqlError);
    CHECK_THROWS_AS(typeOfCast("numeric(99999999999999999999)"), SqlError);
    CHECK_THROWS_AS(typeOfCast("varchar(0)"), SqlError);
}

TEST_CASE("what the library leaves out is the default") {
    const nlohmann::json node = {{"A_Const", {{"ival", nlohmann::json::object()}}}};
    CHECK(kindOf(node) == "A_Const");
    CHECK(wordOf(node) == "0");
    CHECK(numberOf(bodyOf(node), "location") == 0);
    CHECK(textOf(bodyOf(node), "absent").empty());
    CHECK_FALSE(flagOf(bodyOf(node), "absent"));
    CHECK(kindOf(nlohmann::json::object()).empty());
}
