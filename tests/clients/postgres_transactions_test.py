#!/usr/bin/env python3
"""Transactions over row tables by PostgreSQL's clients: psycopg's and SQLAlchemy's blocks, many sessions that wait for
one row, histories without anomalies, totals that hold at each snapshot and after the node was killed."""
import os
import random
import socket
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
import histories
from cases import cases_in, run_cases
from line_protocol_test import PASSWORD, Node

try:
    import psycopg
except ImportError:
    print("SKIPPED tests/clients/postgres_transactions_test.py (no psycopg: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


def connect(node, autocommit=False, user="admin"):
    return psycopg.connect(f"host=127.0.0.1 dbname=pelorus user={user} password={PASSWORD} port={node.port} sslmode=disable", autocommit=autocommit)


def make(node, *statements):
    with connect(node, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def rows(node, query):
    with connect(node, autocommit=True) as connection:
        return connection.execute(query).fetchall()


def cut(connection):
    """Ends a connection without a word, as a client does that is gone."""
    with socket.socket(fileno=os.dup(connection.fileno())) as stream:
        stream.shutdown(socket.SHUT_RDWR)


def state_of(work):
    try:
        work()
    except psycopg.Error as error:
        return error.sqlstate
    return None


def test_blocks_of_psycopg_commit_and_roll_back(node):
    make(node, "create table p (k int primary key, v int) using rows", "create table q (k int primary key, v int) using rows")
    with connect(node) as connection:
        connection.execute("insert into p values (1, 10)")
        connection.execute("insert into q values (1, 10)")
        with connection.transaction():
            connection.execute("update p set v = 11 where k = 1")
        try:
            with connection.transaction():
                connection.execute("update p set v = 99 where k = 1")
                connection.execute("insert into q values (1, 0)")
        except psycopg.errors.UniqueViolation:
            pass
        assert connection.execute("select v from p").fetchall() == [(11,)]
        assert rows(node, "select * from p") == []
    assert rows(node, "select p.v, q.v from p join q on p.k = q.k") == [(11, 10)]
    with connect(node) as connection:
        connection.execute("delete from p")
        connection.rollback()
        assert state_of(lambda: connection.execute("insert into p values (1, 1)")) == "23505"
        assert state_of(lambda: connection.execute("select 1")) == "25P02"
        connection.rollback()
        with connection.cursor() as cursor, cursor.copy("copy p from stdin") as copy:
            copy.write_row((2, 20))
        assert connection.execute("select count(*) from p").fetchone() == (2,)
        connection.rollback()
    assert rows(node, "select count(*) from p") == [(1,)]
    with connect(node) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("select * from p")
        make(node, "update p set v = 12 where k = 1")
        assert connection.execute("select v from p").fetchone() == (11,)
        assert state_of(lambda: connection.execute("update p set v = 13 where k = 1")) == "40001"


def test_pipelines_are_one_transaction(node):
    make(node, "create table pipe (k int primary key, v int) using rows")
    with connect(node, autocommit=True) as connection:
        with connection.pipeline():
            for i in range(20):
                connection.execute("insert into pipe values (%s, 0)", (i,))
            connection.execute("update pipe set v = k")
        assert connection.execute("select sum(v) from pipe").fetchone() == (190,)

        def fail():
            with connection.pipeline():
                connection.execute("update pipe set v = 0")
                connection.execute("insert into pipe values (1, 1)")
        assert state_of(fail) == "23505"
        assert connection.execute("select sum(v) from pipe").fetchone() == (190,)


def test_sessions_of_sqlalchemy_commit_nest_and_roll_back(node):
    try:
        import sqlalchemy as sa
        from sqlalchemy.orm import Session
    except ImportError:
        print("no sqlalchemy")
        return
    make(node, "create table people (id int primary key, name text, age int) using rows")
    engine = sa.create_engine(f"postgresql+psycopg://admin:{PASSWORD}@127.0.0.1:{node.port}/pelorus?sslmode=disable")
    people = sa.Table("people", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.Text), sa.Column("age", sa.Integer))
    with Session(engine) as session, session.begin():
        session.execute(sa.insert(people), [{"id": 1, "name": "ann", "age": 30}, {"id": 2, "name": "ben", "age": 40}])
        session.execute(sa.update(people).where(people.c.id == 1).values(age=people.c.age + 1))
        nested = session.begin_nested()
        session.execute(sa.delete(people))
        nested.rollback()
    with Session(engine) as session:
        locked = session.execute(sa.select(people).where(people.c.id == 1).with_for_update()).one()
        assert locked.age == 31
        other = sa.create_engine(engine.url, pool_size=1)
        with other.connect() as second:
            try:
                second.execute(sa.select(people).where(people.c.id == 1).with_for_update(nowait=True))
                raise AssertionError("the row is locked")
            except sa.exc.OperationalError as error:
                assert error.orig.sqlstate == "55P03"
            second.rollback()
            free = second.execute(sa.select(people.c.id).order_by(people.c.id).with_for_update(skip_locked=True)).scalars().all()
            assert free == [2], free
        session.execute(sa.update(people).where(people.c.id == 1).values(age=32))
        session.rollback()
        other.dispose()
    with engine.connect() as connection:
        assert connection.execute(sa.select(people.c.age).order_by(people.c.id)).scalars().all() == [31, 40]
    engine.dispose()


def test_of_many_sessions_that_wait_for_one_row_each_ends_in_its_way(node):
    waiting = 105
    make(node, "create table hot (k int primary key, v int) using rows", "insert into hot values (1, 0)")
    holder = connect(node)
    holder.execute("update hot set v = v + 1 where k = 1")
    ended, sessions, guard = [], {}, threading.Lock()

    def work(number):
        state = None
        try:
            connection = connect(node)
            with guard:
                sessions[number] = connection
            if number == 1:
                connection.execute("set lock_timeout = '300ms'")
            connection.execute("update hot set v = v + 1 where k = 1")
            connection.commit()
            connection.close()
        except psycopg.Error as error:
            state = error.sqlstate or "gone"
        with guard:
            ended.append((number, state))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(waiting)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    while len(ended) < 1 or len(sessions) < waiting:
        assert time.monotonic() < deadline, (len(sessions), ended)
        time.sleep(0.05)
    time.sleep(0.5)
    sessions[2].cancel()
    cut(sessions[3])
    while len(ended) < 3:
        assert time.monotonic() < deadline, ended
        time.sleep(0.05)
    assert dict(ended)[1] == "55P03" and dict(ended)[2] == "57014" and dict(ended)[3] == "gone", ended
    holder.commit()
    for thread in threads:
        thread.join(60)
    others = [state for number, state in ended if number > 3 or number == 0]
    assert others == [None] * (waiting - 3), ended
    # The one that was cut may have had its turn before the node saw it: it has not committed.
    assert rows(node, "select v from hot") == [(waiting - 3 + 1,)]
    holder.close()


def test_a_block_changes_row_tables_and_tables_of_columns_at_once(node):
    make(node, "create table stock (k int primary key, n int) using rows", "insert into stock values (1, 100), (2, 100)",
         "create table sales (k int, n int, note text)", "create table bills (id int primary key, n int)")
    with connect(node) as connection:
        connection.execute("update stock set n = n - 5 where k = 1")
        connection.execute("insert into sales values (1, 5, 'first')")
        with connection.cursor() as cursor, cursor.copy("copy sales from stdin") as copy:
            for i in range(50):
                copy.write_row((2, i, "copied"))
        connection.execute("savepoint a")
        connection.execute("insert into sales values (1, 7, 'taken back')")
        connection.execute("update stock set n = 0 where k = 2")
        connection.execute("rollback to a")
        connection.execute("insert into stock values (3, 3)")
        assert state_of(lambda: rows(node, "select count(*) from sales")) is None
        assert rows(node, "select count(*) from sales") == [(0,)] and rows(node, "select sum(n) from stock") == [(200,)]
    assert rows(node, "select count(*), count(distinct note) from sales") == [(51, 2)]
    assert rows(node, "select k, n from stock order by k") == [(1, 95), (2, 100), (3, 3)]
    # The rows of either kind keep those of the other out.
    make(node, "insert into bills values (1, 1)")
    connection = connect(node)
    connection.execute("insert into bills values (2, 2)")
    connection.execute("update stock set n = 1 where k = 1")
    make(node, "insert into bills values (2, 0)")
    assert state_of(connection.commit) == "23505"
    connection.rollback()
    connection.execute("insert into bills values (3, 3)")
    assert state_of(lambda: connection.execute("insert into stock values (3, 9)")) == "23505"
    connection.rollback()
    connection.execute("select n from stock where k = 1 for update")
    connection.execute("insert into bills values (4, 4)")
    assert state_of(lambda: make(node, "set lock_timeout = 50", "update stock set n = 2 where k = 1")) == "55P03"
    connection.commit()
    connection.execute("update stock set n = 2 where k = 1")
    connection.execute("insert into bills values (5, 5)")
    connection.rollback()
    connection.close()
    assert rows(node, "select id from bills order by id") == [(1,), (2,), (4,)]
    assert rows(node, "select n from stock where k = 1") == [(95,)]
    # Whoever reads both sees the same commits of each, also after the node was killed.
    make(node, "create table moved (n int)", "update stock set n = 0")
    over = threading.Event()

    def move(seed):
        draw = random.Random(seed)
        try:
            with connect(node) as own:
                while not over.is_set():
                    n = draw.randrange(1, 9)
                    own.execute("update stock set n = n + %s where k = 1", (n,))
                    own.execute("insert into moved values (%s)", (n,))
                    own.commit() if draw.randrange(4) else own.rollback()
        except psycopg.OperationalError:
            pass  # the node was killed

    for _ in range(2):
        over.clear()
        movers = [threading.Thread(target=move, args=(seed,), daemon=True) for seed in range(3)]
        for mover in movers:
            mover.start()
        for _ in range(150):
            assert rows(node, "select (select sum(n) from stock where k = 1) - (select coalesce(sum(n), 0) from moved)") == [(0,)]
        node.kill()
        over.set()
        for mover in movers:
            mover.join()
        node.start()
        assert rows(node, "select (select sum(n) from stock where k = 1) - (select coalesce(sum(n), 0) from moved)") == [(0,)]
    assert rows(node, "select count(*) > 0 from moved") == [(True,)]


def test_the_checker_of_histories_convicts_planted_faults():
    good = [[("append", 1, 1)], [("r", 1, [1]), ("append", 1, 2)], [("r", 1, [1, 2])]]
    assert histories.faults(good, set(), True) == []
    lost = [[("r", 1, []), ("append", 1, 1)], [("r", 1, []), ("append", 1, 2)], [("r", 1, [1, 2])]]
    assert histories.faults(lost, set(), True)
    assert histories.faults(lost, set(), False) == []
    half = [[("append", 1, 1), ("append", 2, 1)], [("r", 1, [1]), ("r", 2, [])], [("r", 2, [1])]]
    assert histories.faults(half, set(), True)
    back = [[("append", 1, 1)], [("r", 1, [1]), ("r", 1, [])]]
    assert histories.faults(back, set(), True) and histories.faults(back, set(), False)
    dirty = [[("r", 1, [7])]]
    assert histories.faults(dirty, {(1, 7)}, False)
    torn = [[("r", 1, [1, 2])], [("r", 1, [2, 1])], [("append", 1, 1)], [("append", 1, 2)]]
    assert histories.faults(torn, set(), False)
    skew = [[("r", 1, []), ("append", 2, 1)], [("r", 2, []), ("append", 1, 1)], [("r", 1, [1]), ("r", 2, [1])]]
    assert histories.faults(skew, set(), True) == []  # a snapshot allows it


def append_lists(node, table, level, seconds, sessions, keys):
    """Appends to lists and reads them from many sessions. Returns the transactions that committed, and values of others."""
    committed, aborted, counter, guard = [], set(), iter(range(1, 10**9)), threading.Lock()
    end = time.monotonic() + seconds

    def work(seed):
        draw = random.Random(seed)
        with connect(node) as connection:
            connection.isolation_level = level
            while time.monotonic() < end:
                done, is_committed = [], False
                try:
                    for _ in range(draw.randint(1, 4)):
                        key = draw.randrange(keys)
                        if draw.random() < 0.5:
                            value = connection.execute(f"select v from {table} where k = %s", (key,)).fetchone()[0]
                            done.append(("r", key, [int(each) for each in value.split(",")[1:]]))
                        else:
                            with guard:
                                value = next(counter)
                            done.append(("append", key, value))
                            connection.execute(f"update {table} set v = v || %s where k = %s", (f",{value}", key))
                    if draw.random() < 0.1:
                        connection.rollback()
                    else:
                        connection.commit()
                        is_committed = True
                except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                    connection.rollback()
                with guard:
                    if is_committed:
                        committed.append(done)
                    else:
                        aborted.update((key, value) for kind, key, value in done if kind == "append")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    final = [("r", key, [int(each) for each in value.split(",")[1:]]) for key, value in rows(node, f"select k, v from {table}")]
    committed.append(final)
    return committed, aborted


def test_histories_of_lists_have_no_anomaly_of_their_level(node):
    for name, level, is_snapshot in (("lists_c", psycopg.IsolationLevel.READ_COMMITTED, False), ("lists_r", psycopg.IsolationLevel.REPEATABLE_READ, True)):
        make(node, f"create table {name} (k int primary key, v text) using rows", f"insert into {name} values (0, 'x'), (1, 'x'), (2, 'x'), (3, 'x'), (4, 'x')")
        committed, aborted = append_lists(node, name, level, 4, 16, 5)
        wrong = histories.faults(committed, aborted, is_snapshot)
        longest, _ = histories.version_orders(committed)
        wrong += [f"lost: {each}" for each in histories.lost_appends(committed, longest)]
        print(f"{name}: {len(committed)} committed, {len(aborted)} values taken back")
        assert not wrong, wrong[:5]
        assert len(committed) > 50, len(committed)
    node.run('wrong = checkTables("dfs://public"); if (size(wrong) > 0) throw string(exec first(damage) from wrong)')


def transfer(node, number, draw, told, is_over):
    """Moves amounts between accounts of two tables, with a line in a third, until the node is gone."""
    try:
        with connect(node) as connection:
            while not is_over.is_set():
                number += 1000
                a, b, amount = draw.randrange(8), draw.randrange(8), draw.randint(1, 9)
                source, target = draw.sample(["left_accounts", "right_accounts"], 2)
                try:
                    connection.execute(f"update {source} set v = v - %s where k = %s", (amount, a))
                    connection.execute(f"update {target} set v = v + %s where k = %s", (amount, b))
                    connection.execute("insert into moves values (%s, %s)", (number, amount))
                    connection.commit()
                    told.append(number)
                except psycopg.errors.DeadlockDetected:
                    connection.rollback()
    except psycopg.OperationalError:
        pass


def total(connection):
    return connection.execute("select (select sum(v) from left_accounts) + (select sum(v) from right_accounts)").fetchone()[0]


def test_totals_hold_at_each_snapshot_and_after_the_node_was_killed(node):
    accounts = ", ".join(f"({i}, 100)" for i in range(8))
    make(node, "create table left_accounts (k int primary key, v int) using rows", "create table right_accounts (k int primary key, v int) using rows", "create table moves (id int primary key, amount int) using rows",
         f"insert into left_accounts values {accounts}", f"insert into right_accounts values {accounts}")
    told, wrong = [], []

    def read(is_over):
        try:
            with connect(node) as connection:
                connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
                while not is_over.is_set():
                    if (sum_now := total(connection)) != 1600:
                        wrong.append(sum_now)
                    connection.rollback()
        except psycopg.OperationalError:
            pass

    for round_number in range(4):
        is_over = threading.Event()
        threads = [threading.Thread(target=transfer, args=(node, round_number * 1_000_000 + i, random.Random(round_number * 10 + i), told, is_over)) for i in range(6)]
        threads.append(threading.Thread(target=read, args=(is_over,)))
        for thread in threads:
            thread.start()
        time.sleep(1.5)
        node.kill()
        is_over.set()
        for thread in threads:
            thread.join(30)
        node.start()
        with connect(node, autocommit=True) as connection:
            assert total(connection) == 1600
            there = {number for (number,) in connection.execute("select id from moves")}
        missing = [number for number in told if number not in there]
        assert not missing, f"{len(missing)} of {len(told)} transfers that were told are gone"
        node.run('wrong = checkTables("dfs://public"); if (size(wrong) > 0) throw string(exec first(damage) from wrong)')
    print(f"{len(told)} transfers")
    assert not wrong, wrong[:5]
    assert len(told) > 20


def test_commits_that_do_not_wait_for_the_disk_keep_their_order(node):
    make(node, "create table later (k int primary key) using rows")
    with connect(node, autocommit=True) as connection:
        assert connection.execute("show synchronous_commit").fetchone() == ("on",)
        for value in ("local", "remote_write", "remote_apply", "on", "off"):
            connection.execute(f"set synchronous_commit = {value}")
            assert connection.execute("show synchronous_commit").fetchone() == (value,)
        assert state_of(lambda: connection.execute("set synchronous_commit = sometimes")) == "22023"
    with connect(node) as connection:
        connection.execute("set local synchronous_commit = off")
        connection.execute("insert into later values (0)")
        connection.commit()
        assert connection.execute("show synchronous_commit").fetchone() == ("on",)
    told = 0

    def write():
        nonlocal told
        try:
            with connect(node, autocommit=True) as own:
                own.execute("set synchronous_commit = off")
                for k in range(1, 1_000_000):
                    own.execute("insert into later values (%s)", (k,))
                    told = k
        except psycopg.OperationalError:
            pass  # the node was killed

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    deadline = time.monotonic() + 30
    while told < 300:
        assert time.monotonic() < deadline, told
        time.sleep(0.01)
    node.kill()
    writer.join(30)
    node.start()
    count, last = rows(node, "select count(*), max(k) from later")[0]
    # The machine has not lost what was written: all that was told is there.
    assert count == last + 1 and last >= told, (count, last, told)


def test_constraints_are_checked_when_the_transaction_says(node):
    make(node, "create table owners (id int primary key) using rows",
         "create table things (id int primary key, owner int constraint thing_owner references owners deferrable initially immediate, parent int constraint thing_parent references things) using rows")
    with connect(node) as connection:
        connection.execute("set constraints all deferred")
        connection.execute("insert into things values (1, 1, null)")
        assert state_of(lambda: connection.execute("set constraints thing_owner immediate")) == "23503"
        connection.rollback()
        connection.execute("set constraints thing_owner deferred")
        connection.execute("insert into things values (1, 1, null)")
        connection.execute("insert into owners values (1)")
        connection.execute("set constraints all immediate")
        assert state_of(lambda: connection.execute("insert into things values (2, 2, null)")) == "23503"
        connection.rollback()
        # Only those that may be deferred are, and the next transaction begins anew.
        connection.execute("set constraints all deferred")
        assert state_of(lambda: connection.execute("insert into things values (1, null, 9)")) == "23503"
        connection.rollback()
        assert state_of(lambda: connection.execute("insert into things values (1, 1, null)")) == "23503"
        connection.rollback()
        for statement, state in (("thing_parent deferred", "42809"), ("nobody immediate", "42704"), ("things_pkey deferred", "42809"), ("thing_parent immediate", None)):
            assert state_of(lambda: connection.execute(f"set constraints {statement}")) == state, statement
            connection.rollback()
        connection.execute("set constraints all deferred")
        connection.execute("insert into things values (1, 1, null)")
        assert state_of(connection.commit) == "23503"
    make(node, "set constraints all deferred")
    assert rows(node, "select count(*) from things") == [(0,)]


def test_arrays_become_rows_of_an_insert(node):
    make(node, "create table many (a int primary key, b text, c numeric(8,2)) using rows",
         "insert into many (a, b, c) select * from unnest(('{1,2,3}')::int[], ('{x,NULL,\"a b\"}')::varchar[], ('{1.5,2}')::numeric(8,2)[])")
    assert [(a, b, None if c is None else float(c)) for a, b, c in rows(node, "select * from many order by a")] == [(1, "x", 1.5), (2, None, 2.0), (3, "a b", None)]
    assert rows(node, "select u.p, u.q from unnest(array[1, 2], array['x']) as u(p, q)") == [(1, "x"), (2, None)]
    assert rows(node, "select a, q from many, unnest(array[a, a + 10], array[b]) as u(p, q) where p > 10 and a < 3 order by a") == [(1, None), (2, None)]


def test_a_drop_waits_for_who_has_changed_the_table(node):
    make(node, "create table wanted (k int primary key) using rows")
    with connect(node) as owner, connect(node, autocommit=True) as other:
        owner.execute("insert into wanted values (1)")
        ended = []
        dropping = threading.Thread(target=lambda: ended.append(state_of(lambda: other.execute("drop table wanted"))))
        dropping.start()
        dropping.join(0.3)
        assert dropping.is_alive() and owner.execute("select k from wanted").fetchall() == [(1,)]
        owner.commit()
        dropping.join(20)
        assert ended == [None]
        assert state_of(lambda: owner.execute("select k from wanted")) == "42P01"


def test_an_idle_transaction_ends_and_frees_its_rows(node):
    make(node, "create table idle (k int primary key) using rows", "insert into idle values (1)")
    forgotten = connect(node)
    forgotten.execute("set idle_in_transaction_session_timeout = '200ms'")
    forgotten.execute("delete from idle")
    began = time.monotonic()
    make(node, "update idle set k = 2 where k = 1")
    assert time.monotonic() - began < 10
    assert rows(node, "select k from idle") == [(2,)]
    forgotten.close()
    left = connect(node)
    left.execute("delete from idle")
    cut(left)
    make(node, "update idle set k = 3 where k = 2")
    assert rows(node, "select k from idle") == [(3,)]


def main():
    node = Node()
    try:
        cases = [case for case in cases_in(globals()) if case is not test_the_checker_of_histories_convicts_planted_faults]
        passed, failed = run_cases([test_the_checker_of_histories_convicts_planted_faults])
        more = run_cases(cases, node, wanted="".join(sys.argv[2:3]))
    finally:
        status = node.stop()
    passed, failed = passed + more[0], failed + more[1] + (status != 0)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
