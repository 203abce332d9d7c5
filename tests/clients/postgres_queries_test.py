#!/usr/bin/env python3
"""What PostgreSQL's clients read, by psycopg: statements that sessions share, snapshots, catalog, scripts."""
import datetime
import sys
import uuid
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases
from postgres_protocol_test import PASSWORD, Client, Server, query

try:
    import psycopg
    from postgres_writes_test import connect, copy, one, state_of
except ImportError:
    print("SKIPPED tests/clients/postgres_queries_test.py (no psycopg: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

try:
    import sqlalchemy
except ImportError:
    sqlalchemy = None


def rows(connection, text):
    return connection.execute(text).fetchall()


def test_statements_that_differ_by_literals_give_their_own_rows(server):
    with connect(server) as first, connect(server) as second:
        first.execute("create table looked (id int, s text, day date, x float8, n numeric(8,2))")
        first.execute("insert into looked select i, 's' || i, date '2026-01-01' + i, i, i from generate_series(1, 50) i")
        for connection in (first, second):
            for i in (1, 7, 50):
                day = datetime.date(2026, 1, 1) + datetime.timedelta(i)
                assert rows(connection, f"select id from looked where id = {i} and s = 's{i}' and day = '{day}' and x = {i} and n = {i}") == [(i,)]
            assert one(connection, "select count(*) from looked where id in (1, 2, 99) or s between 's1' and 's10'") == 3
            assert one(connection, "select count(*) from looked where id in (1, 3, 4) or s between 's1' and 's11'") == 5
        assert state_of(lambda: first.execute("select id from looked where s = 5")) == "42883"
        assert state_of(lambda: first.execute("select id from looked where id = 'x'")) == "22P02"
        assert rows(first, "select id from looked where id = '7'") == [(7,)]
        assert rows(first, "select id from looked where id = 99999999999") == []
        assert rows(first, "select id from looked where id = 7 limit 0") == []


def test_a_shared_statement_follows_its_table(server):
    with connect(server) as reader, connect(server) as writer:
        def make(columns, values):
            writer.execute("drop table if exists shared_t")
            writer.execute(f"create table shared_t ({columns})")
            writer.execute(f"insert into shared_t values ({values})")

        def ask(a):
            return rows(reader, f"select * from shared_t where a = {a}")

        make("a int, b text", "1, 'x'")
        assert ask(1) == [(1, "x")] and ask(2) == []
        make("b int, a int", "5, 1")
        assert ask(1) == [(5, 1)]
        make("a int, at timestamp", "1, '2026-01-02 03:04:05'")
        assert ask(1)[0][1].tzinfo is None
        make("a int, at timestamptz", "1, '2026-01-02 03:04:05+00'")
        assert ask(1)[0][1].tzinfo is not None
        writer.execute("drop table shared_t")
        assert state_of(lambda: ask(1)) == "42P01"
        writer.execute("create schema other_s")
        writer.execute("create table other_s.shared_t (a text)")
        reader.execute("set search_path to other_s, public")
        assert ask("'x'") == []
        reader.execute("set search_path to public")
        assert state_of(lambda: ask("'x'")) == "42P01"


def test_a_shared_change_follows_its_table(server):
    with connect(server) as first, connect(server) as second:
        def make(columns):
            first.execute("drop table if exists changed_t")
            first.execute(f"create table changed_t ({columns}) using rows")

        def write(a, b):
            for connection in (first, second):
                connection.execute(f"insert into changed_t (a, b) values ({a}, {b})")
                a += 1
            return rows(second, "select a, b from changed_t order by a")

        make("a int primary key, b int default 3")
        for a in (1, 3, 5):
            write(a, -a)
        assert [b for _, b in rows(first, "select a, b from changed_t order by a")] == [-1, -1, -3, -3, -5, -5]
        for a in (1, 2, 3, 4):
            second.execute(f"update changed_t set b = b + {a} where a = {a}")
        assert rows(first, "select b from changed_t where a < 5 order by a") == [(0,), (1,), (0,), (1,)]
        assert state_of(lambda: write(1, 1)) == "23505"
        assert state_of(lambda: write(3000000000, 1)) == "22003"
        # The columns change places, then their types, then there is a check.
        make("b text, a int primary key")
        assert write(1, 7) == [(1, "7"), (2, "7")]
        make("a int8 primary key, b numeric(6,2)")
        assert [str(b) for _, b in write(3000000000, 1.256)] == ["1.26", "1.26"]
        make("a int primary key, b int check (b > 0)")
        write(1, 5)
        assert state_of(lambda: write(3, -5)) == "23514"
        first.execute("drop table changed_t")
        assert state_of(lambda: write(5, 5)) == "42P01"


def test_rights_are_asked_of_who_shares_a_change(server):
    server.script('createUser("cachewriter", "Writer_1234")')
    with connect(server) as owner:
        owner.execute("create schema written")
        owner.execute("create table written.t (a int primary key, b int) using rows")
        owner.execute("insert into written.t values (1, 1)")
        with connect(server, "cachewriter", "Writer_1234") as writer:
            def write(b):
                return state_of(lambda: writer.execute(f"update written.t set b = {b} where a = 1"))
            server.script('grant("cachewriter", TABLE_READ, "dfs://written/t")')
            assert [write(b) for b in (2, 3, 4)] == ["42501"] * 3
            server.script('grant("cachewriter", TABLE_UPDATE, "dfs://written/t")')
            for b in (5, 6, 7):
                writer.execute(f"update written.t set b = {b} where a = 1")
            server.script('revoke("cachewriter", TABLE_UPDATE, "dfs://written/t")')
            assert [write(b) for b in (8, 9)] == ["42501"] * 2
        assert one(owner, "select b from written.t") == 7


def test_rights_are_asked_of_who_shares_a_statement(server):
    server.script('createUser("cachereader", "Reader_1234")')
    with connect(server) as owner:
        owner.execute("create schema guarded")
        owner.execute("create table guarded.t (a int)")
        assert rows(owner, "select a from guarded.t where a = 1") == []
        with connect(server, "cachereader", "Reader_1234") as reader:
            assert state_of(lambda: reader.execute("select a from guarded.t where a = 1")) in ("42501", "42P01")
            server.script('grant("cachereader", TABLE_READ, "dfs://guarded/t")')
            assert rows(reader, "select a from guarded.t where a = 2") == []
            server.script('revoke("cachereader", TABLE_READ, "dfs://guarded/t")')
            assert state_of(lambda: reader.execute("select a from guarded.t where a = 3")) in ("42501", "42P01")


def test_a_block_at_repeatable_read_reads_one_snapshot(server):
    with connect(server) as writer, connect(server) as reader:
        writer.execute("create table moments (a int)")
        writer.execute("insert into moments values (1)")
        reader.execute("begin isolation level repeatable read")
        assert one(reader, "select count(*) from moments") == 1
        writer.execute("insert into moments values (2)")
        assert one(reader, "select count(*) from moments") == 1
        assert one(reader, "select sum(a) from moments where a > 0") == 1
        reader.execute("commit")
        assert one(reader, "select count(*) from moments") == 2
        reader.execute("begin")
        assert one(reader, "select count(*) from moments") == 2
        writer.execute("delete from moments where a = 1")
        assert one(reader, "select count(*) from moments") == 1
        reader.execute("rollback")


def test_statements_sent_together_are_rolled_back_together(server):
    with connect(server) as connection:
        connection.execute("create table together (a int)")
        client = Client(server)
        client.ask(query("insert into together values (1); rollback"))
        assert one(connection, "select count(*) from together") == 0
        client.ask(query("insert into together values (1); commit; insert into together values (2); rollback"))
        assert rows(connection, "select a from together") == [(1,)]
        client.close()


def test_returning_tells_what_was_inserted(server):
    with connect(server) as connection, connect(server, autocommit=False) as block:
        connection.execute("create table told (id int primary key, s text, n numeric(6,2))")
        assert connection.execute("insert into told values (%s, %s, 1.5), (2, null, null) returning id * 10, told.s, n", (1, "x")).fetchall()[0][:2] == (10, "x")
        assert state_of(lambda: connection.execute("insert into told values (3, 'z', 1) returning 1 / (id - 3)")) == "22012"
        assert state_of(lambda: connection.execute("insert into told values (1, 'z', 1) returning id")) == "23505"
        assert one(connection, "select count(*) from told") == 2
        assert rows(block, "insert into told (id) values (9) returning id") == [(9,)]
        block.rollback()
        assert one(connection, "select count(*) from told") == 2


def test_sessions_are_listed_by_the_names_of_their_programs(server):
    with connect(server) as connection:
        connection.execute("set application_name = 'first name'")
        pid = connection.info.backend_pid
        assert rows(connection, f"select application_name, state, usename from pg_stat_activity where pid = {pid}") == [("first name", "active", "admin")]
        connection.execute("set application_name = 'second'")
        assert rows(connection, f"select application_name from pg_stat_activity where pid = {pid}") == [("second",)]


def test_keys_are_in_the_catalog(server):
    with connect(server) as connection:
        connection.execute("create table keyed (a text, b int, c int, primary key (c, b))")
        assert rows(connection, "select conname, conkey, conrelid::regclass from pg_constraint where conrelid = 'keyed'::regclass") == [("keyed_pkey", [3, 2], "keyed")]
    if sqlalchemy is None:
        return
    engine = sqlalchemy.create_engine(f"postgresql+psycopg://admin:{PASSWORD}@127.0.0.1:{server.port}/pelorus")
    found = sqlalchemy.inspect(engine).get_pk_constraint("keyed")
    assert (found["name"], found["constrained_columns"]) == ("keyed_pkey", ["c", "b"]), found
    assert [index["name"] for index in sqlalchemy.inspect(engine).get_indexes("keyed")] == []
    engine.dispose()


def test_scripts_are_called(server):
    with connect(server) as connection:
        client = Client(server)
        assert client.rows("call pelorus('select * from table(1 2 as a, `x`y as s)')") == [("1", "x"), ("2", "y")]
        assert client.rows("call pelorus('1 + 1')") == [("2",)]
        client.close()
        assert state_of(lambda: connection.execute("call pelorus('1 +')")) == "42000"
        assert state_of(lambda: connection.execute("call nothing('1')")) == "42883"
        with connect(server, autocommit=False) as block:
            block.execute("select 1")
            assert state_of(lambda: block.execute("call pelorus('1')")) == "25001"


def test_explain_analyze_tells_rows_and_times(server):
    with connect(server) as connection:
        plan = [row[0] for row in rows(connection, "explain analyze select count(*) from generate_series(1, 5) i where i > 2")]
        assert any("rows=5" in line and "time=" in line for line in plan), plan
        assert plan[-1].startswith("Execution Time: "), plan
        assert not any("time=" in row[0] for row in rows(connection, "explain select 1"))
        assert state_of(lambda: connection.execute("explain (format json) select 1")) == "0A000"


def test_values_that_columns_do_not_have_are_refused(server):
    with connect(server) as connection:
        connection.execute("create table odd (t time, u uuid, y bytea)")
        assert state_of(lambda: connection.execute("insert into odd (t) values ('24:00')")) == "22008"
        assert state_of(lambda: copy(connection, "copy odd (t) from stdin", "24:00\n")) == "22008"
        assert state_of(lambda: connection.execute("insert into odd (u) values (%s)", (uuid.UUID(int=0),))) == "0A000"
        assert state_of(lambda: connection.execute("insert into odd (y) values ('\\x')")) == "0A000"
        head = b"PGCOPY\n\xff\r\n\0" + bytes(8)
        assert state_of(lambda: copy(connection, "copy odd (y) from stdin (format binary)", head + b"\xff\xff" + b"more")) == "22P04"
        assert state_of(lambda: connection.execute('create schema "../../x"')) == "42602"
        assert one(connection, "select count(*) from odd") == 0


if __name__ == "__main__":
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    server = Server()
    passed, failed = run_cases(cases_in(globals()), server, wanted=wanted)
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)
