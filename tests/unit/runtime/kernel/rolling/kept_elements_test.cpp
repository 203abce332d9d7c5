#include "runtime/kernel/rolling/kept_elements.h"

#include <catch2/catch.hpp>

#include "runtime/kernel/rolling/group_rolling.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

std::vector<int64_t> stepped(RollingStates& states, const std::vector<int64_t>& elements,
                             const std::vector<int32_t>& groups) {
    std::vector<Value> arguments{Value::of(Vector::of(Type::Long, elements))};
    const Value result = states.step(arguments, groups.data(), static_cast<int64_t>(groups.size()));
    std::vector<int64_t> out;
    for (int64_t i = 0; i < result.size(); ++i) out.push_back(result.vector().asLong(i));
    return out;
}

constexpr int64_t kNone = null<int64_t>;

}  // namespace

TEST_CASE("a shift gives what stood before in the group, over steps and in one") {
    auto states = makeShiftStates(Type::Long, 2);
    states->resize(2);
    REQUIRE(stepped(*states, {1, 10, 2, 3}, {0, 1, 0, 0}) == std::vector<int64_t>{kNone, kNone, kNone, 1});
    states->resize(3);
    REQUIRE(stepped(*states, {4, 11, 12, 20}, {0, 1, 1, 2}) == std::vector<int64_t>{2, kNone, 10, kNone});
    const int32_t first = 0;
    states->clear(&first, 1);
    REQUIRE(stepped(*states, {5}, {0}) == std::vector<int64_t>{kNone});
}

TEST_CASE("strings are shifted as other elements are") {
    auto states = makeShiftStates(Type::String, 1);
    states->resize(2);
    const std::vector<int32_t> groups{0, 1, 0};
    std::vector<Value> arguments{Value::of(Vector::ofStrings({"a", "b", "c"}))};
    REQUIRE(states->step(arguments, groups.data(), 3).vector().string(2) == "a");
    const Value next = states->step(arguments, groups.data(), 3);
    REQUIRE(next.vector().string(0) == "c");
    REQUIRE(next.vector().string(1) == "b");
    REQUIRE(next.vector().string(2) == "a");
}

TEST_CASE("a fill takes the last element of the group, at most so often") {
    auto states = makeFillStates(Type::Long, 2);
    states->resize(2);
    REQUIRE(stepped(*states, {kNone, 7, kNone, kNone}, {0, 1, 1, 0}) == std::vector<int64_t>{kNone, 7, 7, kNone});
    REQUIRE(stepped(*states, {kNone, kNone, 5, kNone}, {1, 1, 0, 0}) == std::vector<int64_t>{7, kNone, 5, 5});
}

TEST_CASE("groups that lie one after the other begin without rows, each of them") {
    const std::vector<int32_t> begin = {3, 6, 6, 8};
    const auto ofGroups = [&](RollingStates& states, const std::vector<int64_t>& elements) {
        const std::vector<Value> arguments{Value::of(Vector::of(Type::Long, elements))};
        const Value result = states.stepGroups(arguments, begin);
        return std::vector<int64_t>(result.vector().data<int64_t>(), result.vector().data<int64_t>() + result.size());
    };
    CHECK(ofGroups(*makeShiftStates(Type::Long, 1), {1, 2, 3, 4, 5}) == std::vector<int64_t>{kNone, 1, 2, kNone, 4});
    const auto fill = makeFillStates(Type::Long, 5);
    for (int again = 0; again < 2; ++again)
        CHECK(ofGroups(*fill, {1, kNone, kNone, kNone, 5}) == std::vector<int64_t>{1, 1, 1, kNone, 5});
    struct Sum {
        int64_t total = 0;
        int64_t next(int64_t x) { return total += x; }
        int64_t memoryBytes() const { return 0; }
    };
    GroupRolling<Sum, 1, int64_t, int64_t> sums(Sum(), Type::Long);
    CHECK(ofGroups(sums, {1, 2, 3, 4, 5}) == std::vector<int64_t>{1, 3, 6, 4, 9});
}

}  // namespace pelorus
