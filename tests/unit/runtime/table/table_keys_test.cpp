#include "runtime/table/table_keys.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/append/append_rows.h"

namespace pelorus {

namespace {

Value longs(const std::vector<int64_t>& elements) {
    return Value::of(Vector::of(Type::Long, elements));
}

Ref<MemoryTable> rowsOf(const std::vector<int64_t>& ids, const std::vector<int64_t>& times) {
    return makeRef<MemoryTable>(std::vector<std::string>{"id", "at"}, std::vector<Value>{longs(ids), longs(times)});
}

Ref<MemoryTable> latestTable() {
    Ref<MemoryTable> table = MemoryTable::empty({{"id", Type::Long, 0, ""}, {"at", Type::Long, 0, ""}});
    table->setKeys(
        std::make_unique<TableKeys>(std::vector<std::string>{"id"}, "", false, std::vector<std::string>{"at"}));
    makeStream(*table);
    return table;
}

std::vector<int64_t> timesOf(const MemoryTable& table) {
    std::vector<int64_t> times;
    for (int64_t i = 0; i < table.rowCount(); ++i) times.push_back(table.column(1).vector().asLong(i));
    return times;
}

}  // namespace

TEST_CASE("rows are kept whose time is greater than that of the newest row of their key") {
    const Ref<MemoryTable> table = latestTable();
    table->append(*rowsOf({1, 2}, {5, 6}));
    table->append(*rowsOf({1, 2, 1, 1}, {7, 6, 7, 8}));
    REQUIRE(timesOf(*table) == std::vector<int64_t>{5, 6, 7, 8});
    table->append(*rowsOf({1}, {8}));
    REQUIRE(table->rowCount() == 4);
}

TEST_CASE("of a new key only the row with the greatest time is kept") {
    const Ref<MemoryTable> table = latestTable();
    table->append(*rowsOf({3, 3, 3, 4}, {1, 9, 9, null<int64_t>}));
    REQUIRE(timesOf(*table) == std::vector<int64_t>{9, null<int64_t>});
    table->append(*rowsOf({4}, {0}));
    REQUIRE(table->rowCount() == 3);
}

TEST_CASE("newest rows are found again after a purge") {
    const Ref<MemoryTable> table = latestTable();
    table->append(*rowsOf({1}, {1}));
    table->append(*rowsOf({1}, {2}));
    table->append(*rowsOf({2}, {5}));
    table->purge(1);
    table->append(*rowsOf({1, 1}, {2, 3}));
    REQUIRE(timesOf(*table) == std::vector<int64_t>{2, 5, 3});
}

TEST_CASE("the time is one column, or a date and a time of the day") {
    const Ref<MemoryTable> table = MemoryTable::empty({{"id", Type::Long, 0, ""},
                                                       {"day", Type::Date, 0, ""},
                                                       {"clock", Type::Time, 0, ""},
                                                       {"name", Type::String, 0, ""}});
    const auto refused = [&](std::vector<std::string> times) {
        try {
            table->setKeys(std::make_unique<TableKeys>(std::vector<std::string>{"id"}, "", false, std::move(times)));
        } catch (const UserError&) {
            return true;
        }
        return false;
    };
    REQUIRE(!refused({"day", "clock"}));
    REQUIRE(!refused({"id"}));
    REQUIRE(refused({"clock", "day"}));
    REQUIRE(refused({"name"}));
    REQUIRE(refused({"none"}));
}

}  // namespace pelorus
