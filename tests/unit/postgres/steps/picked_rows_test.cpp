#include "postgres/steps/picked_rows.h"

#include <catch2/catch.hpp>

#include "postgres/typing/typed.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

Ref<Query> queryOf(const std::vector<std::string>& columns) {
    Ref<Query> query = makeRef<Query>(SourcePosition());
    query->table = nameNode("t");
    for (const std::string& column : columns)
        query->items.push_back({columnNode("t", column), {"c" + std::to_string(query->items.size())}, {}});
    return query;
}

// The first column of the picked rows, with blanks between; "-" when the engine has to run the query.
std::string picked(const Query& query, const StepScope& scope = StepScope()) {
    const Ref<MemoryTable> rows =
        makeRef<MemoryTable>(std::vector<std::string>{"id", "x"},
                             std::vector<Value>{Value::of(Vector::of<int32_t>(Type::Int, {1, 2, 3, 4})),
                                                Value::of(Vector::of<int32_t>(Type::Int, {7, 5, 7, 6}))});
    const auto shape = PickedRows::of(query, "t");
    REQUIRE(shape);
    const auto found = shape->pick([&](const std::string& name) { return *rows->column(name); }, 4, scope);
    if (!found) return "-";
    std::string text;
    const MemoryTable& table = *found->table().asMemory();
    for (int64_t i = 0; i < table.rowCount(); ++i)
        text += (i > 0 ? " " : "") + std::to_string(table.column(0).at(i).integer());
    return text;
}

}  // namespace

TEST_CASE("columns are picked in the order and number that a query asks for") {
    Ref<Query> query = queryOf({"id", "x"});
    CHECK(picked(*query) == "1 2 3 4");
    query->orderBy.push_back({nameNode("c1")});
    CHECK(picked(*query) == "2 4 1 3");
    query->orderBy.push_back({columnNode("t", "id"), false});
    CHECK(picked(*query) == "2 4 3 1");
    query->limit = constantNode(Value::ofLong(2));
    query->offset = nameNode("skipped");
    StepScope scope;
    scope.set("skipped", Value::ofInt(1));
    CHECK(picked(*query, scope) == "4 3");
    scope.set("skipped", Value::ofInt(9));
    CHECK(picked(*query, scope).empty());
}

TEST_CASE("limits that are no numbers, and other select lists, are left to the engine") {
    Ref<Query> query = queryOf({"id"});
    query->limit = nameNode("limit");
    StepScope scope;
    for (const Value& limit : {Value::ofInt(-1), Value::nullOf(Type::Int), Value::ofString("2")}) {
        scope.set("limit", limit);
        CHECK(picked(*query, scope) == "-");
    }
    CHECK(picked(*query) == "-");
    query->distinct = true;
    CHECK(PickedRows::of(*query, "t") == nullptr);
    CHECK(PickedRows::of(*queryOf({"id"}), "u") == nullptr);
    Ref<Query> computed = queryOf({"id"});
    computed->orderBy.push_back({callNode("abs", {columnNode("t", "id")})});
    CHECK(PickedRows::of(*computed, "t") == nullptr);
}
