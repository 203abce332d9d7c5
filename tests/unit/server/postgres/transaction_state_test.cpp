#include "server/postgres/transaction_state.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

TEST_CASE("an error ends a block, and a rollback to a savepoint goes on with it") {
    TransactionState transaction;
    transaction.fail();
    CHECK(transaction.letter() == 'I');
    transaction.begin();
    CHECK(transaction.letter() == 'T');
    transaction.savepoint("a");
    transaction.savepoint("b");
    transaction.savepoint("a");
    transaction.fail();
    CHECK(transaction.letter() == 'E');
    CHECK(transaction.rollbackTo("a") == 3);
    CHECK(transaction.letter() == 'T');
    CHECK(transaction.release("b") == 1);
    CHECK(transaction.rollbackTo("a") == 1);
    CHECK_THROWS_AS(transaction.release("b"), SqlError);
    transaction.end();
    CHECK(transaction.letter() == 'I');
    CHECK_THROWS_AS(transaction.savepoint("a"), SqlError);
}
