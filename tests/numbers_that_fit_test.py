#!/usr/bin/env python3
"""A number that its place cannot hold never becomes another number: every type by every way in, as docs/language/values.md says.

Storing refuses it, and nothing has changed then. Converting gives NULL, but whole numbers keep their low bits, as the published reference has it.
Aggregates give NULL. Files give NULL, and tell it.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path((sys.argv[1:] or ["build/release/pelorus"])[0]).resolve())

# Of each type: two elements, what fits last, and numbers that do not.
TYPES = {
    "CHAR": ("char(1 2)", "char(127)", ["128", "-128", "300h", "100000l", "1e10", "-3e5f"]),
    "SHORT": ("1h 2h", "32767", ["32768", "-32768", "65578", "3000000000l", "1e10"]),
    "INT": ("1 2", "2147483647l", ["2147483648l", "-2147483648l", "3000000000l", "1e10", "-1e300"]),
    "LONG": ("1l 2l", "9.2e18", ["9.3e18", "-1e300", "1e19f"]),
    "FLOAT": ("1f 2f", "3e38", ["1e39", "-1e300"]),
    "DECIMAL32(2)": ("decimal32(1 2, 2)", "20000000.0", ["30000000", "1e10", "decimal64(30000000, 2)"]),
    "DECIMAL64(4)": ("decimal64(1 2, 4)", "900000000000000l", ["1e15", "1000000000000000l"]),
    "DATE": ("2020.01.01 2021.01.01", "2038.02.01T00:00:00.000", ["3000000000l"]),
    "DATETIME": ("2020.01.01T00:00:00 2021.01.01T00:00:00", "2038.01.19T03:14:07.999", ["2038.01.19T03:14:08.000", "2200.01.01", "3000000000l"]),
    "NANOTIMESTAMP": ("2020.01.01T00:00:00.000000001 2021.01.01T00:00:00.000000001", "2262.04.11T23:47:16.000", ["2300.01.01", "1600.01.01T00:00:00.000"]),
}
# Ways that a type does not have.
WITHOUT = {"an array vector": ("DECIMAL",), "elements by condition": ("DECIMAL", "DATE", "NANO"),
           "join!": ("DATETIME", "NANO")}  # a tuple, when the types differ

# Ways to store VALUE: what makes `x` of ITEMS, what stores it, and what shows what is there.
STORES = {
    "an element": ("x = ITEMS", "x[1] = VALUE", "x"),
    "an element in a loop": ("x = ITEMS", "put(x, VALUE)", "x"),
    "elements": ("x = ITEMS", "x[0 1] = take(VALUE, 2)", "x"),
    "elements by condition": ("x = ITEMS", "x[x > 1] = VALUE", "x"),
    "append!": ("x = ITEMS", "x.append!(VALUE)", "x"),
    "join!": ("x = ITEMS", "x.join!(VALUE)", "x"),
    "append! of several": ("x = ITEMS", "x.append!(take(VALUE, 3))", "x"),
    "replace!": ("x = ITEMS", "x.replace!(x[0], VALUE)", "x"),
    "nullFill!": ("x = ITEMS; x[1] = NULL", "x.nullFill!(VALUE)", "x"),
    "a cell": ("x = matrix(ITEMS, ITEMS)", "x[0, 1] = VALUE", "flatten(x)"),
    "a column of a matrix": ("x = matrix(ITEMS, ITEMS)", "x[1] = take(VALUE, 2)", "flatten(x)"),
    "an array vector": ("x = array(TYPE[], 0).append!([ITEMS])", "x.append!([take(VALUE, 2)])", "x.flatten()"),
    "insert": ("t = table(ITEMS as x)", "insert into t values(VALUE)", "t.x"),
    "insert of several": ("t = table(ITEMS as x)", "insert into t values(take(VALUE, 2))", "t.x"),
    "insert by name": ("t = table(ITEMS as x, 1 2 as k)", "insert into t (k, x) values (3, VALUE)", "t.x"),
    "append! of a table": ("t = table(ITEMS as x)", "t.append!(table(take(VALUE, 2) as x))", "t.x"),
    "tableInsert": ("t = table(ITEMS as x)", "tableInsert(t, VALUE)", "t.x"),
    "tableInsert of a table": ("t = table(ITEMS as x)", "tableInsert(t, table(take(VALUE, 2) as x))", "t.x"),
    "tableInsert of a row": ("t = table(ITEMS as x, 1 2 as k)", "tableInsert(t, (VALUE, 3))", "t.x"),
    "update": ("t = table(ITEMS as x, 1 2 as k)", "update t set x = VALUE where k = 2", "t.x"),
    "update of all": ("t = table(ITEMS as x, 1 2 as k)", "update t set k = 7, x = VALUE", "t.x, t.k"),
    "upsert!": ("t = keyedTable(`k, 1 2 as k, ITEMS as x)", "upsert!(t, table(2 3 as k, take(VALUE, 2) as x))", "(select * from t).x"),
    "keyed append!": ("t = keyedTable(`k, 1 2 as k, ITEMS as x)", "t.append!(table(2 3 as k, take(VALUE, 2) as x))", "(select * from t).x"),
    "a shared table": ("share table(ITEMS as x) as shared_numbers", "shared_numbers.append!(table(take(VALUE, 2) as x))", "shared_numbers.x"),
    "a table on disk": ("p = stored(table(1:0, `k`x, [INT, TYPE])); p.append!(table(1 2 as k, ITEMS as x))", "p.append!(table(3 4 as k, take(VALUE, 2) as x))",
                        "exec x from p order by k"),
    "tableInsert on disk": ("p = stored(table(1:0, `k`x, [INT, TYPE])); p.append!(table(1 2 as k, ITEMS as x))", "tableInsert(p, table(3 4 as k, take(VALUE, 2) as x))",
                            "exec x from p order by k"),
    "update on disk": ("p = stored(table(1:0, `k`x, [INT, TYPE])); p.append!(table(1 2 as k, ITEMS as x))", "update p set x = VALUE where k = 2",
                       "exec x from p order by k"),
    "upsert! on disk": ("p = stored(table(1:0, `k`x, [INT, TYPE])); p.append!(table(1 2 as k, ITEMS as x))",
                        "upsert!(p, table(2 3 as k, take(VALUE, 2) as x), keyColNames=`k)", "exec x from p order by k"),
}
SCALAR_STORES = {
    "a value of a dictionary": ("d = dict(INT, TYPE); d[1] = ITEMS[0]", "d[1] = VALUE", "d[1]"),
}
STORED = """
def put(mutable x, v) {
    for (i in 0..3000) { x[1] = v }
}
def stored(t) {
    if (existsDatabase("dfs://fit")) dropDatabase("dfs://fit")
    return database("dfs://fit", HASH, [INT, 2]).createPartitionedTable(t, `t, `k)
}
"""


def run(script, folder, jit="off"):
    (folder / "script.dos").write_text(script)
    return subprocess.run([PELORUS, "run", folder / "script.dos", str(folder)], capture_output=True, text=True, timeout=300, cwd=folder,
                          env={**os.environ, "PELORUS_JIT": jit})


def marked(output):
    """The lines that the script prints, among those that statements show."""
    return [line[3:] for line in output.splitlines() if line.startswith("=> ")]


def storing_refuses(folder, jit="off"):
    """Returns the ways that do not, and how many there are."""
    wrong = []
    script, expected = [], []
    for kind, (items, _, values) in TYPES.items():
        ways = dict(STORES)
        if "(" not in kind:
            ways |= SCALAR_STORES
        for name, (make, store, show) in ways.items():
            if kind.startswith(WITHOUT.get(name, ())):
                continue
            for value in values:
                fill = lambda text: text.replace("ITEMS", f"({items})").replace("VALUE", f"({value})").replace("TYPE", kind)
                label = f"{kind}, {name}, {value}"
                expected.append(label)
                script.append(f"""{fill(make)}
