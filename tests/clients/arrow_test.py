#!/usr/bin/env python3
"""Arrow: sessions of the unmodified Python client with PROTOCOL_ARROW, Feather files both ways, streams over HTTP."""
import datetime as dt
import gzip
import json
import subprocess
import sys
import tempfile
import traceback
import urllib.error
import urllib.parse
import urllib.request
import base64
import warnings
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
try:
    import dolphindb as ddb
    import polars
    import pyarrow as pa
    import pyarrow.feather as feather
    import pyarrow.parquet as pq
    from dolphindb import settings as keys
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
from cases import cases_in, run_cases_with_server, tally
from python_client_test import PASSWORD, Server

warnings.simplefilter("ignore")  # the client's
PELORUS = str(Path(sys.argv[1]).resolve())
TABLE = """table([true, 00b, false] as b, [1c, 00c, 3c] as c, [1h, 00h, 3h] as h, [1, 00i, 3] as i, [1l, 00l, 3l] as l,
  [1.5f, 00f, 2.5f] as f, [1.5, 00F, 2.5] as x, ["a", "", "c"] as s, symbol(["a", "", "c"]) as y, [2024.03.15, 00d, 1969.12.31] as d,
  [2024.03M, 00M, 1969.12M] as m, [09:30:00.001, 00t, 00:00:01.000] as t, [09:30m, 00m, 10:00m] as u, [09:30:01, 00s, 10:00:01] as v,
  [2024.03.15T09:30:01, 00D, 1969.12.31T23:59:59] as dt, [2024.03.15T09:30:01.123, 00T, 1969.12.31T23:59:59.999] as ts,
  [2024.03.15T09:30:01.123456789, 00N, 1969.12.31T23:59:59.999999999] as ns, decimal64([1.5, NULL, -2.25], 3) as dec,
  uuid(["9d457e79-1bed-d6c2-3612-b0d31c1881f6", "", "9d457e79-1bed-d6c2-3612-b0d31c1881f7"]) as id, ipaddr(["1.2.3.4", "", "5.6.7.8"]) as ip)"""


def arrow_session(server):
    session = ddb.Session(protocol=keys.PROTOCOL_ARROW)
    assert session.connect("127.0.0.1", server.port, "admin", PASSWORD)
    return session


def test_the_client_reads_tables_as_arrow(server):
    s = arrow_session(server)
    got = s.run(TABLE)
    assert isinstance(got, pa.Table)
    got.validate(full=True)
    kinds = [str(field.type) for field in got.schema]
    assert kinds == ["bool", "int8", "int16", "int32", "int64", "float", "double", "string", "dictionary<values=string, indices=int32, ordered=0>",
                     "date32[day]", "date32[day]", "time32[ms]", "time32[s]", "time32[s]", "timestamp[s]", "timestamp[ms]", "timestamp[ns]",
                     "decimal128(38, 3)", "fixed_size_binary[16]", "string"], kinds
    assert all(column.null_count == 1 for column in got.columns), got
    assert got["y"].to_pylist() == ["a", None, "c"] and got["d"].to_pylist() == [dt.date(2024, 3, 15), None, dt.date(1969, 12, 31)]
    assert got["id"][0].as_py().hex() == "9d457e791bedd6c23612b0d31c1881f6" and got["ip"].to_pylist() == ["1.2.3.4", None, "5.6.7.8"]
    big = s.run("n = 200000; table(0..(n - 1) as k, symbol(\"S\" + string(0..(n - 1) % 1000)) as s)")
    assert (big.num_rows, big["k"].num_chunks) == (200000, 4) and big["s"][123456].as_py() == "S456"
    assert s.run("1 + 1") == 2 and s.run("table(1:0, `a`b, [INT, SYMBOL])").num_rows == 0


def test_what_arrow_cannot_hold_comes_in_the_native_format(server):
    got = arrow_session(server).run("t = table(1 2 as a); t[`b] = (1, `x); t")
    assert got["a"].tolist() == [1, 2] and got["b"].tolist() == [1, "x"]


