#include "server/postgres/statement_executor.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/postgres/postgres_exchange.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

Answer answerTo(std::initializer_list<std::string_view> texts) {
    PostgresExchange exchange;
    std::string messages = startup("admin");
    for (const std::string_view text : texts) messages += query(text);
    return exchange(messages + message('X', ""));
}

// The texts of the first columns of all rows.
std::vector<std::string> rowsOf(const Answer& answer) {
    std::vector<std::string> rows;
    for (const auto& [letter, body] : answer.messages)
        if (letter == 'D') rows.push_back(body.substr(6));
    return rows;
}

}  // namespace

TEST_CASE("settings last as long as their block or session, and clients hear of them") {
    const Answer answer = answerTo(
        {"set application_name = 'a'", "begin; set application_name = 'b'; set local work_mem = '9MB'; rollback",
         "show application_name", "set search_path to one, \"Two\"", "show search_path", "reset all",
         "show search_path", "set session characteristics as transaction isolation level repeatable read", "begin",
         "show transaction isolation level", "set transaction isolation level read committed",
         "show transaction_isolation", "commit"});
    CHECK(answer.states().empty());
    CHECK(rowsOf(answer) ==
          std::vector<std::string>{"a", "one, \"Two\"", "\"$user\", public", "repeatable read", "read committed"});
    const auto reports = answer.bodies('S');
    CHECK(std::count(reports.begin(), reports.end(), "application_name|a|") == 1);
    CHECK(std::count(reports.begin(), reports.end(), "application_name|b|") == 0);
}

TEST_CASE("an error takes back the settings that were sent with it") {
    const Answer answer =
        answerTo({"set jit = on; show nonsense", "show jit", "begin isolation level serializable", "show jit"});
    CHECK(answer.states() == "42704 0A000");
    CHECK(rowsOf(answer) == std::vector<std::string>{"off", "off"});
    CHECK(answer.bodies('Z').back() == "I");
}

TEST_CASE("statements that mean nothing where they stand are told with a warning") {
    const Answer answer = answerTo({"commit", "begin; begin", "rollback", "set local jit = on", "vacuum"});
    CHECK(answer.bodies('N').size() == 3);
    CHECK(answer.bodies('C').back() == "VACUUM|");
}

TEST_CASE("statements are prepared and executed by name") {
    const Answer answer = answerTo({"prepare p as show jit"});
    CHECK(answer.states() == "42601");
    const Answer gone = answerTo({"execute p", "deallocate p", "deallocate all", "close c", "fetch c", "discard all"});
    CHECK(gone.states() == "26000 26000 34000 34000");
    CHECK(gone.bodies('C').back() == "DISCARD ALL|");
}

TEST_CASE("what cannot be changed is refused") {
    const Answer answer =
        answerTo({"create table t (a int)", "copy t from stdin", "lock table t", "begin; discard all"});
    CHECK(answer.states() == "0A000 42P01 25P01 25001");
}
