// The parts of queries that other nodes send are computed partition by partition, and what is no part is refused.
#include <catch2/catch.hpp>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "runtime/code/expression.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "tests/support/database_session.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// A stored table of four partitions, and the arguments with which another node asks for parts of queries over it.
struct Stored {
    Stored() {
        session.run(
            "db = database('dfs://parts', VALUE, 1..4); t = table(1 1 2 3 3 3 as k, 10 20 30 40 50 60 as v)\n"
            "p = db.createPartitionedTable(t, `p, `k); p.append!(t); 0");
        const Value loaded = call("loadTable", {Value::ofString("dfs://parts"), Value::ofString("p")});
        snapshot = loaded.table().asPartitioned()->takeSnapshot();
        for (const PartitionEntry& entry : snapshot->partitions()) paths.push_back(entry.path);
    }

    Value call(std::string_view function, std::vector<Value> arguments) {
        const BuiltinFunction* f = FunctionRegistry::instance().findForNode(function);
        const BuiltinFunction& found = f ? *f : FunctionRegistry::instance().get(function);
        arguments.resize(found.signature().parameters.size());
        return found.call(session.context, arguments);
    }
    std::vector<Value> sent(const std::string& query, const std::vector<std::string>& of) {
        Session own(*session.context.services);
        Context context = session.context;
        return {evaluate("<" + query + ">", own, context),
                Value::of(makeRef<Dictionary>(Type::String, Type::Any, true)),
                Value::ofString("dfs://parts"),
                Value::ofString("p"),
                Value::ofLong(static_cast<int64_t>(snapshot->number())),
                Value::of(Vector::ofStrings(of))};
    }

    DatabaseSession session;
    std::shared_ptr<TableSnapshot> snapshot;
    std::vector<std::string> paths;
};

int64_t rowsIn(const Value& results) {
    int64_t rows = 0;
    for (int64_t i = 0; i < results.size(); ++i) rows += results.at(i).table().rowCount();
    return rows;
}

}  // namespace

TEST_CASE("a part of a query has one result for each partition, in the order in which they were named") {
    Stored stored;
    REQUIRE(stored.paths.size() >= 3);
    const std::vector<std::string> reversed(stored.paths.rbegin(), stored.paths.rend());
    const Value selected = stored.call("selectOnParts", stored.sent("select v * 2 as w from t where v > 15", reversed));
    REQUIRE(selected.size() == std::ssize(reversed));
    CHECK(rowsIn(selected) == 5);
    const Value forwards =
        stored.call("selectOnParts", stored.sent("select v * 2 as w from t where v > 15", stored.paths));
    for (int64_t i = 0; i < forwards.size(); ++i)
        CHECK(forwards.at(i).table().rowCount() == selected.at(selected.size() - 1 - i).table().rowCount());

    std::vector<Value> rows = stored.sent("select * from t where v < 45", stored.paths);
    rows.push_back(Value::of(Vector::of(Type::Int, std::vector<int32_t>{1})));
    const Value columns = stored.call("rowsOfParts", rows);
    CHECK(rowsIn(columns) == 4);
    CHECK(columns.at(0).table().columnCount() == 1);

    const Value groups =
        stored.call("groupsOfParts", stored.sent("select sum(v) as s from t group by k", stored.paths));
    CHECK(groups.size() == std::ssize(stored.paths));
}

TEST_CASE("what is no part of a query is refused, whatever is wrong with it") {
    Stored stored;
    const std::vector<std::string> one = {stored.paths[0]};
    const auto isRefused = [&](std::string_view function, size_t argument, Value value) {
        std::vector<Value> arguments = stored.sent("select sum(v) as s from t group by k", one);
        arguments.push_back(Value::of(Vector::of(Type::Int, std::vector<int32_t>{0})));
        arguments[argument] = std::move(value);
        try {
            stored.call(function, arguments);
            return false;
        } catch (const Error&) {
            return true;
        }
    };
    for (const char* function : {"selectOnParts", "rowsOfParts", "groupsOfParts"}) {
        INFO(function);
        CHECK(isRefused(function, 0, Value::ofInt(1)));
        CHECK(isRefused(function, 1, Value::ofInt(1)));
        CHECK(isRefused(function, 2, Value::ofString("dfs://none")));
        CHECK(isRefused(function, 3, Value::ofInt(1)));
        CHECK(isRefused(function, 4, Value::ofString("now")));
        CHECK(isRefused(function, 5, Value::of(Vector::ofStrings({"/nowhere"}))));
    }
    CHECK(isRefused("rowsOfParts", 6, Value::of(Vector::of(Type::Int, std::vector<int32_t>{7}))));
    CHECK(isRefused("rowsOfParts", 6, Value::of(Vector::of(Type::Int, std::vector<int32_t>{-1}))));
    CHECK(isRefused("rowsOfParts", 6, Value::ofString("v")));
    CHECK(isRefused("groupsOfParts", 0, stored.sent("select v from t", one)[0]));
}
