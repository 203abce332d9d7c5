// The first rows in an order, found block by block, are those that a sort of all rows begins with.
#include "sql/operators/top_n_sink.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "runtime/function/principal.h"
#include "runtime/value/vector.h"
#include "sql/expression/bind_expression.h"
#include "sql/physical/row_pipelines.h"

using namespace pelorus;

namespace {

constexpr int64_t kRows = 1'300'000;  // three morsels

// Numbers with NULL, NaN and infinities among them, few different integers, many equal keys, and each row's position.
Ref<MemoryTable> someRows(uint32_t seed) {
    std::mt19937 random(seed);
    auto table = makeRef<MemoryTable>();
    Ref<Vector> reals = Vector::make(Type::Double, kRows), few = Vector::make(Type::Int, kRows),
                shorts = Vector::make(Type::Short, kRows), places = Vector::make(Type::Long, kRows);
    for (int64_t i = 0; i < kRows; ++i) {
        const uint32_t draw = random();
        reals->mutableData<double>()[i] = static_cast<double>(draw) / 7 - 1e8;
        few->mutableData<int32_t>()[i] = static_cast<int32_t>(draw % 5);
        shorts->mutableData<int16_t>()[i] = static_cast<int16_t>(random());
        places->mutableData<int64_t>()[i] = i;
    }
    for (int n = 0; n < 40; ++n) {
        const auto at = static_cast<int64_t>(random() % kRows);
        if (n % 4 == 0) reals->mutableData<double>()[at] = std::numeric_limits<double>::infinity();
        if (n % 4 == 1) reals->mutableData<double>()[at] = -std::numeric_limits<double>::infinity();
        if (n % 4 == 2) reals->set(at, Value::nullOf(Type::Double));
        if (n % 4 == 3) few->set(at, Value::nullOf(Type::Int));
    }
    table->setColumn("real", Value::of(reals));
    table->setColumn("few", Value::of(few));
    table->setColumn("short", Value::of(shorts));
    table->setColumn("place", Value::of(places));
    return table;
}

struct Reader {
    Services services;
    Request request{Principal::owner()};
    Context context{services, request};
    RowSource source;

    explicit Reader(const Ref<MemoryTable>& table) { source = sourceOf(table); }
    std::vector<RowItem> columns() {
        std::vector<RowItem> items;
        for (const ColumnSchema& c : source.columns())
            items.push_back({c.name, bindProgram(makeRef<Name>(c.name, SourcePosition{}), source.columns(), context)});
        return items;
    }
    Ref<MemoryTable> topRows(std::vector<RowItem> items, std::vector<TopKey> keys, int64_t count,
                             const NodeList& conditions = {}) {
        const TopRowsNode node(nullptr, std::move(items), std::move(keys), count);
        return firstRows(node, {source, conditions}, context);
    }
    Ref<MemoryTable> collectRows(std::vector<RowItem> items, int64_t needed, const NodeList& conditions = {}) {
        ProjectNode node(nullptr, std::move(items));
        node.needed = needed;
        return projectedRows(node, {source, conditions}, context);
    }
};

}  // namespace

TEST_CASE("the first rows of blocks are the first of the whole order, for keys of all kinds") {
    Reader reader(someRows(7));
    const std::vector<RowItem> items = reader.columns();
    const std::vector<std::vector<TopKey>> orders = {
        {{0, true}},
        {{0, false}},
        {{1, true}},
        {{1, false}, {0, true}},
        {{1, true}, {2, false}, {3, true}},
        {{2, false}},
        {{0, true, true, false}},
        {{0, false, true, true}, {3, false}},
        {{2, true}, {0, false}},
    };
    int compared = 0;
    for (const std::vector<TopKey>& order : orders) {
        std::vector<OrderKey> keys;
        for (const TopKey& key : order)
            keys.push_back({reader.source.memory()->column(static_cast<int>(key.item)), key.ascending, key.nullsGiven,
                            key.nullsFirst});
        const std::vector<int32_t> whole = sortPositions(keys, kRows);
        for (const int64_t count : {int64_t{1}, int64_t{7}, int64_t{500}, int64_t{9000}}) {
            const Ref<MemoryTable> top = reader.topRows(items, order, count);
            REQUIRE(top->rowCount() == count);
            const auto* places = top->column(3).vector().data<int64_t>();
            for (int64_t i = 0; i < count; ++i) REQUIRE(places[i] == whole[static_cast<size_t>(i)]);
            ++compared;
        }
    }
    CHECK(compared == 36);
}

