#include "interpreter/analysis/reading_query.h"

#include <catch2/catch.hpp>
#include <vector>

#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "runtime/registry/registry.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

class NoNames final : public Scope {
public:
    bool lookup(std::string_view, Value&) const override { return false; }
};

bool isReading(const std::string& query) {
    wholeProcess();
    try {
        requireReadingQuery(parseScript(query), NoNames());
        return true;
    } catch (const UserError&) {
        return false;
    }
}

}  // namespace

TEST_CASE("one query with functions that read is a reading query") {
    for (const char* query :
         {"select a, max(b) from t where c in [1, 2] group by a", "exec a from t", "select f(a) from t",
          "with x as (select a from t) select count(*) from x", "select each(max, a) from t",
          "select a from (select a from t) where b > (exec avg(b) from t)"}) {
        CAPTURE(query);
        CHECK(isReading(query));
    }
}

TEST_CASE("statements, several queries and changes are no reading query") {
    for (const char* query :
         {"1", "", "x = 1", "select a from t; select b from t", "delete from t", "update t set a = 1",
          "select a from t; undef(`t, SHARED)", "def f() { return 1 }", "(select a from t)[0]"}) {
        CAPTURE(query);
        CHECK_FALSE(isReading(query));
    }
}

TEST_CASE("no query with a function that writes is a reading query, wherever the function stands") {
    wholeProcess();
    int met = 0;
    for (const std::string_view known : FunctionRegistry::instance().names()) {
        const std::string name(known);
        const BuiltinFunction* function = FunctionRegistry::instance().find(name);
        REQUIRE(function);
        const bool writes =
            function->declaration().effect == Effect::Writes || function->declaration().effect == Effect::Undeclared;
        const bool isWord = name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
                            std::string::npos;
        if (!writes || !isWord || function->changes(0)) continue;
        ++met;
        for (const std::string& query :
             {"select " + name + "(a) from t", "select a from t where " + name + "(a) = 1",
              "select each(" + name + ", a) from t", "select " + name + "{1}(a) from t",
              "select a from (select " + name + "(a) from t)",
              "select a from t where b in (exec " + name + "(a) from t)", "exec {x -> " + name + "(x)}(a) from t",
              "select a from t order by " + name + "(a)",
              "with x as (select " + name + "(a) from t) select a from x"}) {
            CAPTURE(query);
            bool isParsed = true;
            try {
                parseScript(query);
            } catch (const UserError&) {
                isParsed = false;
            }
            if (isParsed) CHECK_FALSE(isReading(query));
        }
    }
    CHECK(met > 50);
}
