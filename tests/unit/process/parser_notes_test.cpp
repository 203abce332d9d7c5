// The parser notes code that may not mean what its author intended.
#include <catch2/catch.hpp>

#include "interpreter/engine/engine.h"
#include "interpreter/session/session.h"
#include "runtime/function/principal.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

namespace {

std::vector<std::string> noticesOf(std::string_view script) {
    auto& process = testing::wholeProcess();
    std::vector<std::string> notices;
    Request request{Principal::owner()};
    request.notice = [&](std::string_view string) { notices.emplace_back(string); };
    Context context(process.services(), request);
    Session session(process.services());
    evaluate(script, session, context);
    return notices;
}

}  // namespace

TEST_CASE("a ternary on the right of a comparison is told with the brackets it is read with") {
    CHECK(noticesOf("x = 1\n\nx==1?5:9") ==
          std::vector<std::string>{"Note: line 3: x==1?5:9 is read as x == (1 ? 5 : 9). "
                                   "Write (x == 1) ? 5 : 9 if you mean that."});
    CHECK(noticesOf("x = 1; y = x > 0 ? 5 : 9") ==
          std::vector<std::string>{"Note: line 1: x > 0 ? 5 : 9 is read as x > (0 ? 5 : 9). "
                                   "Write (x > 0) ? 5 : 9 if you mean that."});
    CHECK(noticesOf("x = true; y = true; x && y ? 5 : 9").size() == 1);
    CHECK(noticesOf("t = table(1 2 as a); select (a = 1 ? 5 : 9) as b from t").size() == 1);
}

TEST_CASE("nothing is told where brackets stand, or no comparison does") {
    for (const char* script : {"x = 1; (x == 1) ? 5 : 9", "x = 1; x == (1 ? 5 : 9)", "x = true; x ? 5 : 9",
                               "x = 1; y = (x > 0) ? 5 : (x > 1) ? 6 : 7", "x = 1; x + 1", "f = x -> x > 2; f(3)"}) {
        INFO(script);
        CHECK(noticesOf(script).empty());
    }
}

TEST_CASE("a place is told once, however often it runs, and a program hears nothing") {
    CHECK(noticesOf("n = 0; for (i in 1..5) { if (i == 2 ? true : false) n += 1 }").size() == 1);
    CHECK(noticesOf("def f(x) { return x == 1 ? 5 : 9 }\nf(1); f(2)").size() == 1);
    CHECK(testing::wholeProcess().run("x = 1; x == 1 ? 1 : 9").asLong() == 1);
}
