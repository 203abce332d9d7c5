#include "storage/row_table/reference_queue.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "runtime/append/constraint_error.h"
#include "storage/commit/stored_transaction.h"
#include "storage/rows/row_store.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

namespace {

// Accounts, and cards that belong to them by their balance: a number that is the account's id.
class CardFixture : public RowTableFixture {
public:
    void makeCards(ForeignKey::Action onDelete, bool isDeferred = false) {
        TableEntry cards = accountTable("cards");
        cards.schema = {{"id", Type::Long}, {"account", Type::Int}};
        cards.rowTable->columns = {"id", "account"};
        cards.rowTable->required = {};
        cards.rowTable->indexes = {{"cards_pkey", {"id"}, true, true, true}};
        ForeignKey key;
        key.name = "own";
        key.columns = {"account"};
        key.parentDatabase = "dfs://bank";
        key.parentTable = "accounts";
        key.parentColumns = {"id"};
        key.onDelete = onDelete;
        key.isDeferred = isDeferred;
        cards.rowTable->foreignKeys = {key};
        storage->catalog().createTable(cards);
    }
    static Ref<MemoryTable> cards(const std::vector<int64_t>& ids, const std::vector<int32_t>& accounts) {
        return makeRef<MemoryTable>(std::vector<std::string>{"id", "account"},
                                    std::vector<Value>{longVector(ids), Value::of(Vector::of(Type::Int, accounts))});
    }
    std::unique_ptr<StoredTransaction> begin() const {
        auto transaction = storage->beginTransaction({});
        transaction->beginStatement({});
        return transaction;
    }
    void eraseAccount(int64_t id, Transaction* transaction = nullptr) const {
        const Ref<RowTable> accounts = table();
        accounts->changeRows(accounts->rowsToChange({{0, Value::ofLong(id)}}, transaction), {{0}, true, {}},
                             transaction);
    }
};

}  // namespace

TEST_CASE_METHOD(CardFixture, "a row needs its parent, and a parent stays while a child refers to it") {
    makeCards(ForeignKey::Action::NoAction);
    table()->append(*accounts({1, 2}, {"a", "b"}, {1, 1}));
    const Ref<RowTable> rows = table("cards");
    rows->append(*cards({1, 2}, {1, INT32_MIN}));  // NULL refers to nothing
    CHECK_THROWS_WITH(rows->append(*cards({3}, {7})), Catch::Contains("<ForeignKeyViolation>"));
    CHECK_THROWS_WITH(eraseAccount(1), Catch::Contains("still") || Catch::Contains("<ForeignKeyViolation>"));
    eraseAccount(2);
    CHECK(table()->rowCount() == 1);
    CHECK(rows->rowCount() == 2);
    open();
    CHECK_THROWS_AS(table("cards")->append(*cards({3}, {2})), ConstraintError);
    CHECK_THROWS_AS(eraseAccount(1), ConstraintError);
}

TEST_CASE_METHOD(CardFixture, "children go with their parent, or lose it") {
    makeCards(GENERATE(ForeignKey::Action::Cascade, ForeignKey::Action::SetNull));
    table()->append(*accounts({1, 2}, {"a", "b"}, {1, 1}));
    const Ref<RowTable> rows = table("cards");
    rows->append(*cards({1, 2, 3}, {1, 2, 1}));
    const bool cascades = rows->entry().rowTable->foreignKeys[0].onDelete == ForeignKey::Action::Cascade;
    eraseAccount(1);
    CHECK(rows->rowCount() == (cascades ? 1 : 3));
    open();
    CHECK(table("cards")->rowCount() == (cascades ? 1 : 3));
    CHECK(table("cards")->check().empty());
}

TEST_CASE_METHOD(CardFixture, "a deferred key is looked at when the transaction commits, unless it is taken back") {
    makeCards(ForeignKey::Action::NoAction, true);
    const Ref<RowTable> rows = table("cards");
    {
        const auto transaction = begin();
        rows->insertRows(*cards({1}, {1}), *transaction);
        CHECK_THROWS_AS(transaction->commit(), ConstraintError);
    }
    CHECK(rows->rowCount() == 0);
    {
        const auto transaction = begin();
        rows->insertRows(*cards({1}, {1}), *transaction);
        table()->insertRows(*accounts({1}, {"a"}, {1}), *transaction);
        transaction->savepoint();
        rows->insertRows(*cards({2}, {2}), *transaction);
        transaction->rollbackTo(1);
        transaction->commit();
    }
    CHECK(rows->rowCount() == 1);
}

TEST_CASE_METHOD(CardFixture, "who erases a parent and who refers to it wait for each other") {
    makeCards(ForeignKey::Action::NoAction);
    table()->append(*accounts({1}, {"a"}, {1}));
    const Ref<RowTable> rows = table("cards");
    const auto first = begin();
    rows->insertRows(*cards({1}, {1}), *first);
    std::atomic<bool> isRefused{false};
    std::thread other([&] {
        try {
            eraseAccount(1);
        } catch (const ConstraintError&) {
            isRefused = true;
        }
    });
    while (storage->rows().locks().waiting() == 0) std::this_thread::yield();
    first->commit();
    other.join();
    CHECK(isRefused);
    // Columns that are no key may be changed by others meanwhile.
    const auto second = begin();
    rows->insertRows(*cards({2}, {1}), *second);
    const Ref<RowTable> all = table();
    CHECK(all->changeRows(all->rowsToChange({{0, Value::ofLong(1)}}), {{0}, false, {{2, doubleVector({5})}}}));
    second->commit();
    CHECK(rows->rowCount() == 2);
}
