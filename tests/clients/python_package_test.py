#!/usr/bin/env python3
"""The Python package: databases of the process and of a node by one interface, frames both ways, DB-API, SQLAlchemy, hostile input."""
import asyncio
import datetime as dt
import decimal
import gc
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
import uuid
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
PELORUS = str(Path(sys.argv[1]).resolve())
sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support"), str(Path(__file__).resolve().parent)]
from cases import cases_in, run_cases_with_server, tally
from python_package import package_of, skip

PACKAGE = package_of(PELORUS)
sys.path.insert(0, PACKAGE)

try:
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import sqlalchemy as sa
except ImportError as missing:
    skip(missing)
import pelorus
import pelorus.dbapi
from python_client_test import PASSWORD, Server

EVERYTHING = """table([true, 00b, false] as b, [1c, 00c, 3c] as c, [1h, 00h, 3h] as h, [1, 00i, 3] as i, [1l, 00l, 3l] as l,
  [1.5f, 00f, 2.5f] as f, [1.5, 00F, 2.5] as x, ["a", "", "c"] as s, symbol(["a", "", "c"]) as y, [2024.03.15, 00d, 1969.12.31] as d,
  [2024.03M, 00M, 1969.12M] as m, [09:30:00.001, 00t, 00:00:01.000] as t, [09:30m, 00m, 10:00m] as u, [09:30:01, 00s, 10:00:01] as v,
  [2024.03.15T09:30:01, 00D, 1969.12.31T23:59:59] as dt, [2024.03.15T09:30:01.123, 00T, 1969.12.31T23:59:59.999] as ts,
  [2024.03.15T09:30:01.123456789, 00N, 1969.12.31T23:59:59.999999999] as ns, decimal64([1.5, NULL, -2.25], 3) as dec,
  uuid(["9d457e79-1bed-d6c2-3612-b0d31c1881f6", "", "9d457e79-1bed-d6c2-3612-b0d31c1881f7"]) as id, ipaddr(["1.2.3.4", "", "5.6.7.8"]) as ip,
  array(INT[]).append!([1 2, int([]), [3]]) as a)"""
FIRST = (True, 1, 1, 1, 1, 1.5, 1.5, "a", "a", dt.date(2024, 3, 15), dt.date(2024, 3, 1), dt.time(9, 30, 0, 1000), dt.time(9, 30), dt.time(9, 30, 1),
         dt.datetime(2024, 3, 15, 9, 30, 1), dt.datetime(2024, 3, 15, 9, 30, 1, 123000), dt.datetime(2024, 3, 15, 9, 30, 1, 123456),
         decimal.Decimal("1.500"), uuid.UUID("9d457e79-1bed-d6c2-3612-b0d31c1881f6"), "1.2.3.4", [1, 2])


def raises(kind, call, *fragments):
    try:
        call()
    except kind as error:
        for fragment in fragments:
            assert fragment in str(error), (fragment, str(error))
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def both(server):
    """A database of the process, and a node."""
    yield pelorus.open()
    yield pelorus.connect(f"127.0.0.1:{server.port}", "admin", PASSWORD)


# ---- Values


def test_scalars_come_as_objects_of_python(server):
    for db in both(server):
        with db:
            for script, expected in (("1 + 1", 2), ("1.5", 1.5), ("`abc", "abc"), ("true", True), ("00i", None), ("NULL", None), ('""', None), ("2024.01.02", dt.date(2024, 1, 2)),
                                     ("blob('x')", b"x"), ("10:11:12", dt.time(10, 11, 12)), ("(1, `x, 2.5)", [1, "x", 2.5]), ("dict(`a`b, 1 2)", {"a": 1, "b": 2}),
                                     ("x = 3", None), ("'中文'", "中文"), ("complex(1, 2)", 1 + 2j), ("point(1, 2)", (1.0, 2.0)), ("3d", "3d")):
                got = db.run(script)
                assert got == expected and type(got) is type(expected), (script, got)


