#!/usr/bin/env python3
"""What PostgreSQL's clients write, by psycopg: inserts, copies, blocks; a copy that does not end stores nothing."""
import datetime
import decimal
import os
import sys
import threading
import time
import uuid
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases
from postgres_protocol_test import PASSWORD, Server

try:
    import psycopg
except ImportError:
    print("SKIPPED tests/clients/postgres_writes_test.py (no psycopg: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


def connect(server, user="admin", password=PASSWORD, autocommit=True):
    return psycopg.connect(f"host=127.0.0.1 dbname=pelorus user={user} password={password} port={server.port}", autocommit=autocommit)


def state_of(work):
    try:
        work()
    except psycopg.Error as error:
        return error.sqlstate
    return None


def one(connection, query):
    return connection.execute(query).fetchone()[0]


def copy(connection, statement, data):
    with connection.cursor() as cursor, cursor.copy(statement) as copied:
        copied.write(data)


def test_values_of_all_types_come_back(server):
    row = (7, "a\tb\\\né", 2.5, datetime.datetime(2026, 1, 2, 3, 4, 5, 678000), datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc), datetime.date(2026, 1, 2),
           decimal.Decimal("-1.235"), True, uuid.UUID(int=77), b"\0\xff", datetime.time(1, 2, 3), 5)
    with connect(server) as connection:
        connection.execute("create table types (i int8, s text, d float8, at timestamp, zoned timestamptz, day date, n numeric(10,3), b bool, u uuid, y bytea, t time, k int2)")
        connection.execute("insert into types values (" + ", ".join(["%s"] * 12) + ")", row)
        with connection.cursor() as cursor, cursor.copy("copy types from stdin") as copied:
            copied.write_row(row)
        with connection.cursor() as cursor, cursor.copy("copy types from stdin (format binary)") as copied:
            copied.set_types(["int8", "text", "float8", "timestamp", "timestamptz", "date", "numeric", "bool", "uuid", "bytea", "time", "int2"])
            copied.write_row(row)
            copied.write_row([None] * 12)
        rows = connection.execute("select * from types where i is not null").fetchall()
        assert rows == [row] * 3, rows
        assert one(connection, "select count(*) from types where s is null and n is null and u is null") == 1


def test_a_copy_that_does_not_end_stores_nothing(server):
    with connect(server) as connection:
        connection.execute("create table copied (id int, s text)")
        copy(connection, "copy copied from stdin (format csv, header, null '-')", 'id,s\n1,"x ""y"",\nz"\n2,-\n')
        assert connection.execute("select * from copied order by id").fetchall() == [(1, 'x "y",\nz'), (2, None)]
        assert state_of(lambda: copy(connection, "copy copied from stdin", "3\ta\nx\tb\n")) == "22P02"
        assert state_of(lambda: copy(connection, "copy copied (id) from stdin", "3\n4\t5\n")) == "22P04"
        try:
            with connection.cursor() as cursor, cursor.copy("copy copied from stdin") as copied:
                copied.write("3\ta\n")
                raise ValueError("the client gives up")
        except ValueError:
            pass

        cut = connect(server)
        manager = cut.cursor().copy("copy copied from stdin")
        manager.__enter__().write("3\ta\n" * 20000)
        os.close(cut.fileno())

        cancelled = connect(server)

        def wait():
            with cancelled.cursor() as cursor, cursor.copy("copy copied from stdin") as copied:
                copied.write("3\ta\n")
                cancelled.cancel()
                for _ in range(10):
                    time.sleep(0.05)
                    copied.write("3\ta\n" * 1000)

        assert state_of(wait) == "57014"
        assert one(connection, "select count(*) from copied") == 2


