#include "storage/row_table/row_snapshot.h"

#include <catch2/catch.hpp>

#include "storage/commit/stored_transaction.h"
#include "storage/rows/row_store.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

namespace {

const std::vector<ColumnConstraint> kSecond = {columnEquals(0, Value::ofLong(2))};

const IndexedSnapshot& indexed(const std::shared_ptr<TableSnapshot>& snapshot) {
    return dynamic_cast<const IndexedSnapshot&>(*snapshot);
}

// Returns the balances that an index finds; nothing where none does.
std::optional<std::vector<double>> found(const std::shared_ptr<TableSnapshot>& snapshot,
                                         const std::vector<ColumnConstraint>& constraints) {
    const auto reader = indexed(snapshot).find(0, constraints);
    if (!reader) return {};
    std::vector<double> balances;
    for (int block = 0; block < reader->blockCount(); ++block) {
        const Value column = reader->read(block, 2);
        for (int64_t i = 0; i < column.size(); ++i) balances.push_back(column.at(i).asDouble());
    }
    CHECK(static_cast<int64_t>(balances.size()) == reader->rowCount());
    return balances;
}

}  // namespace

TEST_CASE_METHOD(RowTableFixture, "a look-up gives the version of its snapshot, also of a row whose key was changed") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2, 3}, {"ann", "bob", "cy"}, {10, 20, 30}));
    const auto before = rows->takeSnapshot();
    REQUIRE(
        rows->changeRows(rows->rowsToChange(kSecond), {{0}, false, {{0, longVector({5})}, {2, doubleVector({21})}}}));
    const auto after = rows->takeSnapshot();
    const std::vector<ColumnConstraint> fifth = {columnEquals(0, Value::ofLong(5))};
    CHECK(found(before, kSecond) == std::vector<double>{20});
    CHECK(found(after, fifth) == std::vector<double>{21});
    // The entry of another version leads to the row, too: its reader asks the condition again.
    CHECK(found(before, fifth) == std::vector<double>{20});
    CHECK(indexed(before).lookUp(fifth, {2})->at(0).size() == 0);
    CHECK(indexed(after).lookUp(kSecond, {2})->at(0).size() == 0);
    CHECK(indexed(after).lookUp(fifth, {2})->at(0).at(0).asDouble() == 21);
    CHECK_FALSE(found(after, {columnEquals(2, Value::ofDouble(20))}));  // no index has the column
}

TEST_CASE_METHOD(RowTableFixture, "an index says which columns it is of, and many rows are left to a scan") {
    const Ref<RowTable> rows = table();
    CHECK_FALSE(indexed(rows->takeSnapshot()).indexFor(kSecond));  // there are no rows
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < 3000; ++i) ids.push_back(i);
    rows->append(*accounts(ids, std::vector<std::string>(3000, "x"), std::vector<double>(3000, 1)));
    const auto snapshot = rows->takeSnapshot();
    const auto index = indexed(snapshot).indexFor(kSecond);
    REQUIRE(index);
    CHECK(index->name == "accounts_pkey");
    CHECK(index->columns == std::vector<int>{0});
    ColumnConstraint most;
    most.column = 0;
    most.low = Value::ofLong(100);
    CHECK_FALSE(found(snapshot, {most}));
    most.low = Value::ofLong(2500);
    CHECK(found(snapshot, {most})->size() == 500);
}

TEST_CASE_METHOD(RowTableFixture, "the first look-up after a start makes the indexes") {
    table()->append(*accounts({1, 2, 3}, {"ann", "bob", "cy"}, {10, 20, 30}));
    open();
    const Ref<RowTable> rows = table();
    const auto snapshot = rows->takeSnapshot();
    CHECK(indexed(snapshot).indexFor(kSecond));  // asking makes none
    CHECK(dynamic_cast<const RowSnapshot&>(*snapshot).rows()->part->indexes()->empty());
    CHECK(found(snapshot, kSecond) == std::vector<double>{20});
    CHECK(dynamic_cast<const RowSnapshot&>(*snapshot).rows()->part->indexes()->size() == 1);
    rows->append(*accounts({4}, {"dee"}, {40}));
    CHECK(found(rows->takeSnapshot(), {columnEquals(0, Value::ofLong(4))}) == std::vector<double>{40});
    CHECK(rows->check().empty());
}

TEST_CASE_METHOD(RowTableFixture, "indexes are not made while another defines the table") {
    table()->append(*accounts({1, 2}, {"ann", "bob"}, {10, 20}));
    open();
    const Ref<RowTable> rows = table();
    const auto definer = storage->beginTransaction({});
    definer->lockTable(rows->entry().id, LockMode::AccessExclusive);
    CHECK_FALSE(found(rows->takeSnapshot(), kSecond));
    definer->rollback();
    CHECK(found(rows->takeSnapshot(), kSecond) == std::vector<double>{20});
}
