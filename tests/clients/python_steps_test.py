#!/usr/bin/env python3
"""The steps by which people get to know a database in Python, by our package: results, files, frames, conversions, folders, threads."""
import sys
import tempfile
import threading
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
PELORUS = str(Path(sys.argv[1]).resolve())
sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases_in_folders, tally
from python_package import package_of, skip

sys.path.insert(0, package_of(PELORUS))

try:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.dataset
    import pyarrow.parquet
except ImportError as missing:
    skip(missing)
import pelorus
from contextlib import redirect_stdout
from io import StringIO


def shown(work):
    text = StringIO()
    with redirect_stdout(text):
        work()
    return text.getvalue()


def test_a_first_query_is_shown(folder):
    assert "42" in shown(lambda: pelorus.sql("select 42 as answer").show())


def test_results_are_tables_of_later_queries(folder):
    r1 = pelorus.sql("select 42 as i")
    assert pelorus.sql("select i * 2 as k from r1").fetchall() == [(84,)]


def test_files_are_read_by_their_names(folder):
    Path(folder, "example.csv").write_text("name,qty\na,1\nb,2\n")
    db = pelorus.open()
    assert db.sql(f'select sum(qty) as q from "{folder}/example.csv"').fetchall() == [(3,)]
    assert db.run(f'loadText("{folder}/example.csv")').fetchall() == [("a", 1), ("b", 2)]


def test_parquet_files_are_read_by_pyarrow_and_only_the_columns_that_a_query_names(folder):
    for part in (1, 2):
        pa.parquet.write_table(pa.table({"k": [part] * 3, "x": [1.5, 2.5, None], "deep": [{"no": "column"}] * 3}), f"{folder}/{part}.parquet")
    db = pelorus.open()
    files = pa.dataset.dataset(folder, format="parquet")
    assert db.sql("select k, sum(x) as s from files group by k").fetchall() == [(1, 4.0), (2, 4.0)]
    assert db.sql("select count(*) as n from files").fetchall() == [(6,)]
    lazy = pl.scan_parquet(f"{folder}/1.parquet").select("k", "x")
    assert db.sql("select max(x) as m from lazy").fetchone() == (2.5,)
    try:
        db.run(f'select * from "{folder}/1.parquet"')
        raise AssertionError("a library reads no Parquet files in place")
    except pelorus.ProgrammingError as error:
        assert "pyarrow" in str(error), error


def test_frames_of_each_library_are_queried_and_come_back(folder):
    pandas_df = pd.DataFrame({"a": [42]})
    polars_df = pl.DataFrame({"a": [42]})
    arrow_table = pa.table({"a": [42]})
    for query in ("select * from pandas_df", "select * from polars_df", "select * from arrow_table"):
        result = pelorus.sql(query)
        assert result.fetchall() == [(42,)] and result.df().equals(pandas_df) and result.pl().equals(polars_df)
        assert result.arrow().equals(arrow_table) and result.numpy()["a"].tolist() == [42]


def test_results_are_written_by_the_frame_or_by_the_language(folder):
    result = pelorus.sql("select 42 as a")
    result.df().to_csv(f"{folder}/out.csv", index=False)
    pa.parquet.write_table(result.arrow(), f"{folder}/out.parquet")
    db = pelorus.open()
    db.run(f'saveText(t, "{folder}/text.csv")', t=result)
    assert Path(folder, "text.csv").read_text() == "a\n42\n" == Path(folder, "out.csv").read_text()
    assert pa.parquet.read_table(f"{folder}/out.parquet").to_pydict() == {"a": [42]}


def test_a_folder_keeps_its_tables(folder):
    with pelorus.open(f"{folder}/db") as db:
        db.run('db = database("dfs://kept", VALUE, 1..3)\ncreate table "dfs://kept"."test" (i INT) partitioned by i')
        db.append('loadTable("dfs://kept", "test")', {"i": [1, 2]})
    with pelorus.open(f"{folder}/db") as db:
        assert db.sql('select i from loadTable("dfs://kept", "test")').fetchall() == [(1,), (2,)]


def test_statements_that_make_and_fill_tables(folder):
    with pelorus.open() as db:
        db.run("create table test (i INT)")
        db.run("insert into test values(42)")
        assert "42" in shown(lambda: db.get("test").show()) and db.sql("select * from test").fetchall() == [(42,)]


def test_threads_have_cursors_of_one_database(folder):
    db = pelorus.open()
    db.run("share table(1:0, [`thread, `i], [INT, INT]) as ofSteps")

    def work(number):
        with db.cursor() as own:
            for i in range(10):
                own.append("ofSteps", [(number, i)])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert db.run("exec count(*) from ofSteps") == 40


if __name__ == "__main__":
    sys.exit(tally(*run_cases_in_folders(cases_in(globals()), "pelorus_steps_", "".join(sys.argv[2:3]))))