def test_a_block_stores_all_its_inserts_or_none(server):
    with connect(server) as reader, connect(server, autocommit=False) as writer:
        reader.execute("create table kept (id int primary key, s text)")
        writer.execute("insert into kept values (1, 'a')")
        copy(writer, "copy kept from stdin", "2\tb\n")
        assert one(reader, "select count(*) from kept") == 0
        assert state_of(lambda: writer.execute("select * from kept")) == "0A000"
        writer.rollback()
        assert one(reader, "select count(*) from kept") == 0
        with writer.transaction():
            writer.execute("insert into kept values (1, 'a')")
            assert state_of(lambda: [writer.transaction().__enter__(), writer.execute("insert into kept values (1, 'again')")]) == "23505"
        writer.rollback()
        with writer.transaction():
            writer.execute("insert into kept values (1, 'a')")
            try:
                with writer.transaction():
                    writer.execute("insert into kept values (2, 'b')")
                    writer.execute("insert into kept values ('x', 'b')")
            except psycopg.errors.InvalidTextRepresentation:
                pass
            writer.execute("insert into kept values (3, 'c')")
        writer.commit()
        assert reader.execute("select id from kept order by id").fetchall() == [(1,), (3,)]
        assert state_of(lambda: writer.execute("update kept set s = 'z'")) == "0A000"
        writer.rollback()


def test_many_rows_are_sent_before_an_answer_is_waited_for(server):
    with connect(server) as connection, connection.cursor() as cursor:
        connection.execute("create table many (id int primary key, s text)")
        cursor.executemany("insert into many values (%s, %s)", [(i, f"s{i}") for i in range(500)])
        assert cursor.rowcount == 500
        assert state_of(lambda: cursor.executemany("insert into many values (%s, %s)", [(i, "again") for i in (600, 601, 5)])) == "23505"
        assert one(connection, "select count(*) from many") == 500
        assert connection.execute("update many set s = %s where id < %s", ("new", 10)).rowcount == 10
        assert connection.execute("delete from many where s = 'new'").rowcount == 10


def test_a_prepared_statement_follows_its_table(server):
    with connect(server) as reader, connect(server) as writer:
        def ask():
            return reader.execute("select a, b from followed where a = %s", ("1",), prepare=True).fetchall()

        def make(columns, values):
            writer.execute("drop table if exists followed")
            writer.execute(f"create table followed ({columns})")
            writer.execute(f"insert into followed values ({values})")

        make("a int, b text", "1, 'x'")
        assert ask() == [(1, "x")]
        make("z float8, a int, b text", "2, 1, 'y'")
        assert ask() == [(1, "y")]
        make("a int, b int", "1, 2")
        try:
            ask()
            raise AssertionError("its columns have other types")
        except psycopg.errors.FeatureNotSupported as error:
            assert "cached plan must not change result type" in str(error)
        writer.execute("drop table followed")
        assert state_of(ask) == "42P01"