def test_the_client_uploads_arrow_tables(server):
    s = arrow_session(server)
    table = pa.table({"a": [1, 2, None], "s": ["x", None, "z"], "d": pa.array(["p", "q", "p"]).dictionary_encode(), "f": [1.5, float("nan"), None],
                      "t": pa.array([dt.datetime(2024, 1, 2), None, dt.datetime(2024, 1, 3)], pa.timestamp("us")), "l": [[1, 2], None, [3]]})
    s.upload({"u": table})
    assert s.run("schema(u).colDefs.typeString").tolist() == ["LONG", "STRING", "SYMBOL", "DOUBLE", "NANOTIMESTAMP", "LONG[]"]
    assert s.run("exec sum(a) from u") == 3 and s.run("isNull(u.f)").tolist() == [False, True, True]
    s.upload({"h": ddb.set_dtypes_for_arrow(table.select(["a", "s"]), {"a": keys.DT_INT, "s": keys.DT_SYMBOL})})
    assert s.run("schema(h).colDefs.typeString").tolist() == ["INT", "SYMBOL"]
    assert s.run("def(t) { return size(t) }", table) == 3
    s.run('db = database("dfs://arrow", VALUE, 1..3); pt = createPartitionedTable(db, table(1:0, `k`x, [INT, DOUBLE]), `t, `k)')
    s.run('append!{loadTable("dfs://arrow", "t")}', pa.table({"k": pa.array([1, 2, 3], pa.int32()), "x": [0.5, 1.5, 2.5]}))
    assert s.run('exec sum(x) from loadTable("dfs://arrow", "t")') == 4.5


def test_a_table_that_cannot_be_held_is_refused_and_the_session_goes_on(server):
    s = arrow_session(server)
    try:
        s.upload({"u": pa.table({"s": [{"p": 1}]})})
    except Exception as refused:  # noqa: BLE001
        assert "struct" in str(refused), refused
    else:
        raise AssertionError("a struct was taken")
    assert arrow_session(server).run("1 + 1") == 2


def http(server, query, accept):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/exec?" + urllib.parse.urlencode({"query": query}))
    request.add_header("Authorization", "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode())
    request.add_header("Accept", accept)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.headers["Content-Type"], answer.read()


def test_queries_over_http_as_arrow_and_csv(server):
    arrow_session(server).run("share(table(1..3 as a, symbol(`x`y`z) as s), `httpRows)")
    kind, body = http(server, "select * from httpRows where a > 1", "application/vnd.apache.arrow.stream")
    assert kind == "application/vnd.apache.arrow.stream"
    assert pa.ipc.open_stream(body).read_all().to_pydict() == {"a": [2, 3], "s": ["y", "z"]}
    kind, body = http(server, "select * from httpRows", "text/csv")
    assert kind.startswith("text/csv") and body == b"a,s\n1,x\n2,y\n3,z\n", body
    assert http(server, "select * from httpRows", "*/*")[0].startswith("application/json")
    try:
        http(server, "select nothing from httpRows", "text/csv")
    except urllib.error.HTTPError as refused:
        assert refused.code == 400 and b"nothing" in refused.read()
    else:
        raise AssertionError("an error came as 200")


def append(server, table, body, kind, database="", user=f"admin:{PASSWORD}", encoding=""):
    """POSTs rows; returns the status and what the answer says."""
    names = {"table": table} | ({"database": database} if database else {})
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/append?" + urllib.parse.urlencode(names), data=body, method="POST")
    request.add_header("Authorization", "Basic " + base64.b64encode(user.encode()).decode())
    request.add_header("Content-Type", kind)
    if encoding:
        request.add_header("Content-Encoding", encoding)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read())["message"]