TEST_CASE("the first of the rows that pass a condition are found, wherever the bound is looked at") {
    Reader reader(someRows(11));
    const std::vector<RowItem> items = reader.columns();
    const auto condition = makeRef<Binary>(Operator::Gt, makeRef<Name>("short", SourcePosition{}),
                                           makeRef<Constant>(Value::ofInt(20'000), SourcePosition{}), SourcePosition{});
    int compared = 0;
    for (const std::vector<TopKey>& order : {std::vector<TopKey>{{0, true}}, {{0, false}}, {{1, true}, {3, false}}}) {
        const Ref<MemoryTable> all = reader.collectRows(items, INT64_MAX, {condition});
        std::vector<OrderKey> keys;
        for (const TopKey& key : order) keys.push_back({all->column(static_cast<int>(key.item)), key.ascending});
        const std::vector<int32_t> whole = sortPositions(keys, all->rowCount());
        const Ref<MemoryTable> top = reader.topRows(items, order, 300, {condition});
        REQUIRE(top->rowCount() == 300);
        for (int64_t i = 0; i < 300; ++i, ++compared)
            REQUIRE(top->column(3).at(i).asLong() == all->column(3).at(whole[static_cast<size_t>(i)]).asLong());
    }
    CHECK(compared == 900);
}

TEST_CASE("fewer rows than are wanted are all there, in order") {
    Reader reader(someRows(8));
    const Ref<MemoryTable> few = reader.source.memory()->slice(100, 30);
    reader.source = sourceOf(few);
    const Ref<MemoryTable> top = reader.topRows(reader.columns(), {{3, false}}, 100);
    REQUIRE(top->rowCount() == 30);
    for (int64_t i = 0; i < 30; ++i) CHECK(top->column(3).at(i).asLong() == 129 - i);
}

TEST_CASE("rows end where nobody looks further, in the order of the source") {
    Reader reader(someRows(9));
    const auto condition = makeRef<Binary>(Operator::Gt, makeRef<Name>("few", SourcePosition{}),
                                           makeRef<Constant>(Value::ofInt(2), SourcePosition{}), SourcePosition{});
    const std::vector<RowItem> items = reader.columns();
    const Ref<MemoryTable> all = reader.collectRows(items, INT64_MAX, {condition});
    REQUIRE(all->rowCount() > kRows / 4);
    for (const int64_t needed : {int64_t{0}, int64_t{1}, int64_t{65'000}, int64_t{300'000}, kRows}) {
        const Ref<MemoryTable> first = reader.collectRows(items, needed, {condition});
        const int64_t expected = std::min(needed, all->rowCount());
        REQUIRE(first->rowCount() == expected);
        const auto* places = first->column(3).vector().data<int64_t>();
        for (int64_t i = 0; i < expected; ++i) REQUIRE(places[i] == all->column(3).vector().data<int64_t>()[i]);
    }
}

TEST_CASE("a computed item is computed for the rows that are read only") {
    Reader reader(someRows(10));
    std::vector<RowItem> items = reader.columns();
    const auto twice = makeRef<Binary>(Operator::Mul, makeRef<Name>("place", SourcePosition{}),
                                       makeRef<Constant>(Value::ofInt(2), SourcePosition{}), SourcePosition{});
    items.push_back({"twice", bindProgram(twice, reader.source.columns(), reader.context)});
    const Ref<MemoryTable> top = reader.topRows(items, {{0, true}, {1, true}}, 100);
    for (int64_t i = 0; i < 100; ++i) CHECK(top->column(4).at(i).asLong() == 2 * top->column(3).at(i).asLong());
    const Ref<MemoryTable> first = reader.collectRows(items, 3);
    REQUIRE(first->rowCount() == 3);
    CHECK(first->column(4).at(2).asLong() == 4);
}
