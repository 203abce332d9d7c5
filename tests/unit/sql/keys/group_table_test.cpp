#include "sql/keys/group_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace pelorus;

namespace {

// Groups rows by their keys as strings, in order of appearance.
std::vector<int32_t> byString(const std::vector<Value>& keys, int64_t rows) {
    std::map<std::vector<std::string>, int32_t> known;
    std::vector<int32_t> groups;
    for (int64_t r = 0; r < rows; ++r) {
        std::vector<std::string> key;
        for (const Value& k : keys) {
            Value item = k.at(r);
            key.push_back(item.isString() ? std::string(item.string()) : std::to_string(item.integer()));
        }
        groups.push_back(known.emplace(key, static_cast<int32_t>(known.size())).first->second);
    }
    return groups;
}

Value randomKeys(Type type, int64_t rows, int range, std::mt19937& random) {
    Ref<Vector> v = Vector::make(type, rows);
    for (int64_t r = 0; r < rows; ++r) {
        auto x = static_cast<int64_t>(random() % static_cast<unsigned>(range));
        if (isLiteral(type)) {
            v->setString(r, x == 0 ? "" : "k" + std::to_string(x));
        } else {
            v->set(r, x == 0 ? Value() : Value::scalar(type, x - range / 2));
        }
    }
    return Value::of(v);
}

void check(const std::vector<Type>& types, int range, unsigned seed) {
    std::mt19937 random(seed);
    constexpr int64_t kRows = 3000;
    std::vector<Value> keys;
    for (Type t : types) keys.push_back(randomKeys(t, kRows, range, random));
    GroupTable table(types);
    std::vector<int32_t> groups(kRows);
    // In two pieces: the second must find the groups of the first.
    std::vector<Value> first, second;
    for (const Value& k : keys) {
        first.push_back(Value::of(k.vector().slice(0, 1000)));
        second.push_back(Value::of(k.vector().slice(1000, kRows - 1000)));
    }
    table.assign(first, 1000, groups.data());
    table.assign(second, kRows - 1000, groups.data() + 1000);
    REQUIRE(groups == byString(keys, kRows));
    std::vector<Value> groupKeys = table.keys();
    for (int64_t r = 0; r < kRows; ++r) {
        for (size_t k = 0; k < keys.size(); ++k) {
            REQUIRE(identical(groupKeys[k].at(groups[static_cast<size_t>(r)]), keys[k].at(r)));
        }
    }
}

}  // namespace

TEST_CASE("one key of a small range is numbered by order of appearance") {
    check({Type::Int}, 50, 1);
    check({Type::Minute}, 1000, 2);
    check({Type::Symbol}, 30, 3);
    check({Type::Char}, 20, 4);
}

TEST_CASE("keys too wide for direct look-up are hashed") {
    std::mt19937 random(5);
    std::vector<int32_t> items{1, 2000000000, -2000000000, 1, 7, 2000000000};
    Value key = Value::of(Vector::of(Type::Int, items));
    GroupTable table({Type::Int});
    std::vector<int32_t> groups(items.size());
    table.assign({&key, 1}, static_cast<int64_t>(items.size()), groups.data());
    REQUIRE(groups == std::vector<int32_t>{0, 1, 2, 0, 3, 1});
}

TEST_CASE("two, three and more keys of any type are combined") {
    check({Type::Symbol, Type::Int}, 12, 6);
    check({Type::Symbol, Type::Date, Type::Minute}, 9, 7);
    check({Type::Long, Type::Long}, 20, 8);
    check({Type::Long, Type::String, Type::Long, Type::Int}, 6, 9);
    check({Type::String, Type::Short}, 15, 10);
}

// Pieces whose ranges grow to both sides: numbers of the known groups are packed anew, from one form to the next.
static void checkGrowing(const std::vector<Type>& types, const std::vector<std::vector<int64_t>>& reaches) {
    std::mt19937_64 random(11);
    constexpr int64_t kRows = 700;
    GroupTable table(types);
    std::map<std::vector<int64_t>, int32_t> known;
    std::vector<std::vector<int64_t>> seen;
    for (const std::vector<int64_t>& reach : reaches) {
        std::vector<Value> keys;
        std::vector<std::vector<int64_t>> rows(kRows);
        for (size_t k = 0; k < types.size(); ++k) {
            Ref<Vector> items = Vector::make(types[k], kRows);
            for (int64_t r = 0; r < kRows; ++r) {
                const uint64_t few = random() % 40;
                const bool isNullElement = few == 39;
                const int64_t item = isNullElement ? INT64_MIN : reach[k] / 20 * (static_cast<int64_t>(few) - 19);
                rows[static_cast<size_t>(r)].push_back(item);
                items->set(r, isNullElement ? Value() : Value::scalar(types[k], item));
            }
            keys.push_back(Value::of(items));
        }
        std::vector<int32_t> groups(kRows);
        table.assign(keys, kRows, groups.data());
        for (size_t r = 0; r < rows.size(); ++r)
            REQUIRE(groups[r] == known.emplace(rows[r], static_cast<int32_t>(known.size())).first->second);
        REQUIRE(table.size() == static_cast<int64_t>(known.size()));
        const std::vector<Value> all = table.keys();
        for (const auto& [key, group] : known) {
            for (size_t k = 0; k < types.size(); ++k) {
                const Value item = all[k].at(group);
                REQUIRE((item.isNull() ? INT64_MIN : item.integer()) == key[k]);
            }
        }
    }
}

TEST_CASE("groups keep their numbers while the ranges of keys grow") {
    checkGrowing({Type::Int}, {{100}, {1000}, {-4000}, {2000000000}, {-2000000000}});
    checkGrowing({Type::Long, Type::Int}, {{40, 40}, {20000, 40}, {INT64_MAX / 2, 300}, {-INT64_MAX / 2, 2000000000}});
    checkGrowing({Type::Long, Type::Long, Type::Short},
                 {{40, 60, 20}, {1 << 30, 1 << 30, 200}, {INT64_MAX - 7, INT64_MAX - 7, 30000}});
    checkGrowing({Type::Long, Type::Long}, {{60, 60}, {INT64_MAX - 7, INT64_MAX - 7}, {60, 60}});
}

TEST_CASE("ascending keys of growing ranges are told from others") {
    GroupTable table({Type::Long, Type::Int}, KeyLookup::Hashed);
    const std::vector<Value> first{Value::of(Vector::of<int64_t>(Type::Long, {-5, -5, 7})),
                                   Value::of(Vector::of<int32_t>(Type::Int, {1, 2, -9}))};
    const std::vector<Value> second{Value::of(Vector::of<int64_t>(Type::Long, {7, 1000000007})),
                                    Value::of(Vector::of<int32_t>(Type::Int, {2000000000, -2000000000}))};
    int32_t groups[3];
    table.assign(first, 3, groups);
    table.assign(second, 2, groups);
    REQUIRE(table.sawAscending());
    table.assign(first, 3, groups);
    REQUIRE(!table.sawAscending());
    REQUIRE(std::vector<int32_t>(groups, groups + 3) == std::vector<int32_t>{0, 1, 2});
}
