#include "postgres/change/open_transaction.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("statements of a session are in its transaction from the first change on, until it ends") {
    ChangedTables tables;
    tables.run("create table t (k int primary key, v int) using rows");
    tables.run("insert into t values (1, 10)");
    OpenTransaction transaction(1);
    const auto change = [&](std::string_view text, size_t savepoints = 0) {
        const OpenTransaction::Statement statement(transaction);
        transaction.open({.savepoints = savepoints}, tables.context());
        return tables.run(text);
    };
    const auto seen = [&] {
        const OpenTransaction::Statement statement(transaction);
        return tables.rows("select v from t order by k");
    };
    CHECK_FALSE(transaction.hasChanges());
    transaction.savepoint();  // before there is a transaction: it is told when it begins
    CHECK(change("update t set v = 11 where k = 1", 1) == "UPDATE 1");
    CHECK(transaction.hasChanges());
    transaction.savepoint();
    CHECK(change("delete from t") == "DELETE 1");
    CHECK(seen().empty());
    CHECK(tables.rows("select v from t") == "10");
    transaction.rollbackTo(2);
    CHECK(seen() == "11");
    transaction.rollbackTo(1);
    CHECK(seen() == "10");
    CHECK(change("update t set v = v + 5") == "UPDATE 1");
    transaction.commit();
    CHECK(transaction.get() == nullptr);
    CHECK(tables.rows("select v from t") == "15");
    CHECK(change("delete from t") == "DELETE 1");
    transaction.rollback();
    CHECK(tables.rows("select v from t") == "15");
}

TEST_CASE("a query locks the rows that it returns, and gives them as they are") {
    ChangedTables tables;
    tables.run("create table q (k int primary key, v int) using rows");
    tables.run("insert into q values (1, 10), (2, 20), (3, 30)");
    OpenTransaction first(1), second(2);
    const auto in = [&](OpenTransaction& transaction, std::string_view query) -> std::string {
        const OpenTransaction::Statement statement(transaction);
        transaction.open({}, tables.context());
        try {
            return tables.rows(query);
        } catch (const Error& error) {
            return sqlStateOf(error);
        }
    };
    CHECK(in(first, "select k from q order by v desc limit 1 for update") == "3");
    CHECK(in(second, "select k from q order by v desc limit 1 for update nowait") == "55P03");
    CHECK(in(second, "select k, v + 1 from q order by v desc limit 1 for update skip locked") == "2|21");
    CHECK(in(second, "select k from q where v > 5 order by k offset 1 for no key update skip locked") ==
          "2");  // 3 is the first's
    CHECK(in(first, "select k from q where k = 2 for update nowait") == "55P03");
    first.rollback();
    second.rollback();
    CHECK(in(first, "select k from q where k in (1, 2) order by k for share") == "1;2");
    CHECK(in(second, "select k from q where k in (1, 2) order by k for key share nowait") == "1;2");
    CHECK(in(second, "select count(*) from q for update") == "0A000");
    CHECK(in(second, "select distinct v from q for update") == "0A000");
    CHECK(in(second, "select a.k from q a join q b on a.k = b.k for update") == "0A000");
    CHECK(tables.run("create table c (k int)") == "CREATE TABLE");
    CHECK(in(second, "select k from c for update") == "0A000");
}

TEST_CASE("advisory locks are of the session or of its transaction") {
    ChangedTables tables;
    OpenTransaction first(1), second(2);
    const AdvisoryLock lock{.number = 5, .waits = false};
    const auto advise = [&](OpenTransaction& transaction, AdvisoryVerb verb) {
        const OpenTransaction::Statement statement(transaction);
        return transaction.advise(verb, lock, {}, tables.context());
    };
    CHECK(advise(first, AdvisoryVerb::LockTransaction));
    CHECK(advise(first, AdvisoryVerb::LockSession));
    CHECK_FALSE(advise(second, AdvisoryVerb::LockSession));
    first.rollback();
    CHECK_FALSE(advise(second, AdvisoryVerb::LockTransaction));
    CHECK(advise(first, AdvisoryVerb::Unlock));
    CHECK_FALSE(advise(first, AdvisoryVerb::Unlock));
    CHECK(advise(second, AdvisoryVerb::LockSession));
    CHECK(advise(second, AdvisoryVerb::UnlockAll));
    CHECK(advise(first, AdvisoryVerb::LockSession));
}