def test_every_type_of_a_table_comes_in_rows_frames_and_arrays(server):
    for db in both(server):
        with db:
            table = db.run(EVERYTHING)
            rows = table.fetchall()
            assert rows[0] == FIRST, rows[0]
            assert rows[1] == (None,) * 20 + ([],) or rows[1] == (None,) * 21, rows[1]
            frame = table.df()
            kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
            assert [kinds[name] for name in "bchilfx"] == ["boolean", "Int8", "Int16", "Int32", "Int64", "float32", "float64"], kinds
            assert [kinds[name] for name in ("y", "d", "dt", "ts", "ns", "t")] == ["category", "datetime64[s]", "datetime64[s]", "datetime64[ms]", "datetime64[ns]", "timedelta64[ms]"]
            assert frame.drop(columns="a").isna().sum().tolist() == [1] * 20
            assert frame["ns"][0] == pd.Timestamp("2024-03-15T09:30:01.123456789")
            arrays = table.numpy()
            assert arrays["i"].mask.tolist() == [False, True, False] and np.isnan(arrays["x"][1]) and np.isnat(arrays["ts"][1]) and arrays["s"][1] is None
            assert table.arrow().num_rows == 3 and table.pl().shape == (3, 21)
            assert len(table) == 3 and table.shape == (3, 21) and table.columns[0] == "b"
            assert table.form == "table" and "2024.03" in repr(table) and "<table" in table._repr_html_()


def test_vectors_matrices_sets_and_empty_tables(server):
    for db in both(server):
        with db:
            assert db.run("1 2 3").numpy().tolist() == [1, 2, 3] and db.run("1 2 3").tolist() == [1, 2, 3]
            assert sorted(db.run("set(3 4)")) == [3, 4]
            matrix = db.run("m = matrix(1 2, 3 4); m.rename!(`r1`r2, `c1`c2)")
            assert matrix.numpy().tolist() == [[1, 3], [2, 4]] and matrix.df().loc["r2", "c2"] == 4
            empty = db.run("table(1:0, `a`b`c`d, [INT, SYMBOL, TIMESTAMP, STRING])")
            assert empty.df().shape == (0, 4) and empty.fetchone() is None and str(empty.df().dtypes["c"]) == "datetime64[ms]"
            assert "sum" in repr(db.run("sum"))
            raises(pelorus.ProgrammingError, lambda: db.run("sum").df(), "no table")


def test_objects_of_python_become_values_and_come_back(server):
    same = [1, -5, 2.5, "text", True, b"bytes", dt.date(2024, 2, 29), dt.time(1, 2, 3, 4), dt.datetime(2024, 1, 2, 3, 4, 5, 678), decimal.Decimal("12.340"), None, {"a": 1, "b": "x"},
            [1, "a", ["b", 2.5]]]
    for db in both(server):
        with db:
            for x in same:
                db.put("v", x)
                got = db.run("v")
                assert got == x, (x, got)
            assert db.call("sum", np.arange(5)) == 10 and db.call("sum", [1.5, 2.5]) == 4.0 and db.call("size", ("a", "b")) == 2
            assert db.call("def(x, y) { return x + y }", [1, 2], np.array([3, 4])).tolist() == [4, 6]
            assert db.call("string", dt.datetime(2024, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2)))) == "2024.01.01T00:00:00.000000000"
            assert db.call("typestr", np.float32(1.5)) == "DOUBLE" and db.call("typestr", np.array([1, 2], "i2")) == "FAST SHORT VECTOR"
            assert db.call("shape", np.zeros((2, 3))).tolist() == [2, 3]
            raises(pelorus.DataError, lambda: db.put("v", 2**70), "64 bits")
            raises(pelorus.NotSupportedError, lambda: db.put("v", object()), "no counterpart")
            raises(pelorus.InterfaceError, lambda: db.put("no name", 1), "no name")
            raises(pelorus.DataError, lambda: db.put("v", dt.datetime.min), "1678")


# ---- Frames


