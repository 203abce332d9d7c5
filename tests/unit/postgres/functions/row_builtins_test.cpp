#include "postgres/functions/row_builtins.h"

#include "runtime/registry/registry.h"
#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("built-ins of the dialect are reached by translated code alone") {
    CHECK_THROWS(wholeProcess().run("pgIntAdd(1, 2)"));
    CHECK(FunctionRegistry::instance().findForNode("pgIntAdd") != nullptr);
}

TEST_CASE("a built-in refuses what no translation gives it") {
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    const BuiltinFunction& add = FunctionRegistry::instance().getForNode("pgIntAdd");
    Value wrong[] = {Value::ofString("x"), Value::ofInt(1)};
    CHECK_THROWS_AS(add.call(context, wrong), UserError);
    Value lengths[] = {Value::of(Vector::of<int32_t>(Type::Int, {1, 2})),
                       Value::of(Vector::of<int32_t>(Type::Int, {1}))};
    CHECK_THROWS_AS(add.call(context, lengths), UserError);
    Value rows[] = {Value::of(Vector::of<int32_t>(Type::Int, {1, INT32_MIN})), Value::ofInt(1)};
    const Value sums = add.call(context, rows);
    CHECK(sums.at(0).integer() == 2);
    CHECK(sums.at(1).isNull());
}
