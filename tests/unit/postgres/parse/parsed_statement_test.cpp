#include "postgres/parse/parsed_statement.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

std::shared_ptr<const Statement> only(std::string_view text) {
    const auto statements = parseStatements(text);
    REQUIRE(statements.size() == 1);
    return statements[0];
}

std::string stateOf(std::string_view text) {
    try {
        parseStatements(text);
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

}  // namespace

TEST_CASE("a text is cut into its statements, with their places") {
    const auto statements = parseStatements("select 1;  select 2 -- two\n;;");
    REQUIRE(statements.size() == 2);
    CHECK(statements[0]->text == "select 1");
    CHECK(statements[1]->text.starts_with("select 2"));
    CHECK(statements[1]->begin == 11);
    CHECK(parseStatements(" ; -- nothing\n").empty());
}

TEST_CASE("statements say what a session does itself") {
    CHECK(only("begin isolation level repeatable read read only")->options[0].value == "repeatable read");
    CHECK(only("start transaction")->tag == "START TRANSACTION");
    CHECK(only("rollback to savepoint s")->kind == StatementKind::RollbackTo);
    CHECK(only("rollback to savepoint s")->name == "s");
    const auto set = only("set local search_path to a, 'b c'");
    CHECK(set->isLocal);
    CHECK(set->values == std::vector<std::string>{"a", "b c"});
    CHECK(only("set extra_float_digits = -1")->values[0] == "-1");
    CHECK(only("set extra_float_digits = - /* 5 */ 2147483647")->values[0] == "-2147483647");
    CHECK(only("set extra_float_digits = 0")->values[0] == "0");
    CHECK(only("reset all")->name == "all");
    CHECK(only("discard temp")->tag == "DISCARD TEMP");
    CHECK(only("deallocate all")->name.empty());
    const auto fetch = only("fetch forward all from c");
    CHECK(fetch->count == kFetchAll);
    CHECK(fetch->name == "c");
    const auto declare = only("declare \"srv\" no scroll cursor with hold for select 1");
    CHECK(declare->isWithHold);
    CHECK(declare->inner->kind == StatementKind::Query);
    const auto prepare = only("prepare p(int, text) as select $1");
    CHECK(prepare->argumentTypes == std::vector<Oid>{oid::kInt4, oid::kText});
    CHECK(only("execute p(1, 'a')")->arguments.size() == 2);
    const auto copy = only("copy s.t (a, b) to stdout with (format csv, header)");
    CHECK(copy->copy.schema == "s");
    CHECK(copy->copy.columns == std::vector<std::string>{"a", "b"});
    CHECK(copy->options[0].value == "csv");
    CHECK(copy->options[1].value.empty());
    CHECK(only("insert into t values (1)")->kind == StatementKind::Change);
    CHECK(only("vacuum analyze")->kind == StatementKind::Nothing);
}

TEST_CASE("a syntax error has its place") {
    try {
        parseStatements("select 1 fromm t where");
        FAIL("no error");
    } catch (const SqlError& error) {
        CHECK(error.state() == "42601");
        CHECK(error.position() == 15);
    }
    CHECK(stateOf(std::string_view("select 1\0", 9)) == "22021");
    CHECK(stateOf("prepare p(nonsense) as select 1") == "42704");
}

TEST_CASE("deep statements are parsed or refused, whatever their depth") {
    const auto sumOf = [](int terms) {
        std::string text = "select 1";
        for (int i = 1; i < terms; ++i) text += "+1";
        return text;
    };
    CHECK(parseStatements(sumOf(15'000)).size() == 1);
    CHECK(stateOf(sumOf(100'000)) == "54001");
    CHECK(stateOf("select " + std::string(100'000, '(') + "1" + std::string(100'000, ')')) == "54001");
    std::string unions = "select 1, 2";
    for (int i = 0; i < 30'000; ++i) unions += " union select 1, 2";
    CHECK(stateOf(unions) == "54001");
    std::string list = "select x in (1";
    for (int i = 0; i < 60'000; ++i) list += ", -1";
    CHECK(parseStatements(list + ") from t").size() == 1);
}