def frames():
    moments = ["2024-01-01", None, "2024-01-03"]
    yield "pandas", pd.DataFrame({"a": [1, 2, 3], "s": ["x", None, "z"], "f": [1.5, np.nan, 2.0], "d": pd.to_datetime(moments), "c": pd.Categorical(["p", "q", None]),
                                  "n": pd.array([1, None, 3], "Int64"), "z": pd.to_datetime(moments).tz_localize("UTC"), "g": [True, False, True]})
    yield "polars", pl.DataFrame({"a": [1, 2, 3], "s": ["x", None, "z"], "f": [1.5, None, 2.0], "d": [dt.datetime(2024, 1, 1), None, dt.datetime(2024, 1, 3)],
                                  "c": pl.Series(["p", "q", None], dtype=pl.Categorical), "n": [1, None, 3], "g": [True, False, True]})
    yield "pyarrow", pa.table({"a": [1, 2, 3], "s": ["x", None, "z"], "f": [1.5, None, 2.0], "d": pa.array([dt.datetime(2024, 1, 1), None, dt.datetime(2024, 1, 3)]),
                               "c": pa.array(["p", "q", None]).dictionary_encode(), "n": [1, None, 3], "g": [True, False, True]})
    yield "arrays", {"a": np.array([1, 2, 3]), "s": ["x", None, "z"], "f": np.array([1.5, np.nan, 2.0]), "d": np.array(["2024-01-01", "NaT", "2024-01-03"], "M8[s]"),
                     "c": ["p", "q", None], "n": np.ma.MaskedArray([1, 2, 3], [False, True, False]), "g": np.array([True, False, True])}


def test_queries_read_frames_of_the_caller(server):
    for db in both(server):
        with db:
            for kind, frame in frames():
                rows = db.sql("select a, s, f, date(d) as d, string(c) as c, n, g from frame where a >= 1").fetchall()
                assert rows == [(1, "x", 1.5, dt.date(2024, 1, 1), "p", 1, True), (2, None, None, None, "q", None, False), (3, "z", 2.0, dt.date(2024, 1, 3), None, 3, True)], (kind, rows)
                assert db.sql("select * from frame").shape[0] == 3
            assert db.sql("select count(*) as n from frame").fetchall() == [(3,)]
            raises(pelorus.ProgrammingError, lambda: db.run("select * from frame"))
            db.run("frame = table(7 as a)")
            assert db.sql("select a from frame").fetchone() == (7,)  # what the session knows goes first


