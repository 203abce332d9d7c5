#include "storage/row_table/row_table.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/table/entry_columns.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "a definition is changed where rows satisfy it, else nothing is") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"a", ""}, {1, 1}));
    const auto require = [](const std::string& column) {
        return [=](TableEntry& entry) { entry.rowTable->required.push_back(column); };
    };
    CHECK_THROWS_WITH(rows->changeDefinition(require("name")), Catch::Contains("<NullInRequired>"));
    rows->changeDefinition(require("balance"));
    CHECK_THROWS_WITH(rows->changeDefinition([](TableEntry& entry) {
        entry.rowTable->indexes.push_back({"by_balance", {"balance"}, true, false, true});
    }),
                      Catch::Contains("<DuplicateKey>"));
    CHECK(rows->entry().rowTable->indexes.size() == 1);
    rows->changeDefinition([](TableEntry& entry) {
        entry.defaults["name"] = {"'x'", ColumnDefault::Identity::None};
        entry.rowTable->indexes.push_back({"by_name", {"name"}, true, false, true});
    });
    CHECK_THROWS_WITH(rows->append(*accounts({3}, {"a"}, {3})), Catch::Contains("by_name"));
    open();
    CHECK(table()->entry().defaultOf(1).expression == "'x'");
    CHECK(table()->entry().rowTable->indexes.back().isConstraint);
    CHECK_THROWS_WITH(table()->append(*accounts({3}, {"a"}, {3})), Catch::Contains("by_name"));
    CHECK(table()->check().empty());
}

TEST_CASE("a column that is added and filled is there as a whole after a crash, or not at all") {
    using Fault = FaultyFileSystem::Fault;
    const auto addGrade = [](TableEntry& entry) {
        addColumnsTo(entry, {{"grade", Type::Int}});
        placeRowColumns(entry);
        entry.rowTable->required.push_back(entry.storedNameOf(3));
    };
    const auto sevens = [](int64_t count) {
        return std::vector<std::pair<std::string, Value>>{
            {"grade", Value::of(Vector::filled(Type::Int, count, Value::ofInt(7)))}};
    };
    int whole = 0, none = 0;
    for (int64_t n = 1; n < 60; ++n) {
        CAPTURE(n);
        RowTableFixture fixture;
        const auto ids = [] {
            std::vector<int64_t> all;
            for (int64_t i = 0; i < 50; ++i) all.push_back(i);
            return all;
        }();
        fixture.table()->append(*accounts(ids, std::vector<std::string>(50, "x"), std::vector<double>(50, 1)));
        fixture.files.breakAt(Fault::Power, n);
        bool isDone = false;
        try {
            fixture.table()->changeDefinition(addGrade, sevens);
            isDone = true;
        } catch (const Error&) {
        }
        const bool isBroken = fixture.files.isBroken();
        fixture.storage.reset();
        fixture.files.losePower(static_cast<uint64_t>(n));
        fixture.open();
        const Ref<RowTable> table = fixture.table();
        CHECK(table->rowCount() == 50);
        CHECK(table->check().empty());
        if (table->entry().schema.size() == 4) {
            ++whole;
            for (const Value& grade : columnItems(*table, 3)) CHECK(grade.asLong() == 7);
        } else {
            ++none;
            CHECK_FALSE(isDone);
            // Another column of the name begins anew.
            table->changeDefinition([](TableEntry& entry) {
                addColumnsTo(entry, {{"grade", Type::String}});
                placeRowColumns(entry);
            });
            for (const Value& grade : columnItems(*fixture.table(), 3)) CHECK(grade.isNull());
            fixture.open();
            for (const Value& grade : columnItems(*fixture.table(), 3)) CHECK(grade.isNull());
        }
        if (!isBroken) break;
    }
    CHECK(whole > 0);
    CHECK(none > 0);
}

TEST_CASE_METHOD(RowTableFixture, "a fill that a constraint refuses leaves the definition and the rows as they were") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"a", "b"}, {1, 1}));
    const auto add = [](bool isUnique, Type type) {
        return [=](TableEntry& entry) {
            addColumnsTo(entry, {{"grade", type}});
            placeRowColumns(entry);
            if (isUnique) entry.rowTable->indexes.push_back({"by_grade", {entry.storedNameOf(3)}, true, false, true});
        };
    };
    const auto filled = [](Type type, const Value& value) {
        return [=](int64_t count) {
            return std::vector<std::pair<std::string, Value>>{{"grade", Value::of(Vector::filled(type, count, value))}};
        };
    };
    CHECK_THROWS_WITH(rows->changeDefinition(add(true, Type::Int), filled(Type::Int, Value::ofInt(7))),
                      Catch::Contains("<DuplicateKey>"));
    CHECK(table()->entry().schema.size() == 3);
    CHECK(table()->check().empty());
    table()->changeDefinition(add(false, Type::String), filled(Type::String, Value::ofString("z")));
    table()->append(*makeRef<MemoryTable>(std::vector<std::string>{"id", "name", "balance", "grade"},
                                          std::vector<Value>{longVector({3}), stringVector({"c"}, Type::String),
                                                             doubleVector({1}), stringVector({"y"}, Type::String)}));
    for (int round = 0; round < 2; ++round) {
        const std::vector<Value> grades = columnItems(*table(), 3);
        REQUIRE(grades.size() == 3);
        CHECK(grades[0].string() == "z");
        CHECK(grades[2].string() == "y");
        CHECK(table()->check().empty());
        open();
    }
}

TEST_CASE_METHOD(RowTableFixture, "a change that was computed by an older definition is refused where it says so") {
    const Ref<RowTable> any = table(), bound = table();
    bound->requireRevision(bound->entry().revision);
    bound->append(*accounts({1}, {"a"}, {1}));
    table()->changeDefinition([](TableEntry& entry) {
        addColumnsTo(entry, {{"grade", Type::Int}});
        placeRowColumns(entry);
    });
    const RowAccess::Rows seen = bound->rowsToChange({});
    CHECK_THROWS_WITH(bound->append(*accounts({2}, {"b"}, {2})), Catch::Contains("<DefinitionChanged>"));
    CHECK_THROWS_WITH(bound->changeRows(seen, {{0}, true, {}}), Catch::Contains("<DefinitionChanged>"));
    any->append(*accounts({2}, {"b"}, {2}));
    CHECK(table()->rowCount() == 2);
}
