#include "storage/commit/remove_rows.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "storage/commit/commit_path.h"
#include "storage/commit/stored_transaction.h"
#include "storage/rows/row_store.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "rows are removed after the transactions that change them have ended") {
    for (const bool keepsTable : {true, false}) {
        const Ref<RowTable> rows = table();
        rows->append(*accounts({1, 2}, {"a", "b"}, {1, 2}));
        const auto transaction = storage->beginTransaction({});
        transaction->beginStatement({});
        rows->insertRows(*accounts({3}, {"c"}, {3}), *transaction);
        std::atomic<bool> isDone{false};
        std::thread removal([&] {
            storage->commits().removeRows(rows->entry().id, keepsTable);
            isDone = true;
        });
        while (storage->rows().locks().waiting() == 0) std::this_thread::yield();
        CHECK_FALSE(isDone);
        transaction->commit();
        removal.join();
        CHECK(rows->rowCount() == 0);
    }
    open();
    CHECK(table()->rowCount() == 0);
}