def test_odd_frames_are_taken_or_refused_by_name(server):
    db = pelorus.open()
    put = lambda frame: db.put("odd", frame)
    twice = pd.DataFrame([[1, 2, 3]], columns=["a", "a", 7])
    put(twice)
    assert db.run("odd").columns == ["a", "a_1", "7"]
    raises(pelorus.DataError, lambda: put(pd.DataFrame({"mixed": [1, "x", None]})), "mixed", "int, str")
    raises(pelorus.DataError, lambda: put(pd.DataFrame({"deep": [object()]})), "deep")
    raises(pelorus.DataError, lambda: put(pd.DataFrame({"c": np.array([1j])})), "complex")
    raises(pelorus.DataError, lambda: put(pd.DataFrame({"huge": [2**70]})), "64 bits")
    put(pd.DataFrame({"dec": [decimal.Decimal("1.25"), None], "date": [dt.date(2024, 1, 1), None], "time": [dt.time(1), None], "b": [b"x", None], "i": [1, None]}, dtype=object))
    assert db.run("odd").fetchall() == [(decimal.Decimal("1.25"), dt.date(2024, 1, 1), dt.time(1), b"x", 1), (None,) * 5]
    put(pd.DataFrame({"a": []}, dtype="f8"))
    assert len(db.run("odd")) == 0
    put(pd.DataFrame({"strided": np.arange(20)[::2], "big": np.arange(10, dtype=">i4"), "half": np.arange(10, dtype="f2")}))
    assert db.run("exec sum(strided), sum(big), sum(half) from odd").fetchall() == [(90, 45, 45.0)]
    put(pd.DataFrame({"ext": pd.array(["a", None], "string"), "per": pd.array([1.5, None], "Float64")}))
    assert db.run("odd").fetchall() == [("a", 1.5), (None, None)]
    raises(pelorus.DataError, lambda: db.append("odd", {"ext": np.zeros((2, 2))}), "2 dimensions")
    assert len(db.run("odd")) == 2
    put(pd.DataFrame({"c": pd.Categorical([3, None, 4]), "arrow": pd.array([1, None, 2], "int64[pyarrow]"), "two": pd.array([0, 1, 0], pd.SparseDtype("i8"))}))
    assert db.run("odd").fetchall() == [(3, 1, 0), (None, None, 1), (4, 2, 0)]
    raises(pelorus.ProgrammingError, lambda: put(pa.table({"deep": [{"b": 1}]})), "deep", "struct")
    for buffers in ((None, b"short"), (b"", bytes(40)), (None, None), (None,)):
        raises(ValueError, lambda: pelorus._core.make_stream([("a", "l", 5, 0, buffers, None)]), "5 elements")
    raises(ValueError, lambda: pelorus._core.make_stream([("a", "U", 1, 0, (None, (9).to_bytes(8, "little") * 2, b"text"), None)]), "1 elements")
    circle = []
    circle.append(circle)
    raises(RecursionError, lambda: put(circle))
    raises(UnicodeEncodeError, lambda: put("\udc80"))
    stream = pa.table({"a": [1]}).__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    put(Once())
    raises(ValueError, lambda: put(Once()), "read before")


def test_random_frames_come_back_as_they_were(server):
    seed = random.randrange(1 << 30)
    draw = np.random.default_rng(seed)
    makers = {"i1": lambda n: draw.integers(-127, 127, n, "i1"), "i2": lambda n: draw.integers(-32767, 32767, n, "i2"), "i4": lambda n: draw.integers(-(2**31) + 1, 2**31, n, "i4"),
              "i8": lambda n: draw.integers(-(2**62), 2**62, n), "f4": lambda n: draw.random(n, "f4"), "f8": lambda n: draw.normal(size=n), "b": lambda n: draw.random(n) < 0.5,
              "M8[ns]": lambda n: draw.integers(0, 2**60, n).astype("M8[ns]"), "M8[ms]": lambda n: draw.integers(0, 2**40, n).astype("M8[ms]"),
              "M8[s]": lambda n: draw.integers(0, 2**30, n).astype("M8[s]"), "text": lambda n: np.array(["s%d" % x for x in draw.integers(0, 50, n)], object)}
    db = pelorus.open()
    for _ in range(40):
        n = int(draw.choice([0, 1, 7, 64, 1000]))
        frame = pd.DataFrame({f"c{i}": makers[draw.choice(list(makers))](n) for i in range(int(draw.integers(1, 6)))})
        db.put("frame", frame)
        back = db.run("frame").df()
        for name in frame:
            want, got = frame[name], back[name]
            if n and want.dtype.kind == "M":
                assert got.dtype.kind == "M" and (got.to_numpy() == want.to_numpy()).all(), (seed, name)
            elif n:
                assert got.astype(want.dtype).tolist() == want.tolist(), (seed, name, want.dtype, got.dtype)


def test_fixed_width_columns_are_not_copied(server):
    db = pelorus.open()
    big = db.run("table(rand(1.0, 3000000) as x, 1..3000000 as i, 2024.01.01T00:00:00.000 + 0..2999999 as t)")
    first, second = big.numpy(), big.numpy()
    for name in "xit":
        assert first[name].__array_interface__["data"][0] == second[name].__array_interface__["data"][0], name
    assert first["i"].sum() == 3000000 * 3000001 // 2
    values = first["x"].copy()
    del big, second
    gc.collect()
    db.close()
    assert (first["x"] == values).all()  # the array keeps its bytes