before = string(({fill(show)}))
try {{ {fill(store)}; print("=> stored") }} catch (ex) {{ print("=> " + concat(split(ex[1], "\\n"), " ")) }}
print("=> " + eqObj(before, string(({fill(show)}))))
""")
    done = run(STORED + "\n".join(script), folder, jit)
    lines = marked(done.stdout)
    if len(lines) != 2 * len(expected):
        return [f"{len(lines)} lines for {len(expected)} ways: {done.stderr[-2000:]}"], len(expected)
    for label, message, same in zip(expected, lines[::2], lines[1::2]):
        if "does not fit" not in message and not ("DECIMAL" in label and "Decimal math overflow" in message):
            wrong.append(f"{label}: {message}")
        elif same != "true":
            wrong.append(f"{label}: something has changed")
    return wrong, len(expected)


def storing_in_machine_code_refuses(folder):
    return storing_refuses(folder, "always")


def what_fits_is_stored(folder):
    script, expected = [], []
    for kind, (items, most, _) in TYPES.items():
        for name, (make, store, show) in STORES.items():
            if kind.startswith(WITHOUT.get(name, ())):
                continue
            fill = lambda text: text.replace("ITEMS", f"({items})").replace("VALUE", f"({most})").replace("TYPE", kind)
            expected.append(f"{kind}, {name}")
            script.append(f'{fill(make)}\ntry {{ {fill(store)}; print("=> stored") }} catch (ex) {{ print("=> " + concat(split(ex[1], "\\n"), " ")) }}\n')
    done = run(STORED + "\n".join(script), folder)
    lines = marked(done.stdout)
    if len(lines) != len(expected):
        return [f"{len(lines)} lines for {len(expected)} ways: {done.stderr[-2000:]}"], len(expected)
    return [f"{label}: {line}" for label, line in zip(expected, lines) if line != "stored"], len(expected)


# Conversions and aggregates, and what they give.
RESULTS = {
    # Floats and strings that do not fit are NULL; whole numbers keep their low bits.
    "int(3e10)": "", "short(1e6)": "", "long(1e19)": "", "char(200.0)": "", "int(`3000000000)": "", 'short("70000")': "", 'long("9999999999999999999")': "",
    "int([1e10, 5])": "[,5]", 'short(["70000", "7"])': "[,7]", "cast(1e10, INT)": "", "[1e10, 2.0]$INT": "[,2]", '["70000", "3"]$SHORT': "[,3]",
    "float(1e300)": "", "float([1e300, 2])": "[,2]", "short(65578)": "42", "short([65578, 1])": "[42,1]", "int(4294967298l)": "2",
    # Dates and times.
    "datetime(2038.01.19T03:14:08.000)": "", "datetime(2038.01.19T03:14:07.999)": "2038.01.19T03:14:07", "datetime(2200.01.01)": "", "date(3000000000l)": "",
    "nanotimestamp(2300.01.01)": "", "nanotimestamp(2300.01.01T00:00:00.000)": "", "datetime(2200.01.01T00:00:00.000000000)": "",
    "date(2200.01.01T00:00:00.000)": "2200.01.01", "timestamp(2300.01.01)": "2300.01.01T00:00:00.000", "datetime([2200.01.01, 2020.01.01])": "[,2020.01.01T00:00:00]",
    # Aggregates.
    "prod(take(100000, 4))": "", "prod(take(10, 18))": "1000000000000000000", "prod(take(100000, 4) join 0)": "0", "cumprod(take(100000l, 4))": "[100000,10000000000,1000000000000000,]",
    "cumprod(3 3037000499l)": "[3,9111001497]", "prod(4611686018427387904l 2)": "", "prod(-4611686018427387904l 2)": "",
    "sum(take(9000000000000000000l, 2))": "", "sum([9000000000000000000l, 9000000000000000000l, -9000000000000000000l])": "9000000000000000000",
    "sum(take(2147483647, 4))": "8589934588", "cumsum([9000000000000000000l, 9000000000000000000l, -9000000000000000000l])": "[9000000000000000000,,9000000000000000000]",
    "msum([9000000000000000000l, 9000000000000000000l, 1l], 2)": "[,,9000000000000000001]", "rowSum(take(9000000000000000000l, 2), take(1l 9000000000000000000l, 2))": "[9000000000000000001,]",
    "rowProd(take(4000000000l, 2), [1l, 4000000000l])": "[4000000000,]", "avg(take(9000000000000000000l, 4)) == 9e18": "true",
    "mprod(take(100000, 4), 4)": "[,,,1.0E20]", "sum(take(1e308, 3))": "", "prod(take(1e308, 3))": "",
    "(select sum(v) as s, prod(v) as p from table(take(9000000000000000000l, 4) as v, 1 1 2 3 as k) group by k).s": "[,9000000000000000000,9000000000000000000]",
    "(select sum(v) as s, prod(v) as p from table(take(9000000000000000000l, 4) as v, 1 1 2 3 as k) group by k).p": "[,9000000000000000000,9000000000000000000]",
    "(select cumsum(v) as s from table(take(9000000000000000000l, 3) as v, 1 1 2 as k) context by k).s": "[9000000000000000000,,9000000000000000000]",
    "sum(decimal64(take(900000000000000.5, 20000), 4)) > 0": "true",
}


def conversions_and_aggregates(folder):
    cases = RESULTS
    done = run("".join(f"print(string({e}))\n" if not v.startswith("[") else f"print({e})\n" for e, v in cases.items()), folder)
    lines = done.stdout.splitlines()
    if len(lines) != len(cases):
        return [done.stdout[-300:] + done.stderr[-2000:]], len(cases)
    return [f"{e}: {line}, not {v}" for (e, v), line in zip(cases.items(), lines) if line != v], len(cases)


def files_tell(folder):
    """loadText gives NULL and tells it."""
    kinds = ["CHAR", "SHORT", "INT", "LONG", "FLOAT"]
    wrong = []
    for kind in kinds:
        number = {"CHAR": "300", "SHORT": "70000", "INT": "3000000000", "LONG": "9999999999999999999", "FLOAT": "1e300"}[kind]
        (folder / "f.csv").write_text(f"a\n1\n{number}\n")
        done = run(f't = loadText(args[0] + "/f.csv", , table(["a"] as name, ["{kind}"] as type))\nprint(isNull(t.a))', folder)
        if done.stdout.strip().splitlines()[-1:] != ["[false,true]"] or f'1 field is no {kind} and became NULL, the first is "{number}" in line 3' not in done.stdout + done.stderr:
            wrong.append(f"{kind}: {done.stdout}{done.stderr}")
    return wrong, len(kinds)


def main():
    count = failed = 0
    with tempfile.TemporaryDirectory() as name:
        for test in (storing_refuses, storing_in_machine_code_refuses, what_fits_is_stored, conversions_and_aggregates, files_tell):
            wrong, cases = test(Path(name))
            count += cases
            failed += len(wrong)
            for line in wrong:
                print(f"FAILED {test.__name__}: {line}")
    print(f"{count - failed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
