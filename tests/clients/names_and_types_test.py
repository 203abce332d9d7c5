#!/usr/bin/env python3
"""The unmodified Python client: tables and columns of unusual names, very many names, empty frames, and every type both ways."""
import sys
import tempfile
import traceback
import warnings
from decimal import Decimal
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
try:
    import dolphindb as ddb
    import numpy as np
    import pandas as pd
    from dolphindb import settings as keys
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
from python_client_test import PASSWORD, Server
from values_of_types import TYPES, WITHOUT_ARRAYS

warnings.simplefilter("ignore")  # the client's, about attributes of frames

NAMES = ["t", "行情", "价 格", "a b", "x.y", "1st", "select", "T" * 200, "tab-le", "emoji😀"]


def tables_of_a_database_have_any_name(server, s):
    """The client writes a name of one letter as 't', which is a CHAR."""
    s.run('db = database("dfs://names", VALUE, 1..3)')
    for name in ("t", "行情", "a b", "T" * 100):
        s.run("make = def(db, name){ createPartitionedTable(db, table(1:0, `k`v, [INT, DOUBLE]), name, `k); return 0 }")
        s.upload({"wanted": name})
        s.run("make(db, wanted)")
        appender = ddb.TableAppender("dfs://names", name, s)
        assert appender.append(pd.DataFrame({"k": np.array([1, 2], dtype=np.int32), "v": [0.5, 1.5]})) == 2, name
        assert s.run(f'exec count(*) from loadTable("dfs://names", "{name}")') == 2, name
        if " " not in name:  # the client makes a variable of the name
            assert len(s.loadTable(dbPath="dfs://names", tableName=name).toDF()) == 2, name


def columns_have_any_name(server, s):
    frame = pd.DataFrame({name: [1, 2] for name in NAMES})
    s.upload({"frame": frame})
    assert list(s.run("frame").columns) == NAMES
    assert s.run("frame.columnNames()").tolist() == NAMES
    for name in NAMES:
        assert s.run('def(t, n){ return t[n] }', s.run("frame"), name).tolist() == [1, 2], name


def shared_tables_of_one_letter_and_in_chinese(server, s):
    for name in ("q", "行情"):
        s.run(f'share(table(1 2 as a), "{name}")')
        assert s.run(f'exec sum(a) from objByName("{name}")') == 3
        assert ddb.TableAppender(table_name=name, conn=s).append(pd.DataFrame({"a": np.array([4], dtype=np.int32)})) == 1 if name == "q" else True


def a_million_names_of_columns(server, s):
    """A thousand tables of a thousand columns, with names of their own: the server forgets them with the tables."""
    wide = s.run("wide = def(n){ return table(1:0, string('c' + string(n)) + '_' + string(0..999), take(INT, 1000)) }; 1")
    assert wide == 1
    for block in range(0, 1000, 100):
        assert s.run(f"all(each(def(n){{ return wide(n).columns() == 1000 }}, {block}..{block + 99}))")
    frame = s.run("wide(7)")
    assert frame.shape == (0, 1000) and frame.columns[999] == "c7_999"
    s.upload({"back": frame})
    assert s.run("back.columns()") == 1000


def empty_frames_keep_their_columns(server, s):
    empty = s.run("table(1:0, `i`s`d`x`b, [INT, SYMBOL, DATE, DOUBLE, BOOL])")
    assert empty.shape == (0, 5) and list(empty.columns) == ["i", "s", "d", "x", "b"]
    s.upload({"back": empty})
    assert s.run("back.columns()") == 5 and s.run("back.rows()") == 0
    assert s.run("table(1:0, [`a], [INT[]])").shape == (0, 1)
    s.run("share table(1:0, `a`b, [INT, STRING]) as target")
    assert ddb.TableAppender(table_name="target", conn=s).append(pd.DataFrame({"a": np.array([], dtype=np.int32), "b": []})) in (0, None)
    assert s.run("exec count(*) from target") == 0


# type: values as a script writes them; a NULL is added.


def every_type_goes_both_ways(server, s):
    """Downloaded as a frame, uploaded with its types named, and compared by the server."""
    for name, values in TYPES.items():
        base, _, scale = name.partition("(")
        frame = s.run(f"source = table(({values}) as v); source")  # without NULL: the client makes floats of it, and 0 of those
        frame.__DolphinDB_Type__ = {"v": getattr(keys, "DT_" + base) if not scale else [getattr(keys, "DT_" + base), int(scale[:-1])]}
        s.upload({"back": frame})
        assert s.run("typestr(back.v)") == s.run("typestr(source.v)"), (name, s.run("typestr(back.v)"))
        assert s.run("eqObj(back.v, source.v)"), (name, s.run("back.v"), s.run("source.v"))


def array_vectors_of_every_type_go_both_ways(server, s):
    for name, values in TYPES.items():
        base, _, scale = name.partition("(")
        if base in WITHOUT_ARRAYS or scale:
            continue
        frame = s.run(f"items = {values}; source = table(array({name}[], 0).append!([items, items[0:1]]) as v); source")
        frame.__DolphinDB_Type__ = {"v": getattr(keys, f"DT_{base}_ARRAY")}
        s.upload({"back": frame})
        assert s.run("typestr(back.v)") == s.run("typestr(source.v)"), (name, s.run("typestr(back.v)"))
        assert s.run("eqObj(back.v, source.v)"), name


def tables_of_plain_folders_load_by_partition(server, s):
    """Partitions and memoryMode are taken for databases in plain folders."""
    with tempfile.TemporaryDirectory(prefix="pelorus_names_") as folder:
        s.run(f'''db = database("{folder}/db", VALUE, ["AAA", "BBB", "CCC"])
                  t = table(take(["AAA", "BBB", "CCC"], 9) as sym, 1..9 as v)
                  db.createPartitionedTable(t, "t", "sym").append!(t)''')
        for partitions, rows in (("AAA", 3), (["AAA", "CCC"], 6)):
            assert len(s.loadTable(tableName="t", dbPath=folder + "/db", partitions=partitions, memoryMode=True).toDF()) == rows
        assert len(s.loadTable(tableName="t", dbPath=folder + "/db", memoryMode=True).toDF()) == 9
        try:
            s.loadTable(tableName="t", dbPath=folder + "/db", partitions="ZZZ", memoryMode=True)
            raise AssertionError("a key without a partition was taken")
        except RuntimeError as error:
            assert "No partition takes the value ZZZ" in str(error), error
        s.run(f'dropDatabase("{folder}/db")')
    s.run('database("dfs://inner", VALUE, 1..2).createPartitionedTable(table(1 as a), "p", "a")')
    try:
        s.loadTable(tableName="p", dbPath="dfs://inner", memoryMode=True)
        raise AssertionError("memoryMode was taken for a dfs database")
    except RuntimeError as error:
        assert "memoryMode" in str(error), error


def main():
    server = Server(sys.argv[1])
    passed = failed = 0
    for test in (tables_of_a_database_have_any_name, columns_have_any_name, shared_tables_of_one_letter_and_in_chinese, a_million_names_of_columns,
                 empty_frames_keep_their_columns, every_type_goes_both_ways, array_vectors_of_every_type_go_both_ways,
                 tables_of_plain_folders_load_by_partition):
        session = server.session()
        try:
            test(server, session)
            passed += 1
        except Exception:
            failed += 1
            print("FAILED", test.__name__)
            traceback.print_exc(file=sys.stdout)
        session.close()
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