def test_rows_are_fetched_in_pages_and_batches(server):
    db = pelorus.open()
    result = db.run("table(0..9999 as x)")
    assert result.fetchone() == (0,) and result.fetchmany(3) == [(1,), (2,), (3,)] and len(result.fetchall()) == 9996 and result.fetchone() is None
    assert [len(batch["x"]) for batch in result.batches(4000)] == [4000, 4000, 2000]
    assert sum(row[0] for row in result) == 49995000
    assert result.arrow_reader(3000).read_all().num_rows == 10000


def test_appends_are_whole_or_nothing(server):
    for db in both(server):
        with db:
            db.run("t = table(1:0, `a`s, [INT, STRING])")
            assert db.append("t", [(1, "x"), (2, None)]) == 2 and db.append("t", pd.DataFrame({"a": [3], "s": ["z"]})) == 1
            raises(pelorus.Error, lambda: db.append("t", {"a": ["no number"], "s": ["z"]}))
            assert db.run("exec a from t").tolist() == [1, 2, 3]


# ---- Functions of Python


def test_scripts_and_queries_call_functions_of_python(server):
    db = pelorus.open()
    db.create_function("tenfold", lambda x: x.numpy() * 10, elementwise=True)
    assert db.run("tenfold(1 2 3)").tolist() == [10, 20, 30]
    assert db.run("select sum(tenfold(x)) as s from table(1..4 as x)").fetchone() == (100,)
    db.create_function("days", lambda n: pd.DataFrame({"n": range(n), "s": [str(i) for i in range(n)]}))
    assert db.run("select sum(n) as n from days(5)").fetchone() == (10,)
    db.create_function("fails", lambda x: 1 // x)
    raises(pelorus.ProgrammingError, lambda: db.run("fails(0)"), "ZeroDivisionError")
    assert db.run("fails(1)") == 1
    db.create_function("short", lambda x: [1], elementwise=True)
    raises(pelorus.ProgrammingError, lambda: db.run("short(1 2 3)"), "returned 1 elements for 3")
    db.create_function("again", lambda x: db.run("1"))
    raises(pelorus.ProgrammingError, lambda: db.run("again(1)"), "another statement")
    db.create_function("ends", lambda x: db.close())
    raises(pelorus.ProgrammingError, lambda: db.run("ends(1)"), "does not close the session that calls it")
    db.create_function("odd", lambda x: object())
    raises(pelorus.ProgrammingError, lambda: db.run("odd(1)"), "no counterpart")
    assert db.run("peach(tenfold, [1 2, 3 4, 5 6])").numpy().sum() == 210
    node = pelorus.connect(f"127.0.0.1:{server.port}", "admin", PASSWORD)
    raises(pelorus.ProgrammingError, lambda: node.create_function("f", lambda x: x), "stays in this process")


# ---- Errors, interrupts, threads, processes


def test_errors_have_kind_place_and_caret(server):
    for db in both(server):
        with db:
            error = raises(pelorus.ProgrammingError, lambda: db.run("a = 1\nthrow 'not so'"), "not so")
            assert error.message and db.run("a") == 1
            raises(pelorus.ProgrammingError, lambda: db.run("x = (1 + "))
    db = pelorus.open()
    error = raises(pelorus.ScriptSyntaxError, lambda: db.run("a = 1\nb = a + nothing"), "^")
    assert (error.line, error.column) == (2, 9)
    raises(pelorus.OperationalError, lambda: pelorus.connect("127.0.0.1:1"))
    raises(pelorus.ProgrammingError, lambda: pelorus.connect("no address"))
    raises(pelorus.ProgrammingError, lambda: pelorus.connect(f"127.0.0.1:{server.port}", "admin", "wrong"))


def test_ctrl_c_cancels_and_the_session_goes_on(server):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts programs in the background has them ignore it
    for db in both(server):
        with db:
            timer = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            begin = time.monotonic()
            raises(KeyboardInterrupt, lambda: db.run("sleep(30000)"))
            timer.join()
            assert time.monotonic() - begin < 5 and db.run("1 + 1") == 2


def test_threads_use_sessions_of_their_own(server):
    db = pelorus.open()
    db.run("share table(1:0, [`a], [INT]) as ofThreads")
    failures = []

    def work(number):
        try:
            with db.cursor() as session:
                for i in range(20):
                    session.run("insert into ofThreads values(n)", n=number * 100 + i)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures and db.run("exec count(*) from ofThreads") == 160
    other = threading.Thread(target=lambda: raises(pelorus.Cancelled, lambda: db.run("sleep(30000)")))
    other.start()
    time.sleep(0.3)
    raises(pelorus.InterfaceError, lambda: db.run("1"), "another statement")
    db.interrupt()
    other.join(5)
    assert not other.is_alive() and db.run("1") == 1
    closing = threading.Thread(target=lambda: raises(pelorus.Cancelled, lambda: db.run("sleep(30000)")))
    closing.start()
    time.sleep(0.3)
    db.close()
    closing.join(5)
    assert not closing.is_alive()
    raises(pelorus.InterfaceError, lambda: db.run("1"), "closed")
    db.close()


def test_asyncio_goes_on_while_scripts_run(server):
    async def main():
        db = pelorus.open()
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.01)

        ticking = asyncio.create_task(tick())
        assert await db.run_async("sleep(200); 5") == 5 and ticks > 5
        task = asyncio.create_task(db.run_async("sleep(30000)"))
        await asyncio.sleep(0.2)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            pass
        assert await db.call_async("add", 1, 2) == 3
        ticking.cancel()

    asyncio.run(asyncio.wait_for(main(), 20))


