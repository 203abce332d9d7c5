#include "postgres/steps/row_steps.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

namespace {

Value numbersTable(const std::vector<int32_t>& numbers) {
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"n"}, std::vector<Value>{Value::of(Vector::of<int32_t>(Type::Int, numbers))})));
}

// A step that gives n rows for the number that it sees as `x`.
PlanStep rowsStep(int& runs) {
    return {"rows",
            {},
            [&runs](const StepScope& scope, Context&) {
                ++runs;
                const Value x = scope.get("x");
                return numbersTable(std::vector<int32_t>(x.isNull() ? 0 : static_cast<size_t>(x.integer()), 7));
            },
            "rows"};
}

}  // namespace

TEST_CASE("steps run once for equal rows") {
    wholeProcess();
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    const StepScope scope;
    int runs = 0;
    const Value rows = numbersTable({2, 0, 2, 3});
    const RowValue count{"c",
                         [](const StepScope& inside) { return Value::ofLong(inside.get("rows").table().rowCount()); },
                         Value::nullOf(Type::Long)};
    const Value with = withRowValues({rowsStep(runs)}, {{"x", "n"}}, rows, count, scope, context);
    CHECK(runs == 3);
    CHECK(with.table().asMemory()->column("c")->at(3).integer() == 3);
    CHECK(with.table().asMemory()->column("c")->at(2).integer() == 2);
}

TEST_CASE("rows are joined with those that steps make for each of them") {
    wholeProcess();
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    const StepScope scope;
    int runs = 0;
    const Value rows = numbersTable({2, 0, 2});
    RowJoin join{"rows", {{"n", "m"}}, false};
    CHECK(joinedWithRows({rowsStep(runs)}, {{"x", "n"}}, rows, join, scope, context).table().rowCount() == 4);
    join.isLeft = true;
    const Value joined = joinedWithRows({rowsStep(runs)}, {{"x", "n"}}, rows, join, scope, context);
    REQUIRE(joined.table().rowCount() == 5);
    CHECK(joined.table().asMemory()->column("m")->at(2).isNull());
    const Value none = joinedWithRows({rowsStep(runs)}, {{"x", "n"}}, numbersTable({}), join, scope, context);
    CHECK(none.table().rowCount() == 0);
    CHECK(none.table().asMemory()->column("m") != nullptr);
}
