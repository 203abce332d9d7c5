#include "sql/group_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace pelorus;

namespace {

// Groups of rows by the text of their keys, in order of appearance.
std::vector<int32_t> byText(const std::vector<Value>& keys, int64_t rows) {
    std::map<std::vector<std::string>, int32_t> known;
    std::vector<int32_t> groups;
    for (int64_t r = 0; r < rows; ++r) {
        std::vector<std::string> key;
        for (const Value& k : keys) {
            Value item = k.at(r);
            key.push_back(item.isText() ? std::string(item.text()) : std::to_string(item.integer()));
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
            v->setText(r, x == 0 ? "" : "k" + std::to_string(x));
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
    REQUIRE(groups == byText(keys, kRows));
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