def in_new_process(code):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": PACKAGE}, capture_output=True, text=True, timeout=60)


def test_folders_have_one_owner_and_keep_their_tables(server):
    with tempfile.TemporaryDirectory(prefix="pelorus_package_") as folder:
        with pelorus.open(folder) as db:
            db.run("db = database('dfs://kept', VALUE, 1..3); t = table(1 2 3 as k); db.createPartitionedTable(t, `t, `k).append!(t)")
            raises(pelorus.OperationalError, lambda: pelorus.open(folder), "in use by this process")
            other = in_new_process(f"import pelorus\npelorus.open({folder!r})")
            assert other.returncode == 1 and "in use by another process" in other.stderr, other
        with pelorus.open(folder) as db:
            assert db.run("exec sum(k) from loadTable('dfs://kept', `t)") == 6


def test_forks_exits_and_pickles(server):
    db = pelorus.open()
    child = os.fork()
    if child == 0:
        try:
            db.run("1")
        except pelorus.InterfaceError as error:
            os._exit(0 if "forked" in str(error) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0 and db.run("2") == 2
    ended = in_new_process("import pelorus, threading, time\ndb = pelorus.open()\nthreading.Thread(target=lambda: db.run('sleep(60000)'), daemon=True).start()\ntime.sleep(0.3)\n")
    assert ended.returncode == 0, ended
    forked = "child = os.fork()\nif child == 0:\n    db.close()\n    sys.exit(7)\nsys.exit(os.waitpid(child, 0)[1] != 7 << 8)\n"
    ended = in_new_process("import os, pelorus, sys, threading, time\ndb = pelorus.open()\nthreading.Thread(target=lambda: db.run('sleep(60000)'), daemon=True).start()\ntime.sleep(0.3)\n" + forked)
    assert ended.returncode == 0, ended
    import pickle

    assert pickle.loads(pickle.dumps(db.run("table(1 2 as a)"))).tolist() == [(1,), (2,)]
    raises(pelorus.InterfaceError, lambda: pickle.dumps(db), "belongs to its process")


def test_memory_comes_back_after_many_results(server):
    db = pelorus.open()
    used = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    work = lambda: db.run("table(rand(1.0, 100000) as x, take(`a`b`c, 100000) as s, string(1..100000) as t)").df()
    for _ in range(20):
        work()
    before = used()
    for _ in range(30):
        work()
    assert used() - before < 100 << 20, (before, used())


def test_the_import_alone_is_light(server):
    timed = in_new_process("import sys\nimport pelorus\nprint('pelorus._core' in sys.modules, 'numpy' in sys.modules)")
    assert timed.stdout.split() == ["False", "False"], timed


# ---- DB-API and SQLAlchemy


def test_dbapi_cursors(server):
    for arguments in ({}, {"address": f"127.0.0.1:{server.port}", "user": "admin", "password": PASSWORD}):
        with pelorus.dbapi.connect(**arguments) as connection:
            cursor = connection.cursor()
            cursor.execute("t = table(1:0, `a`b, [INT, STRING])")
            assert cursor.description is None
            raises(pelorus.ProgrammingError, cursor.fetchone)
            cursor.execute("insert into t values(?, ?)", (1, "it's a ?"))
            cursor.executemany("insert into t values(:a, :b)", [{"a": 2, "b": None}, {"a": 3, "b": "z"}])
            cursor.executemany("insert into t values(?, ?)", [(-1, "m"), (-2, None)])
            raises(pelorus.Error, lambda: cursor.executemany("insert into t values(?, ?)", [(-3, "m"), ("no number", None)]))
            cursor.execute("select * from t where a < 0")
            assert cursor.fetchall()[:2] == [(-1, "m"), (-2, None)]
            cursor.execute("delete from t where a < 0")
            cursor.execute("select * from t where a >= ? // ? in a comment", [1])
            assert [column[:2] for column in cursor.description] == [("a", "INT"), ("b", "STRING")] and cursor.rowcount == 3
            assert cursor.description[0][1] == pelorus.dbapi.NUMBER and cursor.description[1][1] == pelorus.dbapi.STRING
            assert cursor.fetchmany(2) == [(1, "it's a ?"), (2, None)] and list(cursor) == [(3, "z")]
            raises(pelorus.ProgrammingError, lambda: cursor.execute("select ? + ? as x", [1]), "placeholders")
            raises(pelorus.ProgrammingError, lambda: cursor.execute("select ? as x", [1, 2]), "1 placeholders")
            raises(pelorus.NotSupportedError, connection.rollback)
            cursor.close()
            raises(pelorus.InterfaceError, cursor.fetchall)
        raises(pelorus.InterfaceError, connection.cursor)


def test_the_suite_of_dbapi_passes(server):
    try:
        import dbapi20
    except ImportError as missing:
        print(f"left out: {missing}")
        return

    class Suite(dbapi20.DatabaseAPI20Test):
        driver, connect_args, connect_kw_args = pelorus.dbapi, (), {}
        ddl1 = "dbapi20test_booze = table(1:0, [`name], [STRING])"
        ddl2 = "dbapi20test_barflys = table(1:0, `name`drink, [STRING, STRING])"
        xddl1, xddl2 = "undef(`dbapi20test_booze)", "undef(`dbapi20test_barflys)"

        def tearDown(self):
            """Each connection has a database of its own."""

        def test_nextset(self):
            """Statements have one result."""

        def test_setoutputsize(self):
            """Does nothing here."""

    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Suite))
    assert result.wasSuccessful() and result.testsRun > 30, result


