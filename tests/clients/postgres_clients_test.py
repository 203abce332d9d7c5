#!/usr/bin/env python3
"""PostgreSQL's own clients, unmodified: psql, psycopg, pg8000 and SQLAlchemy, as far as they are installed."""
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases
from postgres_protocol_test import PASSWORD, Server

try:
    import psycopg
except ImportError:
    psycopg = None
try:
    import pg8000.native
except ImportError:
    pg8000 = None
try:
    import sqlalchemy
except ImportError:
    sqlalchemy = None
PSQL = shutil.which("psql")
ADDRESS = "host=127.0.0.1 user=admin password=" + PASSWORD + " dbname=pelorus port="


def psql(server, *commands, **environment):
    arguments = [PSQL, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", ADDRESS + str(server.port)]
    for command in commands:
        arguments += ["-c", command]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, env={**os.environ, **environment})
    return done.stdout + done.stderr


def test_psql_asks(server):
    assert psql(server, "select 1 + 1") == "2\n"
    assert psql(server, "show server_encoding") == "UTF8\n"
    assert psql(server, "begin", "select 'a' as x, null as y", "commit") == "a|\n"
    assert psql(server, "select 1", PGSSLMODE="require") == "1\n"
    assert psql(server, "select 1", PGSSLMODE="disable") == "1\n"
    answer = psql(server, "select nothing_here")
    assert "ERROR:" in answer and "LINE 1: select nothing_here" in answer and "^" in answer, answer
    assert psql(server, "copy (select 1 as a, 'x,y' as b) to stdout with (format csv, header)") == 'a,b\n1,"x,y"\n'


def test_psql_is_told_why_it_may_not_enter(server):
    answer = subprocess.run([PSQL, "-X", f"host=127.0.0.1 port={server.port} user=admin password=wrong dbname=pelorus"], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, timeout=60)
    assert answer.returncode == 2 and 'FATAL:  password authentication failed for user "admin"' in answer.stderr, answer.stderr
    answer = subprocess.run([PSQL, "-X", f"host=127.0.0.1 port={server.port} user=admin password={PASSWORD}"], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, timeout=60)
    assert 'FATAL:  database "admin" does not exist' in answer.stderr, answer.stderr
    time.sleep(0.3)  # the delay after a wrong one


def test_psycopg_reads(server):
    with psycopg.connect(ADDRESS + str(server.port)) as connection:
        assert connection.execute("select 1 + 1, 'é', null").fetchall() == [(2, "é", None)]
        assert connection.execute("select %s::int + 1, %s::text", (41, "x")).fetchone() == (42, "x")
        for _ in range(7):  # named from the sixth on
            assert connection.execute("select %s::int8", (5,), prepare=True).fetchone() == (5,)
        with connection.cursor(binary=True) as cursor:
            assert cursor.execute("select 7, 1.5::float8, true").fetchone() == (7, 1.5, True)
        with connection.cursor("named") as cursor:
            cursor.execute("select * from generate_series(1, 10) as g")
            assert [row[0] for row in cursor.fetchmany(4)] == [1, 2, 3, 4]
            assert len(cursor.fetchall()) == 6
        with connection.pipeline():
            first, second = connection.execute("select 1"), connection.execute("select 2")
            assert (first.fetchone(), second.fetchone()) == ((1,), (2,))
        with connection.cursor() as cursor, cursor.copy("copy (select 1, 'a') to stdout") as copied:
            assert list(copied.rows()) == [("1", "a")]
        with connection.cursor() as cursor, cursor.copy("copy (select 1, 'a' from generate_series(1, 2)) to stdout (format binary)") as copied:
            copied.set_types(["int4", "text"])
            assert list(copied.rows()) == [(1, "a"), (1, "a")]


def test_psycopg_is_told_an_error_amid_a_pipeline(server):
    with psycopg.connect(ADDRESS + str(server.port), autocommit=True) as connection, connection.pipeline() as pipeline:
        for _ in range(3):
            first = connection.execute("select 1")
            try:
                connection.execute("select nothing_here").fetchone()
                raise AssertionError("no error")
            except psycopg.errors.UndefinedColumn:
                pass
            try:
                connection.execute("select 2").fetchone()
                raise AssertionError("no error")
            except psycopg.errors.PipelineAborted:
                pass
            pipeline.sync()
            assert first.fetchone() == (1,)


def test_psycopg_sets_by_a_function(server):
    with psycopg.connect(ADDRESS + str(server.port)) as connection:
        for name, value, shown in (("timezone", "Asia/Tokyo", "2026-01-01 09:00:00+09"), ("timezone", "-02:00", "2026-01-01 02:00:00+02")):
            assert connection.execute("select set_config(%s, %s, false)", (name, value)).fetchone() == (value,)
            assert connection.execute("select '2026-01-01 00:00:00Z'::timestamptz::text, current_setting('timezone')").fetchone()[1] == value
            assert connection.pgconn.parameter_status(b"TimeZone").decode() == value
            with connection.cursor() as cursor, cursor.copy("copy (select '2026-01-01 00:00:00Z'::timestamptz) to stdout") as copied:
                assert b"".join(copied).decode() == shown + "\n"
        connection.execute("select set_config('timezone', 'UTC', true)")
        connection.rollback()
        try:
            connection.execute("select set_config('nonsense', '', false)")
            raise AssertionError("no error")
        except psycopg.errors.UndefinedObject:
            pass