def test_rows_are_posted_as_arrow_parquet_and_csv(server):
    s = arrow_session(server)
    s.run("""db = database("dfs://posted", VALUE, 1..3)
createPartitionedTable(db, table(1:0, `k`s`x, [INT, SYMBOL, DOUBLE]), `t, `k); createUser("reader", "Reader123!"); grant("reader", TABLE_READ, "dfs://posted/t")""")
    table = pa.table({"x": [0.5, None], "k": pa.array([1, 2], pa.int64()), "s": pa.array(["a", "b"]).dictionary_encode()})
    stream, parquet = pa.BufferOutputStream(), pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as out:
        out.write_table(table)
    pq.write_table(table, parquet)
    stream, parquet = stream.getvalue().to_pybytes(), parquet.getvalue().to_pybytes()
    arrow, csv, pqt = "application/vnd.apache.arrow.stream", "text/csv; charset=utf-8", "application/vnd.apache.parquet"
    post = lambda body, kind, **how: append(server, "t", body, kind, "dfs://posted", **how)  # noqa: E731
    assert post(stream, arrow) == (200, '{"rows":2}')
    assert post(parquet, pqt) == (200, '{"rows":2}')
    assert post(gzip.compress(b"k,s\n3,c\n"), csv, encoding="gzip") == (200, '{"rows":1}')
    count = lambda: s.run('exec count(*) from loadTable("dfs://posted", "t")')  # noqa: E731
    assert count() == 5 and s.run('exec sum(x) from loadTable("dfs://posted", "t")') == 1.0
    for body, kind, status, why in [(stream[:-40], arrow, 400, "damaged"), (parquet[:100], pqt, 400, "body of the request"), (b"k,s\n1,a\nx,b\n", csv, 400, "Line 3"),
                                    (b"k,s\n1,a\n9,b\n", csv, 400, "no partition"), (b"k,z\n1,a\n", csv, 400, "no column z"), (b"{}", "application/json", 415, "Content-Type")]:
        got = post(body, kind)
        assert got[0] == status and why in got[1], got
    assert post(gzip.compress(b"k\n" + b"1\n" * 100)[:-9], csv, encoding="gzip")[0] == 400
    assert "<NoPrivilege>" in post(stream, arrow, user="reader:Reader123!")[1] and post(stream, arrow, user="reader:no")[0] == 401
    assert count() == 5
    s.run("share(table(1:0, `a`b, [INT, STRING]), `postedRows)")
    assert append(server, "postedRows", b"b,a\nx,1\n", csv) == (200, '{"rows":1}') and s.run("exec a from postedRows").tolist() == [1]
    assert "no table nothing" in append(server, "nothing", b"a\n1\n", csv)[1]
    kind, body = http(server, "select * from postedRows", pqt)
    assert kind == pqt and pq.read_table(pa.BufferReader(body)).to_pydict() == {"a": [1], "b": ["x"]}


def test_feather_files_both_ways(server):
    with tempfile.TemporaryDirectory(prefix="pelorus_feather_") as folder:
        def run(script):
            path = Path(folder, "s.dos")
            path.write_text(script)
            done = subprocess.run([PELORUS, "run", "--data", folder + "/data", str(path)], cwd=folder, capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout.split("\n")[:-1], done.stderr

        code, said, err = run(f"""t = {TABLE}
for (method in `uncompressed`lz4`zstd) {{
    feather::save(t, method + ".feather", method)
    u = feather::load(method + ".feather")
    print(each(eqObj, t.values(), u.values()).all() and eqObj(t.schema().colDefs.typeString, u.schema().colDefs.typeString))
}}""")
        assert (code, said) == (0, ["true"] * 3), (said, err)
        for method in ("uncompressed", "lz4", "zstd"):
            got = feather.read_table(f"{folder}/{method}.feather")
            got.validate(full=True)
            assert got["x"].to_pylist() == [1.5, None, 2.5] and polars.read_ipc(f"{folder}/{method}.feather")["s"].to_list() == ["a", None, "c"]
            table = pa.table({"k": range(1000), "s": [f"s{i % 3}" for i in range(1000)], "c": pa.array(["p", None] * 500).dictionary_encode()})
            feather.write_feather(table, folder + "/in.feather", compression=method, chunksize=300)
            code, said, err = run('t = feather::load("in.feather"); print(sum(t.k)); print(exec count(*) from t where s = `s1, c = `p); print(feather::extractSchema("in.feather").DolphinDBType)')
            assert (code, said) == (0, ["499500", "166", '["LONG","STRING","SYMBOL"]']), (said, err)
        polars.DataFrame({"k": [1, 2], "s": ["a", None]}).write_ipc(folder + "/p.feather", compat_level=polars.CompatLevel.oldest())
        code, said, err = run('t = feather::load("p.feather"); print(t.k); print(t.s)')
        assert (code, said) == (0, ["[1,2]", '["a",]']), (said, err)
        whole = Path(folder, "lz4.feather").read_bytes()
        Path(folder, "cut.feather").write_bytes(whole[:len(whole) // 2])
        code, said, err = run('feather::load("cut.feather")')
        assert code == 1 and "cut.feather is no whole Arrow file" in err, err


if __name__ == "__main__":
    try:
        main_server = Server(PELORUS)
    except Exception:  # noqa: BLE001
        traceback.print_exc(file=sys.stdout)
        sys.exit(tally(0, 1))
    wanted = "".join(sys.argv[2:3])
    sys.exit(tally(*run_cases_with_server([case for case in cases_in(globals()) if wanted in case.__name__], main_server)))