def test_sqlalchemy_queries_and_reflects(server):
    sa.dialects.registry.register("pelorus", "pelorus.sqlalchemy", "PelorusDialect")  # the wheel has an entry point for it
    engine = sa.create_engine(f"pelorus://admin:{PASSWORD}@127.0.0.1:{server.port}")
    with engine.connect() as connection:
        connection.exec_driver_sql("db = database('dfs://reflected', VALUE, 1..3); z = table(1 2 3 as k, 1.5 2.5 3.5 as v); pt = db.createPartitionedTable(z, `z, `k); pt.append!(z)")
        connection.exec_driver_sql("share table(1..5 as x, `a`b`a`b`c as s) as sharedOfAlchemy")
        inspector = sa.inspect(connection)
        assert "reflected" in inspector.get_schema_names() and inspector.get_table_names("reflected") == ["z"]
        stored = sa.Table("z", sa.MetaData(), schema="reflected", autoload_with=connection)
        assert connection.execute(sa.select(stored).where(stored.c.k >= 2)).fetchall() == [(2, 2.5), (3, 3.5)]
        shared = sa.Table("sharedOfAlchemy", sa.MetaData(), autoload_with=connection)
        query = sa.select(shared.c.s, sa.func.sum(shared.c.x).label("q")).where(shared.c.s.in_(["a", "b"])).group_by(shared.c.s).order_by(shared.c.s).limit(5)
        assert connection.execute(query).fetchall() == [("a", 4), ("b", 6)]
        assert pd.read_sql(sa.text("select * from sharedOfAlchemy where x > :low"), connection, params={"low": 3}).x.tolist() == [4, 5]
        connection.exec_driver_sql("undef(`sharedOfAlchemy, SHARED); dropDatabase('dfs://reflected')")