def test_psycopg_keeps_transactions(server):
    with psycopg.connect(ADDRESS + str(server.port)) as connection:
        try:
            with connection.transaction():
                with connection.transaction(), connection.cursor() as cursor:
                    cursor.execute("select nothing_here")
            raise AssertionError("no error")
        except psycopg.errors.UndefinedColumn:
            pass
        assert connection.execute("select 1").fetchone() == (1,)
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        connection.rollback()


LONG = "select count(*) from generate_series(1, 40000) as a(x), generate_series(1, 40000) as b(y) where x + y < 0"


def test_psycopg_cancels(server):
    with psycopg.connect(ADDRESS + str(server.port), autocommit=True) as connection:
        stop = threading.Timer(0.5, connection.cancel)
        stop.start()
        try:
            connection.execute(LONG)
            raise AssertionError("it ended")
        except psycopg.errors.QueryCanceled:
            pass
        finally:
            stop.join()
        connection.execute("set statement_timeout = 300")
        try:
            connection.execute(LONG)
            raise AssertionError("it ended")
        except psycopg.errors.QueryCanceled as error:
            assert "statement timeout" in str(error)


def test_pg8000_reads(server):
    connection = pg8000.native.Connection("admin", host="127.0.0.1", port=server.port, database="pelorus", password=PASSWORD)
    assert connection.run("select 1, 'a'") == [[1, "a"]]
    assert connection.run("select cast(:n as int) + 1", n=1) == [[2]]
    connection.close()


def test_sqlalchemy_connects(server):
    engine = sqlalchemy.create_engine(f"postgresql+pg8000://admin:{PASSWORD}@127.0.0.1:{server.port}/pelorus")
    with engine.connect() as connection:
        assert connection.execute(sqlalchemy.text("select 1 as n")).all() == [(1,)]
        with connection.begin_nested():
            assert connection.execute(sqlalchemy.text("select cast(:x as int)"), {"x": 3}).scalar() == 3
    engine.dispose()


def test_sqlalchemy_makes_fills_and_reflects_tables(server):
    engine = sqlalchemy.create_engine(f"postgresql+pg8000://admin:{PASSWORD}@127.0.0.1:{server.port}/pelorus")
    metadata = sqlalchemy.MetaData()
    table = sqlalchemy.Table("reflected", metadata, sqlalchemy.Column("id", sqlalchemy.BigInteger), sqlalchemy.Column("name", sqlalchemy.String(20), nullable=False),
                             sqlalchemy.Column("at", sqlalchemy.DateTime(timezone=True)), sqlalchemy.Column("price", sqlalchemy.Numeric(10, 2)))
    for _ in range(2):  # the second time it is there: dropped, and made anew, in blocks
        with engine.begin() as connection:
            metadata.drop_all(connection)
            metadata.create_all(connection)
            connection.execute(table.insert(), [{"id": i, "name": f"n{i}", "price": i} for i in range(5)])
    columns = {column["name"]: column for column in sqlalchemy.inspect(engine).get_columns("reflected")}
    assert isinstance(columns["at"]["type"], sqlalchemy.TIMESTAMP) and columns["at"]["type"].timezone
    assert columns["name"]["type"].length == 20 and not columns["name"]["nullable"]
    back = sqlalchemy.Table("reflected", sqlalchemy.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        assert connection.execute(sqlalchemy.select(sqlalchemy.func.count()).select_from(back)).scalar() == 5
    engine.dispose()


def test_sqlalchemy_maps_objects_to_row_tables(server):
    from sqlalchemy import orm
    engine = sqlalchemy.create_engine(f"postgresql+pg8000://admin:{PASSWORD}@127.0.0.1:{server.port}/pelorus", isolation_level="AUTOCOMMIT")
    base = orm.declarative_base()

    class Item(base):
        __tablename__ = "mapped_items"
        __table_args__ = {"postgresql_using": "rows"}
        id = sqlalchemy.Column(sqlalchemy.Integer, primary_key=True)
        name = sqlalchemy.Column(sqlalchemy.String(20), nullable=False)
        count = sqlalchemy.Column(sqlalchemy.Integer, server_default="3")
    base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        items = [Item(name=f"n{i}") for i in range(3)]
        session.add_all(items)
        session.flush()
        assert sorted(item.id for item in items) == [1, 2, 3] and {item.count for item in items} == {3}
    base.metadata.drop_all(engine)
    engine.dispose()


NEEDED = {"psql": PSQL, "psycopg": psycopg, "pg8000": pg8000, "sqlalchemy": sqlalchemy and pg8000}

if __name__ == "__main__":
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    cases, skipped = [], 0
    for case in cases_in(globals()):
        client = case.__name__.split("_")[1]
        if NEEDED[client]:
            cases.append(case)
        else:
            skipped += 1
            print(f"SKIPPED {case.__name__}: {client} is not installed")
    server = Server()
    passed, failed = run_cases(cases, server, wanted=wanted)
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
