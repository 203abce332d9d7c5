#!/usr/bin/env python3
"""As-of joins of random tables give what Polars' join_asof gives: every direction, with and without a tolerance, by one key,
several or none, with the right side in order or not, in memory and in partitions.

No two right rows have one time, and no left row lies in the middle of two: which of several rows is taken is ours to say, and
tests/script/queries/asof_joins.dos says it. Needs polars in .venv; skipped without.
PELORUS_SEED chooses the tables.
"""
import os
import random
import subprocess
import sys
import tempfile

try:
    import polars as pl
except ImportError:
    print("SKIPPED tests/oracles/asof_oracle_test.py (no polars: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

ROUNDS = int(os.environ.get("PELORUS_ORACLE_JOINS", "60"))
SEED = int(os.environ.get("PELORUS_SEED", "20260301"))


def rows(r, count, span, remainder, unique):
    """Times are `remainder` modulo 4: 0 on the left and 1 on the right, so that none lies in the middle of two."""
    found, seen = [], set()
    for i in range(count):
        row = (r.choice(["a", "b", "c", None]), r.choice([1, 2, None]), 4 * r.randrange(span) + remainder, i)
        if unique and row[2] in seen:
            continue
        seen.add(row[2])
        found.append(row)
    return found


def as_script(name, table):
    def items(column, null):
        return "[" + ",".join(null if row[column] is None else f'"{row[column]}"' if column == 0 else str(row[column]) for row in table) + "]"
    if not table:
        return f"{name} = table(1:0, `s`k`at`x, [SYMBOL, INT, LONG, INT])\n"
    return f'{name} = table(symbol({items(0, chr(34) * 2)}) as s, {items(1, "00i")} as k, long({items(2, "00l")}) as at, {items(3, "00i")} as x)\n'


def expected(left, right, keys, direction, tolerance):
    schema = {"s": pl.String, "k": pl.Int32, "at": pl.Int64, "x": pl.Int32}
    l = pl.DataFrame(left, schema=schema, orient="row").sort("at")
    r = pl.DataFrame(right, schema=schema, orient="row").sort("at").rename({"x": "y"})
    for key in keys:  # a NULL key matches nothing
        r = r.filter(pl.col(key).is_not_null())
    joined = l.join_asof(r, on="at", by=keys or None, strategy=direction, tolerance=tolerance, check_sortedness=False)
    return dict(joined.select("x", "y").rows())


def main():
    r = random.Random(SEED)
    script = """
db = database("dfs://asofOracle", VALUE, 0..4)
def stored(db, t, name) {
    rows = select *, x % 5 as part from t
    return db.createPartitionedTable(rows, name, `part).append!(rows)
}
def told(number, l, r, keys, direction, tolerance) {
    joined = select x, r_x as y from aj(l, r as r, keys, , direction, tolerance) order by x
    print(string(number) + " " + concat(string(joined.y), ","))
}
"""
    cases = []
    for number in range(ROUNDS):
        left = rows(r, r.choice([0, 1, 30, 300]), r.choice([10, 100, 5000]), 0, False)
        right = rows(r, r.choice([0, 1, 30, 300]), r.choice([10, 100, 5000]), 1, True)
        script += as_script("l", left) + as_script("r", right)
        script += f'pl = stored(db, l, "l{number}")\npr = stored(db, r, "r{number}")\n'
        keys = r.choice([[], ["s"], ["k"], ["s", "k"]])
        names = "".join("`" + name for name in [*keys, "at"])
        direction, tolerance = r.choice(["backward", "forward", "nearest"]), r.choice([None, None, 1, 3, 7, 100])
        bound = "NULL" if tolerance is None else str(tolerance)
        answer = expected(left, right, keys, direction, tolerance)
        text = ",".join("" if answer[row[3]] is None else str(answer[row[3]]) for row in left)
        places = [("l", "r"), ("(select * from l order by at)", "(select * from r order by at)"), ("pl", "pr"), ("l", "(select * from r order by at desc)")]
        for a, b in places:
            script += f'told({len(cases)}, {a}, {b}, {names}, "{direction}", {bound})\n'
            cases.append((f"aj({a}, {b}, {names}, , {direction}, {bound})", text))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "joins.dos")
        with open(path, "w") as file:
            file.write(script)
        done = subprocess.run([sys.argv[1], "run", "--data", os.path.join(folder, "data"), "--keep-going", path], capture_output=True, text=True, timeout=600)
    if done.stderr:
        print(done.stderr[:2000])
    answers = dict(line.partition(" ")[::2] for line in done.stdout.splitlines())
    failed = 0
    for number, (what, text) in enumerate(cases):
        if answers.get(str(number)) != text:
            failed += 1
            print(f"FAILED PELORUS_SEED={SEED}, join {number}: {what}\n    ours   {answers.get(str(number))}\n    Polars {text}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