def test_connections_are_encrypted_and_the_certificate_is_checked(server):
    certificate = f"{server.folder.name}/data/tls/certificate.pem"
    with pelorus.connect(f"localhost:{server.port}", "admin", PASSWORD, tls=True, certificate=certificate) as db:
        frame = pd.DataFrame({"a": range(100_000)})
        assert db.sql("select sum(a) as s from frame").fetchone() == (4999950000,)
    raises(pelorus.OperationalError, lambda: pelorus.connect(f"localhost:{server.port}", "admin", PASSWORD, tls=True))


def test_rows_one_by_one_see_the_values_and_tables_of_each_statement(server):
    connection = pelorus.dbapi.connect()
    cursor = connection.cursor()
    cursor.execute("t = table(1:0, `a`b, [LONG, STRING])")
    insert = "insert into t values(?, ?)"
    for i in range(300):
        cursor.execute(insert, (i, f"row {i}"))
    assert cursor.execute("select sum(a) as s, last(b) as b from t").fetchone() == (44850, "row 299")
    cursor.execute("t = table(1:0, `a`b, [INT, SYMBOL])")
    cursor.execute(insert, (None, None))
    cursor.execute(insert, [True, "x"])
    cursor.execute(insert, (np.int16(3), np.str_("y")))
    assert cursor.execute("select * from t").fetchall() == [(None, None), (1, "x"), (3, "y")]
    raises(pelorus.NotSupportedError, lambda: cursor.execute(insert, (object(), "x")), "no counterpart")
    raises(pelorus.DataError, lambda: cursor.execute(insert, (2**70, "x")), "64 bits")
    cursor.execute("undef(`t)")
    raises(pelorus.ProgrammingError, lambda: cursor.execute(insert, (1, "x")), "t")
    cursor.execute("share table(1:0, `a`b, [INT, STRING]) as t")
    cursor.execute(insert, (1, "shared"))
    assert cursor.execute("select b from t").fetchone() == ("shared",)
    cursor.execute("undef(`t, SHARED)")


def test_connections_that_broke_are_made_anew(server):
    own = Server(PELORUS)
    db = pelorus.connect(f"127.0.0.1:{own.port}", "admin", PASSWORD)
    db.put("x", 1)
    other = pelorus.connect(f"127.0.0.1:{own.port}", "admin", PASSWORD)
    identity = db.run("getCurrentSessionAndUser()")[0]
    other.run(f"closeSessions({identity})")
    assert db.run("1 + 1") == 2 and other.run("2") == 2
    db.close(), other.close()
    assert own.stop() == 0


if __name__ == "__main__":
    try:
        main_server = Server(PELORUS)
    except Exception:  # noqa: BLE001
        traceback.print_exc(file=sys.stdout)
        sys.exit(tally(0, 1))
    wanted = "".join(sys.argv[2:3])
    sys.exit(tally(*run_cases_with_server([case for case in cases_in(globals()) if wanted in case.__name__], main_server)))
