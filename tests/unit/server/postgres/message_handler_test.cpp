#include "server/postgres/message_handler.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/postgres/postgres_exchange.h"

using namespace pelorus;
using namespace pelorus::testing;
using pelorus::postgres::appendInt16;
using pelorus::postgres::appendInt32;

namespace {

std::string parse(std::string_view name, std::string_view text) {
    std::string body = std::string(name) + '\0' + std::string(text) + '\0';
    appendInt16(body, 0);
    return message('P', body);
}
std::string bind(std::string_view portal, std::string_view statement) {
    std::string body = std::string(portal) + '\0' + std::string(statement) + '\0';
    for (int i = 0; i < 3; ++i) appendInt16(body, 0);
    return message('B', body);
}
std::string execute(std::string_view portal, int32_t most = 0) {
    std::string body = std::string(portal) + '\0';
    appendInt32(body, most);
    return message('E', body);
}
std::string named(char letter, char kind, std::string_view name) {
    return message(letter, std::string(1, kind) + std::string(name) + '\0');
}
const std::string kSync = message('S', "");

Answer answerTo(const std::string& messages) {
    PostgresExchange exchange;
    return exchange(startup("admin") + messages + message('X', ""));
}

}  // namespace

TEST_CASE("statements of one message are answered one by one, up to an error") {
    const Answer answer =
        answerTo(query("show server_encoding; set jit = on; show jit") + query(" ; ") + query("begin; nonsense"));
    CHECK(answer.letters() == "TDCCTDCZIZEZ");
    CHECK(answer.bodies('D') == std::vector<std::string>{"|\x01|||\x04UTF8", "|\x01|||\x02on"});
    CHECK(answer.states() == "42601");
    // A syntax error is found before the first statement runs.
    CHECK(answer.bodies('Z').back() == "I");
    CHECK(answerTo(query("begin; show nonsense; begin")).bodies('Z').back() == "E");
}

TEST_CASE("the extended protocol says what a statement returns before it runs") {
    const Answer answer =
        answerTo(parse("s", "show jit") + named('D', 'S', "s") + bind("p", "s") + named('D', 'P', "p") + execute("p") +
                 named('C', 'P', "p") + named('C', 'S', "s") + kSync);
    CHECK(answer.letters() == "1tT2TDC33Z");
    CHECK(answerTo(parse("", "") + bind("", "") + named('D', 'P', "") + execute("") + kSync).letters() == "12nIZ");
}

TEST_CASE("after an error messages are passed over up to the next sync") {
    const Answer answer =
        answerTo(parse("", "nonsense") + bind("", "") + query("show jit") + kSync + query("show jit"));
    CHECK(answer.letters() == "EZTDCZ");
    CHECK(answerTo(bind("", "none") + kSync).states() == "26000");
    CHECK(answerTo(execute("none") + kSync).states() == "34000");
    CHECK(answerTo(parse("s", "show jit") + parse("s", "show jit") + kSync).states() == "42P05");
    CHECK(answerTo(parse("", "show jit; show jit") + kSync).states() == "42601");
    CHECK(answerTo(message('P', "no end") + kSync).states() == "08P01");
    CHECK(answerTo(message('F', "") + query("show jit")).letters() == "EZTDCZ");
}

TEST_CASE("an error ends a block until it is rolled back") {
    const Answer answer = answerTo(query("begin") + query("savepoint a") + query("show nonsense") + query("show jit") +
                                   query("rollback to a") + query("show jit") + query("commit"));
    CHECK(answer.states() == "42704 25P02");
    CHECK(answer.bodies('Z') == std::vector<std::string>{"I", "T", "T", "E", "E", "T", "T", "I"});
    CHECK(answer.bodies('C').back() == "COMMIT|");
    CHECK(answerTo(query("begin; show nonsense") + query("commit")).bodies('C').back() == "ROLLBACK|");
}

TEST_CASE("rows are sent in the pieces that the client asks for") {
    const Answer answer =
        answerTo(parse("", "show all") + bind("", "") + execute("", 2) + execute("", 1) + execute("") + kSync);
    CHECK(answer.letters().substr(0, 9) == "12DDsDsDD");
    CHECK(answer.states().empty());
    // A portal ends with what was sent together with it.
    CHECK(answerTo(parse("", "show all") + bind("p", "") + execute("p", 2) + kSync + execute("p") + kSync).states() ==
          "34000");
}
