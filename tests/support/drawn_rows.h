// DrawnRows are random rows with few different values and NULL among them, in C++ and as a table: a test computes the
// result of a query from the rows by hand.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus::testing {

// NULL is nullopt, which C++ orders as the database does: below every value.
using Item = std::optional<int64_t>;

struct DrawnRow {
    int64_t place;  // position of the row
    Item few;       // INT, 0 to 4
    Item half;      // DOUBLE, 0 to 6 halves
    Item name;      // SYMBOL, n0 to n9
    Item wide;      // LONG, 0 to 30 times 10 ^ 11
    bool operator==(const DrawnRow&) const = default;
};
using DrawnRows = std::vector<DrawnRow>;

constexpr int64_t kWide = 100'000'000'000;

inline DrawnRows drawnRows(int64_t count, std::mt19937& random) {
    const auto element = [&](unsigned end) { return random() % 7 == 0 ? Item() : Item(random() % end); };
    DrawnRows rows;
    for (int64_t i = 0; i < count; ++i) {
        const Item few = element(5), half = element(7), name = element(10), wide = element(31);
        rows.push_back({i, few, half, name, wide});
    }
    return rows;
}

inline Ref<MemoryTable> tableOf(const DrawnRows& rows) {
    const auto count = static_cast<int64_t>(rows.size());
    Ref<Vector> place = Vector::make(Type::Int, count), few = Vector::make(Type::Int, count),
                half = Vector::make(Type::Double, count), name = Vector::make(Type::Symbol, count),
                wide = Vector::make(Type::Long, count);
    for (int64_t i = 0; i < count; ++i) {
        const DrawnRow& row = rows[static_cast<size_t>(i)];
        place->set(i, Value::ofInt(static_cast<int32_t>(row.place)));
        few->set(i, row.few ? Value::ofInt(static_cast<int32_t>(*row.few)) : Value::nullOf(Type::Int));
        half->set(i, row.half ? Value::ofDouble(static_cast<double>(*row.half) / 2) : Value::nullOf(Type::Double));
        name->setString(i, row.name ? "n" + std::to_string(*row.name) : "");
        wide->set(i, row.wide ? Value::ofLong(*row.wide * kWide) : Value::nullOf(Type::Long));
    }
    auto table = makeRef<MemoryTable>();
    table->setColumn("place", Value::of(place));
    table->setColumn("few", Value::of(few));
    table->setColumn("half", Value::of(half));
    table->setColumn("name", Value::of(name));
    table->setColumn("wide", Value::of(wide));
    return table;
}

// A column of the rows as it is written in a query, and its value in a row.
struct DrawnColumn {
    const char* name;
    Item (*of)(const DrawnRow&);
};
inline const std::vector<DrawnColumn>& drawnColumns() {
    static const std::vector<DrawnColumn> columns = {
        {"few", [](const DrawnRow& r) { return r.few; }},
        {"half", [](const DrawnRow& r) { return r.half; }},
        {"name", [](const DrawnRow& r) { return r.name; }},
        {"wide", [](const DrawnRow& r) { return r.wide; }},
    };
    return columns;
}

// A condition as a query writes it, and as a test of a row; NULL is below every number and equals NULL.
struct DrawnCondition {
    const char* string;
    bool (*holds)(const DrawnRow&);
};
inline const std::vector<DrawnCondition>& drawnConditions() {
    static const std::vector<DrawnCondition> conditions = {
        {"few < 3", [](const DrawnRow& r) { return r.few < Item(3); }},
        {"few >= 2", [](const DrawnRow& r) { return r.few >= Item(2); }},
        {"few in [1, 4]", [](const DrawnRow& r) { return r.few == Item(1) || r.few == Item(4); }},
        {"half > 1.5", [](const DrawnRow& r) { return r.half > Item(3); }},
        {"isNull(half)", [](const DrawnRow& r) { return !r.half; }},
        {"name == `n3", [](const DrawnRow& r) { return r.name == Item(3); }},
        {"name != `n3", [](const DrawnRow& r) { return r.name != Item(3); }},
        {"wide >= 1000000000000l", [](const DrawnRow& r) { return r.wide >= Item(10); }},
        {"wide between 100000000000l:900000000000l",
         [](const DrawnRow& r) { return r.wide >= Item(1) && r.wide <= Item(9); }},
        {"few == 2 or half == 1.0", [](const DrawnRow& r) { return r.few == Item(2) || r.half == Item(2); }},
        {"place % 3 == 0", [](const DrawnRow& r) { return r.place % 3 == 0; }},
        {"place >= 40", [](const DrawnRow& r) { return r.place >= 40; }},
        {"place < 20", [](const DrawnRow& r) { return r.place < 20; }},
    };
    return conditions;
}

// Returns the values of a column: DOUBLE in halves, the digit of a SYMBOL, and large LONGs divided by kWide.
inline std::vector<Item> itemsOf(const Value& column) {
    std::vector<Item> elements;
    for (int64_t i = 0; i < column.size(); ++i) {
        const Value element = column.at(i);
        if (element.isNull()) {
            elements.emplace_back();
        } else if (element.isString()) {
            elements.emplace_back(std::stoll(std::string(element.string().substr(1))));
        } else if (isFloating(element.type())) {
            elements.emplace_back(static_cast<int64_t>(element.asDouble() * 2));
        } else {
            elements.emplace_back(element.asLong() >= kWide ? element.asLong() / kWide : element.asLong());
        }
    }
    return elements;
}
inline std::vector<std::vector<Item>> itemsOfRows(const MemoryTable& table) {
    std::vector<std::vector<Item>> rows(static_cast<size_t>(table.rowCount()));
    for (int c = 0; c < table.columnCount(); ++c) {
        const std::vector<Item> elements = itemsOf(table.column(c));
        for (size_t r = 0; r < rows.size(); ++r) rows[r].push_back(elements[r]);
    }
    return rows;
}
// Returns the rows as a string for messages.
inline std::string toString(const std::vector<std::vector<Item>>& rows) {
    std::string string;
    for (const std::vector<Item>& row : rows) {
        for (const Item& element : row) string += (element ? std::to_string(*element) : "-") + " ";
        string += "| ";
    }
    return string;
}

}  // namespace pelorus::testing
