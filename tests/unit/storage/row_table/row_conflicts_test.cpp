#include "storage/row_table/row_table.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "storage/commit/stored_transaction.h"
#include "storage/rows/row_store.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "rows with the keys of others are found, and changed with new ones together") {
    const Ref<RowTable> rows = table();
    const auto given = accounts({1, 5, 5, 2}, {"n", "m", "o", "p"}, {10, 50, 51, 20});
    const auto begin = [&] {
        auto transaction = storage->beginTransaction({});
        transaction->beginStatement({});
        return transaction;
    };
    CHECK(rows->findConflicts(*given, {"id"}, *begin()).of == std::vector<int32_t>{-1, -1, -1, -1});
    rows->append(*accounts({1, 2, 3}, {"a", "b", "c"}, {1, 2, 3}));
    const auto first = begin();
    const RowAccess::Conflicts met = rows->findConflicts(*given, {"id"}, *first);
    CHECK(met.of == std::vector<int32_t>{0, -1, -1, 1});
    CHECK(met.earlier == std::vector<int32_t>{0, 1, 1, 3});
    CHECK(met.there.rows->rowCount() == 2);
    CHECK_THROWS_WITH(rows->findConflicts(*given, {"name"}, *first), Catch::Contains("<NoSuchKey>"));
    const RowAccess::RowUpdate update{{0, 1}, false, {{2, doubleVector({11, 22})}}};
    // What was found is locked until the transaction ends.
    std::atomic<bool> isErased{false};
    std::thread other([&] {
        isErased = rows->changeRows(rows->rowsToChange({columnEquals(0, Value::ofLong(1))}), {{0}, true, {}});
    });
    while (storage->rows().locks().waiting() == 0) std::this_thread::yield();
    CHECK(rows->insertAndChange({*given, {1}, {"id"}}, met.there, update, *first));
    first->commit();
    other.join();
    CHECK_FALSE(isErased);  // the row has changed since it was seen
    CHECK(accountRows(*rows) == AccountRows{{1, {"a", 11}}, {2, {"b", 22}}, {3, {"c", 3}}, {5, {"m", 50}}});
    // The key is taken since.
    const auto second = begin();
    const RowAccess::Conflicts none = rows->findConflicts(*accounts({9}, {"n"}, {1}), {"id"}, *second);
    rows->append(*accounts({9}, {"other"}, {1}));
    CHECK_FALSE(rows->insertAndChange({*accounts({9}, {"n"}, {1}), {0}, {"id"}}, none.there, {}, *second));
    CHECK(rows->findConflicts(*accounts({9}, {"n"}, {1}), {"id"}, *second).of == std::vector<int32_t>{0});
    second->rollback();
    CHECK(rows->check().empty());
    open();
    CHECK(table()->rowCount() == 5);
}
