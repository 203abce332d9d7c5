// The candidates include the first rows of every group, and not much else.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>

#include "runtime/function/principal.h"
#include "sql/operators/context/first_candidates.h"

using namespace pelorus;

namespace {

constexpr int64_t kRows = 100'000;

OutputItem key(const char* name) {
    return {{name}, makeRef<Name>(name, SourcePosition{})};
}

struct Rows {
    Services services;
    Request request{Principal::owner()};
    Context context{services, request};
    Ref<MemoryTable> table = makeRef<MemoryTable>();
    std::vector<int32_t> groups;
    std::vector<double> reals;

    explicit Rows(uint32_t seed, int32_t groupCount) {
        std::mt19937 random(seed);
        Ref<Vector> group = Vector::make(Type::Int, kRows), wide = Vector::make(Type::Long, kRows),
                    real = Vector::make(Type::Double, kRows);
        for (int64_t i = 0; i < kRows; ++i) {
            groups.push_back(static_cast<int32_t>(random() % static_cast<uint32_t>(groupCount)));
            reals.push_back(static_cast<double>(random() % 1'000'000));
            group->mutableData<int32_t>()[i] = groups.back() - 7;
            wide->mutableData<int64_t>()[i] = groups.back() * int64_t{1'000'000'007};
            real->mutableData<double>()[i] = reals.back();
        }
        table->setColumn("g", Value::of(group));
        table->setColumn("w", Value::of(wide));
        table->setColumn("v", Value::of(real));
    }
    std::optional<std::vector<int32_t>> candidates(const char* by, bool ascending, int64_t count) {
        return firstCandidates({key(by)}, *table, {{*table->column("v"), ascending}}, count, context);
    }
    // By looking at all rows.
    std::vector<int32_t> firsts(bool ascending, int64_t count) const {
        std::map<int32_t, std::vector<int32_t>> rows;
        for (size_t i = 0; i < groups.size(); ++i) rows[groups[i]].push_back(static_cast<int32_t>(i));
        std::vector<int32_t> all;
        for (auto& [group, own] : rows) {
            std::stable_sort(own.begin(), own.end(), [&](int32_t a, int32_t b) {
                const double x = reals[static_cast<size_t>(a)], y = reals[static_cast<size_t>(b)];
                return ascending ? x < y : x > y;
            });
            const auto most = std::min(own.size(), static_cast<size_t>(std::abs(count)));
            const auto end = static_cast<std::ptrdiff_t>(most);
            all.insert(all.end(), count > 0 ? own.begin() : own.end() - end, count > 0 ? own.begin() + end : own.end());
        }
        std::sort(all.begin(), all.end());
        return all;
    }
};

}  // namespace

TEST_CASE("the first and last rows of each group are among few candidates, in the order of the rows") {
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        Rows rows(seed, seed % 2 ? 10 : 400);
        for (const char* by : {"g", "w"}) {
            for (const int64_t count : {1, 3, 8, -1, -3, -8}) {
                for (const bool ascending : {true, false}) {
                    const auto found = rows.candidates(by, ascending, count);
                    REQUIRE(found);
                    CHECK(std::is_sorted(found->begin(), found->end()));
                    const std::vector<int32_t> wanted = rows.firsts(ascending, count);
                    CHECK(std::includes(found->begin(), found->end(), wanted.begin(), wanted.end()));
                    CHECK(found->size() < 2 * wanted.size() + 10);
                }
            }
        }
    }
}

TEST_CASE("nothing is looked for where most rows would be candidates") {
    Rows many(1, 60'000), few(2, 10);
    CHECK(!many.candidates("g", true, 3));
    CHECK(!many.candidates("w", true, 3));
    CHECK(!few.candidates("g", true, 0));
    CHECK(!few.candidates("g", true, kRows));
    // Each row is better than all before it, or the equal of all.
    Ref<Vector> rising = Vector::make(Type::Long, kRows);
    for (int64_t i = 0; i < kRows; ++i) rising->mutableData<int64_t>()[i] = i;
    const Value nulls = Value::of(Vector::filled(Type::Double, kRows, Value::nullOf(Type::Double)));
    CHECK(!firstCandidates({key("g")}, *few.table, {{Value::of(rising), false}}, 2, few.context));
    CHECK(!firstCandidates({key("g")}, *few.table, {{nulls, true}, {Value::of(rising)}}, 2, few.context));
    // Strings have no order-preserving words.
    const Value strings = Value::of(Vector::filled(Type::String, kRows, Value::ofString("a")));
    CHECK(!firstCandidates({key("g")}, *few.table, {{strings, true}}, 2, few.context));
}