def test_of_two_inserts_of_a_key_one_fails(server):
    connect(server).execute("create table raced (id int primary key)")
    outcomes = []

    def insert():
        with connect(server) as connection:
            outcomes.append([state_of(lambda: connection.execute("insert into raced values (%s)", (i,))) for i in range(40)])

    threads = [threading.Thread(target=insert) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(sorted(map(str, states)) == ["23505", "23505", "None"] for states in zip(*outcomes)), outcomes
    with connect(server) as connection:
        assert one(connection, "select count(*) from raced") == 40


def test_row_tables_keep_their_keys(server):
    with connect(server) as connection:
        connection.execute("create table keyed_rows (id int primary key, s text unique, n numeric(8,2) not null) using rows")
        with connection.cursor().copy("copy keyed_rows from stdin") as copy:
            copy.write(b"1\ta\t1.50\n2\tb\t2.50\n")
        for statement, state in (("insert into keyed_rows values (3, 'c', 1), (1, 'd', 1)", "23505"), ("insert into keyed_rows values (3, 'a', 1)", "23505"), ("insert into keyed_rows values (3, 'c', null)", "23502"),
                                 ("update keyed_rows set id = 2 where id = 1", "23505"), ("create unique index on keyed_rows ((n + 1))", "0A000"), ("insert into keyed_rows values (1, 'x', 1) on conflict (n) do nothing", "42P10")):
            try:
                connection.execute(statement)
                raise AssertionError(statement)
            except psycopg.Error as error:
                assert error.sqlstate == state, (statement, error.sqlstate, error)
        assert connection.execute("insert into keyed_rows values (2, 'x', 1), (3, 'c', 3) on conflict do nothing returning id").fetchall() == [(3,)]
        assert connection.execute("update keyed_rows set id = 9, n = n + 1 where id = 2").rowcount == 1
        assert connection.execute("delete from keyed_rows where s = 'a'").rowcount == 1
        assert [(i, s, str(n)) for i, s, n in connection.execute("select * from keyed_rows order by id").fetchall()] == [(3, "c", "3.00"), (9, "b", "3.50")]
        connection.execute("truncate keyed_rows")
        assert connection.execute("select count(*) from keyed_rows").fetchone() == (0,)
        connection.execute("drop table keyed_rows")


def test_row_tables_return_what_they_write(server):
    with connect(server) as connection:
        connection.execute("create table returned_rows (id bigserial primary key, name text not null, n int default 5, check (n > 0)) using rows")
        with connection.cursor() as cursor:
            cursor.executemany("insert into returned_rows (name) values (%s) returning id, n", [("a",), ("b",), ("c",)], returning=True)
            given = []
            while True:
                given += cursor.fetchall()
                if not cursor.nextset():
                    break
        assert given == [(1, 5), (2, 5), (3, 5)], given
        assert connection.execute("update returned_rows set n = n * %s where id > 1 returning *", (2,)).fetchall() == [(2, "b", 10), (3, "c", 10)]
        assert connection.execute("delete from returned_rows where id = 1 returning name as gone", binary=True).fetchall() == [("a",)]
        row = connection.execute("insert into returned_rows values (2, 'x', 1) on conflict (id) do update set n = returned_rows.n + excluded.n returning n")
        assert row.fetchall() == [(11,)] and row.statusmessage == "INSERT 0 1"
        with connection.cursor() as cursor:
            for text in ("f", "c"):
                cursor.execute("insert into returned_rows (name) values (%s) returning name", (text,), prepare=True)
                assert cursor.fetchone() == (text,)
        for statement, state, constraint, column in (("insert into returned_rows values (3, 'y', 1)", "23505", "returned_rows_pkey", None), ("insert into returned_rows (name) values (null)", "23502", None, "name"),
                                                     ("update returned_rows set n = -1 where id = 3", "23514", "returned_rows_n_check", None)):
            try:
                connection.execute(statement)
                raise AssertionError(statement)
            except psycopg.Error as error:
                told = (error.sqlstate, error.diag.table_name, error.diag.constraint_name, error.diag.column_name)
                assert told == (state, "returned_rows", constraint, column), told
        copy(connection, "copy returned_rows (name) from stdin", "p\nq\n")
        assert connection.execute("select min(id), max(id), min(n) from returned_rows where name in ('p', 'q')").fetchone()[2] == 5
        assert state_of(lambda: copy(connection, "copy returned_rows (name, n) from stdin", "p\t0\n")) == "23514"
        connection.execute("drop table returned_rows")


def test_scripts_meet_checks_and_see_defaults_as_null(server):
    with connect(server) as connection:
        connection.execute("create table checked (id int primary key, n int default 5 check (n > 0)) using rows")
        server.script('t = loadTable("dfs://public", "checked"); t.append!(table(1 2 as id, 3 00i as n)); upsert!(t, table(2 3 as id, 7 8 as n))')
        for change in ("t.append!(table(4 5 as id, 1 -1 as n))", "upsert!(t, table(1 as id, 0 as n))", "update t set n = n - 7", "tableInsert(t, table(9 as id, -9 as n))"):
            try:
                server.script('t = loadTable("dfs://public", "checked"); ' + change)
                raise AssertionError(change)
            except AssertionError as error:
                assert "checked_n_check" in str(error), error
        assert connection.execute("select * from checked order by id").fetchall() == [(1, 3), (2, 7), (3, 8)]


def test_rows_that_are_inserted_beside_alter_table_get_the_default(server):
    with connect(server) as admin:
        admin.execute("create table grown (id int primary key, s text) using rows")
        admin.execute("insert into grown select g, '' from generate_series(1, 200) g")
        failed = []

        def write(first):
            try:
                with connect(server) as writer:
                    for number in range(first, first + 150):
                        writer.execute("insert into grown (id, s) values (%s, '')", (number,))
            except Exception as error:
                failed.append(error)

        writers = [threading.Thread(target=write, args=(first,)) for first in (1000, 2000)]
        for writer in writers:
            writer.start()
        for column, definition in (("a", "int default 7"), ("b", "text not null default ''"), ("c", "serial"), ("d", "int default 8 check (d > 7), add column e text default 'x'")):
            admin.execute(f"alter table grown add column {column} {definition}")
        for writer in writers:
            writer.join()
        assert not failed, failed
        assert admin.execute("select count(*), count(a), count(b), count(distinct c), count(d), count(e), count(*) filter (where s = '' and b = '') from grown").fetchall() == [(500,) * 7]


def test_numbers_come_once_though_the_node_is_killed(_):
    server = Server()
    given = set()
    try:
        for attempt in range(4):
            connection = connect(server)
            if attempt == 0:
                connection.execute("create table numbered (id serial primary key, a int) using rows")
            for _ in range(40):
                number = connection.execute("insert into numbered (a) values (1) returning id").fetchone()[0]
                assert number not in given, number
                given.add(number)
            many = threading.Thread(target=state_of, args=(lambda: connection.execute("insert into numbered (a) select x from generate_series(1, 100000) x"),))
            many.start()
            time.sleep(0.05)
            server.process.kill()
            server.process.wait()
            many.join()
            connection.close()
            server.start()
        with connect(server) as connection:
            rows = [row[0] for row in connection.execute("select id from numbered").fetchall()]
            assert len(rows) == len(set(rows)) and given <= set(rows)
    finally:
        server.stop()


def test_tables_are_made_of_queries(server):
    with connect(server) as connection:
        for method in ("rows", "columns"):
            connection.execute(f"create table made using {method} as select g as id, g * 1.5 as n, 'x' as s from generate_series(1, 3) as g")
            assert connection.execute("select * from made order by id").fetchall() == [(g, decimal.Decimal(g) * 3 / 2, "x") for g in (1, 2, 3)]
            assert connection.execute("create table if not exists made as select 1").statusmessage == "CREATE TABLE AS"
            assert state_of(lambda: connection.execute("create table made as select 1")) == "42P07"
            assert connection.execute("select id into made_too from made where id > %s", (1,)).statusmessage == "SELECT 2"
            assert one(connection, "select sum(id) from made_too") == 5
            # What cannot be filled is not made.
            assert state_of(lambda: connection.execute("create table never as select 1 / (id - 2) from made")) == "22012"
            assert state_of(lambda: connection.execute("select * from never")) == "42P01"
            assert connection.execute("create table never (a, b) as select id, s from made with no data").statusmessage == "CREATE TABLE AS"
            assert connection.execute("select a, b from never").fetchall() == []
            connection.execute("drop table made; drop table made_too; drop table never")
        # Within a block, too, the table is there at once; its query sees what the block has changed.
        connection.execute("create table seen (id int) using rows")
        connection.execute("begin; insert into seen values (7)")
        assert connection.execute("create table made_too using rows as select id from seen").statusmessage == "SELECT 1"
        with connect(server) as other:
            assert (one(other, "select count(*) from seen"), one(other, "select id from made_too")) == (0, 7)
        connection.execute("rollback")
        connection.execute("begin; create table made_again using rows as select 1 as a; drop table made_again; commit")
        connection.execute("drop table made_too; drop table seen")


def test_temporary_tables_go_with_their_session(server):
    with connect(server) as first, connect(server) as second:
        first.execute("create table hidden (a int) using rows")
        first.execute("insert into hidden values (0)")
        for number, connection in enumerate((first, second), 1):
            connection.execute("create temp table hidden (a int primary key, b serial) using rows")
            connection.execute("insert into hidden (a) values (%s), (%s)", (number, number + 10))
        for number, connection in enumerate((first, second), 1):
            assert connection.execute("select a, b from hidden order by a").fetchall() == [(number, 1), (number + 10, 2)]
            assert one(connection, "select a from pg_temp.hidden order by a limit 1") == number
            assert one(connection, "select a from public.hidden") == 0
            assert one(connection, "select relpersistence from pg_class where oid = 'hidden'::regclass") == "t"
            assert one(connection, "select current_schema()") == "public"
        connection.execute("create table other (a int)")  # is none of them
        first.execute("create temp table counted as select g from generate_series(1, 5) as g")
        assert one(first, "select count(*) from counted") == 5
        assert state_of(lambda: second.execute("select * from counted")) == "42P01"
        first.execute("create temp sequence counter")
        assert one(first, "select nextval('counter')") == 1
        assert one(first, "select pg_table_is_visible(oid) from pg_class where relname = 'counter'")
        assert not one(second, "select pg_table_is_visible(oid) from pg_class where relname = 'counter'")
        assert state_of(lambda: second.execute("select nextval('counter')")) == "42P01"
        first.execute("create temp view shown as select a + 100 as b from hidden")
        assert sorted(first.execute("select b from shown").fetchall()) == [(101,), (111,)]
        assert first.execute("select b from pg_temp.shown where b > 105").fetchall() == [(111,)]
        assert state_of(lambda: second.execute("select b from shown")) == "42P01"
        # Whose schema was dropped gets another one.
        second.execute(f"drop schema {one(first, 'select nspname from pg_namespace where oid = pg_my_temp_schema()')} cascade")
        first.execute("create temp table counted (a int)")
        first.execute("discard temp")
        assert state_of(lambda: first.execute("select * from counted")) == "42P01"
        assert one(first, "select a from hidden") == 0
        first.execute("create temp table again (a int) using rows")
        first.execute("begin; insert into again values (1)")
    with connect(server) as third:
        deadline = time.monotonic() + 20
        while one(third, "select count(*) from pg_namespace where nspname like 'pg_temp_%'") > 0:
            assert time.monotonic() < deadline, "temporary tables are left"
            time.sleep(0.02)
        assert one(third, "select a from hidden") == 0
        third.execute("drop table hidden; drop table other")


def test_who_has_no_right_writes_nothing(server):
    server.script('createUser("reader", "Reader_1234"); createUser("writer", "Writer_1234")')
    with connect(server) as connection:
        connection.execute("create schema rights")
        connection.execute("create table rights.t (a int)")
        connection.execute("insert into rights.t values (1)")
    server.script('grant("reader", TABLE_READ, "dfs://rights/t"); grant("writer", TABLE_READ, "dfs://rights/t"); grant("writer", TABLE_INSERT, "dfs://rights/t")')
    with connect(server, "reader", "Reader_1234") as reader, connect(server, "writer", "Writer_1234") as writer:
        for statement in ("insert into rights.t values (2)", "update rights.t set a = 2", "delete from rights.t", "truncate rights.t", "drop table rights.t", "create table rights.u (a int)"):
            assert state_of(lambda: reader.execute(statement)) == "42501", statement
        assert state_of(lambda: copy(reader, "copy rights.t from stdin", "2\n")) == "42501"
        writer.execute("insert into rights.t values (2)")
        assert state_of(lambda: writer.execute("delete from rights.t")) == "42501"
        assert reader.execute("select a from rights.t order by a").fetchall() == [(1,), (2,)]


if __name__ == "__main__":
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    server = Server()
    passed, failed = run_cases(cases_in(globals()), server, wanted=wanted)
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)
