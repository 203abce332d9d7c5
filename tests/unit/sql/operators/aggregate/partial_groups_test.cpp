// Groups that travel: as values for another node or the disk, and one part behind the other.
#include "sql/operators/aggregate/partial_groups.h"

#include <catch2/catch.hpp>
#include <random>

#include "runtime/serialize/value_codec.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/operators/aggregate/group_builder.h"
#include "tests/support/drawn_rows.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

const std::vector<Type> kKeys = {Type::Int, Type::Symbol};

struct Bench : QueryBench {
    Bench() {
        const TableSchema columns = tableOf({})->columns();
        for (const char* string :
             {"sum(half)", "count(few)", "max(wide)", "first(half)", "nunique(few)", "avg(few)", "last(name)"}) {
            const NodeRef node = query("select " + std::string(string) + " from t")->items[0].value;
            const auto& call = static_cast<const Call&>(*node);
            const Ref<Function> function = calledFunction(call, context);
            plan.calls.push_back({dynamic_cast<const BuiltinFunction*>(function.get()), {}, string});
            plan.calls.back().arguments.push_back(bindProgram(call.arguments[0].value, columns, context));
        }
    }
    // The groups of the rows by few and name.
    PartialGroups groupsOf(const DrawnRows& rows) {
        const Ref<MemoryTable> table = tableOf(rows);
        GroupBuilder builder(kKeys, plan);
        if (rows.empty()) return builder.finish();  // blocks that are added have rows
        const std::vector<Value> keys = {table->column(1), table->column(3)};
        const int32_t* numbers = builder.number(keys, table->rowCount());
        for (size_t i = 0; i < plan.calls.size(); ++i) {
            const Value argument = plan.calls[i].arguments[0].evaluate(context, *table);
            builder.state(i).add({&argument, 1}, numbers, table->rowCount());
        }
        return builder.finish();
    }
    static std::string shown(const PartialGroups& groups) {
        std::string string = std::to_string(groups.groups);
        for (const Value& key : groups.keys) string += " " + stringOfColumn(key);
        for (const auto& state : groups.states) string += " " + stringOfColumn(state->results());
        return string;
    }
    static std::string stringOfColumn(const Value& column) {
        std::string string = std::string(typeName(column.type())) + ":";
        for (int64_t i = 0; i < column.size(); ++i) string += display(column.at(i)) + ",";
        return string;
    }

    AggregatePlan plan;
};

Value tupleOf(std::vector<Value> items) {
    return Value::of(makeRef<Tuple>(std::move(items)));
}

}  // namespace

TEST_CASE("groups that were saved are the same, and go on as they would have") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    int64_t groupsMet = 0;
    for (int n = 0; n < 60; ++n) {
        const DrawnRows first = drawnRows(static_cast<int64_t>(random() % 80), random);
        const DrawnRows second = drawnRows(static_cast<int64_t>(random() % 80), random);
        const PartialGroups groups = bench.groupsOf(first);
        std::string bytes;
        encodeValue(saveGroups(groups), Peer::Node, bytes);
        StringSource source(bytes);
        const PartialGroups loaded = loadGroups(decodeValue(source, Peer::Node), kKeys, bench.plan);
        CHECK(Bench::shown(loaded) == Bench::shown(bench.groupsOf(first)));
        // Merged with others they give what all rows together give.
        DrawnRows all = first;
        all.insert(all.end(), second.begin(), second.end());
        GroupBuilder merged(kKeys, bench.plan);
        merged.merge(loaded);
        merged.merge(bench.groupsOf(second));
        CHECK(Bench::shown(merged.finish()) == Bench::shown(bench.groupsOf(all)));
        groupsMet += loaded.groups;
    }
    CHECK(groupsMet > 200);
}

TEST_CASE("groups that share no key stand one behind the other") {
    Bench bench;
    std::mt19937 random(9);
    const DrawnRows rows = drawnRows(200, random);
    std::vector<PartialGroups> parts;
    int64_t count = 0;
    for (int64_t few = 0; few < 5; ++few) {
        DrawnRows own = rows;
        std::erase_if(own, [&](const DrawnRow& row) { return row.few != Item(few); });
        parts.push_back(bench.groupsOf(own));
        count += parts.back().groups;
    }
    DrawnRows known = rows;
    std::erase_if(known, [](const DrawnRow& row) { return !row.few; });
    std::stable_sort(known.begin(), known.end(), [](const DrawnRow& a, const DrawnRow& b) { return a.few < b.few; });
    const PartialGroups whole = concatenated(std::move(parts), bench.plan);
    CHECK(whole.groups == count);
    CHECK(Bench::shown(whole) == Bench::shown(bench.groupsOf(known)));
    CHECK(whole.memoryBytes() > 0);
}

// Groups from another node are checked before they are used.
TEST_CASE("groups that do not fit the query are refused") {
    Bench bench;
    std::mt19937 random(9);
    const Value saved = saveGroups(bench.groupsOf(drawnRows(50, random)));
    const auto refused = [&](const Value& value, const std::vector<Type>& keys = kKeys) {
        CHECK_THROWS_AS(loadGroups(value, keys, bench.plan), UserError);
    };
    const Value keys = saved.at(0), states = saved.at(1), count = saved.at(2);
    CHECK_NOTHROW(loadGroups(tupleOf({keys, states, count}), kKeys, bench.plan));
    refused(Value::ofInt(3));
    refused(tupleOf({keys, states}));
    refused(tupleOf({keys, states, count, count}));
    refused(tupleOf({keys, states, Value::ofLong(-1)}));
    refused(tupleOf({keys, states, Value::ofLong(count.asLong() + 1)}));
    refused(tupleOf({keys, states, Value::ofLong(int64_t{1} << 40)}));
    refused(tupleOf({keys, states, Value::ofString("3")}));
    refused(tupleOf({states, states, count}));
    refused(tupleOf({keys, keys, count}));
    refused(tupleOf({Value(), states, count}));
    refused(saved, {Type::Int});
    refused(saved, {Type::Long, Type::Symbol});
    refused(saved, {Type::Symbol, Type::Int});
    // Without keys all rows are one group.
    refused(tupleOf({tupleOf({}), states, count}), {});
}
