// Groups of leaves are merged in a fixed order, whatever arrives first, is split, or is spilled.
#include "sql/operators/aggregate/group_parts.h"
#include "runtime/function/principal.h"
#include "sql/expression/bind_expression.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>

#include "sql/operators/aggregate/group_builder.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

namespace {

constexpr size_t kPartitions = 4, kLeaves = 6;
constexpr int64_t kRows = 60'000;

struct Sums {
    Request request{Principal::owner()};
    Context context{testing::wholeProcess().services(), request};
    TableSchema columns{{"v", Type::Double}};
    AggregatePlan plan;

    Sums() {
        const NodeRef v = makeRef<Name>("v", SourcePosition{});
        for (const char* name : {"sum", "count", "nunique"}) {
            plan.calls.push_back({&FunctionRegistry::instance().get(name), {}, name});
            plan.calls.back().arguments.push_back(bindProgram(v, columns, context));
        }
    }
};

// Returns the partial groups of a leaf: keys in random order, of which most occur in every leaf.
PartialGroups leafOf(const AggregatePlan& plan, const std::vector<Type>& keyTypes, uint32_t seed) {
    std::mt19937 random(seed);
    Ref<Vector> keys = Vector::make(Type::Int, kRows), values = Vector::make(Type::Double, kRows);
    for (int64_t i = 0; i < kRows; ++i) {
        keys->mutableData<int32_t>()[i] = static_cast<int32_t>(random() % 40'000);
        values->mutableData<double>()[i] = static_cast<double>(random() % 1000) * 1e-3 + 1e10 * (random() % 2);
    }
    GroupBuilder builder(keyTypes, plan);
    std::vector<Value> columns;
    if (!keyTypes.empty()) columns.push_back(Value::of(keys));
    const int32_t* numbers = builder.number(columns, kRows);
    for (size_t i = 0; i < plan.calls.size(); ++i) {
        const Value v = Value::of(values);
        builder.state(i).add({&v, 1}, numbers, kRows);
    }
    return builder.finish();
}

// Key, sum, count and distinct count of each group, in the order of the keys.
using Row = std::array<uint64_t, 4>;

std::vector<Row> rowsOf(GroupParts& parts) {
    std::mutex mutex;
    std::vector<Row> rows;
    parts.merge([&](size_t, PartialGroups groups) {
        std::vector<Value> columns = groups.keys;
        for (const auto& state : groups.states) columns.push_back(state->results());
        const std::lock_guard guard(mutex);
        for (int64_t g = 0; g < groups.groups; ++g) {
            Row row{};
            for (size_t c = 0; c < columns.size(); ++c) {
                const Vector& elements = columns[c].vector();
                std::memcpy(&row[c], elements.raw() + g * elements.width(), static_cast<size_t>(elements.width()));
            }
            rows.push_back(row);
        }
    });
    std::sort(rows.begin(), rows.end());
    return rows;
}

}  // namespace

TEST_CASE("states of groups meet in the order of their leaves, in memory and on disk", "[groups]") {
    const Sums sums;
    const std::vector<Type> keyTypes{Type::Int};
    const auto folder = sums.context.service<SpillFolder>();
    REQUIRE(folder);
    memory::Grant roomy;
    GroupParts inOrder(keyTypes, sums.plan, roomy, folder);
    std::vector<LeafPlace> places;
    for (size_t p = 0; p < kPartitions; ++p) {
        for (size_t l = 0; l < kLeaves; ++l) {
            places.push_back({p, l});
            inOrder.add({p, l}, leafOf(sums.plan, keyTypes, static_cast<uint32_t>(10 * p + l)));
        }
    }
    const std::vector<Row> expected = rowsOf(inOrder);
    CHECK(expected.size() == 40'000);
    CHECK(roomy.heldBytes() == 0);

    std::shuffle(places.begin(), places.end(), std::mt19937(7));
    for (const int64_t largest : {int64_t{0}, int64_t{1}, int64_t{12} << 20}) {
        memory::setLargestGrantBytes(largest);
        memory::Grant grant;
        GroupParts shuffled(keyTypes, sums.plan, grant, folder);
        const uint64_t filesBefore = SpillFile::madeCount();
        std::vector<std::thread> threads;
        for (size_t t = 0; t < 3; ++t) {
            threads.emplace_back([&, t] {
                for (size_t i = t; i < places.size(); i += 3) {
                    const auto [p, l] = places[i];
                    shuffled.add({p, l}, leafOf(sums.plan, keyTypes, static_cast<uint32_t>(10 * p + l)));
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        CHECK((SpillFile::madeCount() > filesBefore) == (largest > 0));
        CHECK(rowsOf(shuffled) == expected);
        CHECK(grant.heldBytes() == 0);
    }
    memory::setLargestGrantBytes(0);
}

TEST_CASE("without leaves there are no groups, and without keys there is one", "[groups]") {
    const Sums sums;
    memory::Grant grant;
    GroupParts none({Type::Int}, sums.plan, grant, nullptr);
    CHECK(rowsOf(none).empty());
    GroupParts ofAll({}, sums.plan, grant, nullptr);
    CHECK(rowsOf(ofAll).size() == 1);
    GroupParts all({}, sums.plan, grant, nullptr);
    all.add({0, 1}, leafOf(sums.plan, {}, 2));
    all.add({0, 0}, leafOf(sums.plan, {}, 1));
    const std::vector<Row> rows = rowsOf(all);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0][1] == 2 * kRows);
}
