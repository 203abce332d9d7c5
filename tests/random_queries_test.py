#!/usr/bin/env python3
"""Random queries give the same over a table in memory as over its partitions, with machine code on and off."""
import os
import random
import subprocess
import sys
import tempfile

QUERIES = int(os.environ.get("PELORUS_RANDOM_QUERIES", "60"))

SETUP = """
n = 30000
done = setRandomSeed(%d)
data = table(2024.01.01 + rand(4, n) as day, take(symbol(`AA`BB`CC`DD`EE`FF`GG), n) as sym, rand(100, n) as qty,
    iif(rand(10, n) == 0, double(), rand(50.0, n)) as price, rand(1000000, n) as big, 09:30:00 + rand(20000, n) as time)
byDay = database("", VALUE, 2024.01.01..2024.01.04)
bySym = database("", RANGE, `A`C`E`Z)
db = database("dfs://random", COMPO, [byDay, bySym])
parts = db.createPartitionedTable(data, `parts, `day`sym)
written = tableInsert(parts, data)
// Rows of one symbol and day keep their order; between partitions the order is the scheme's.
def near(x, y) {
    if (typestr(x) != typestr(y)) return false
    if (typestr(x) != "FAST DOUBLE VECTOR") return eqObj(x, y)
    return all(x == y || (isValid(x) && isValid(y) && abs(x - y) <= 1e-9 * (abs(x) + 1)))
}
def same(a, b) {
    if (a.rows() != b.rows()) return false
    if (a.rows() == 0) return true
    return all(each(near, a.values(), b.values()))
}
"""


def expression(r, depth=0):
    if depth > 2 or r.random() < 0.3:
        return r.choice(["qty", "price", "big", "2", "0.5", "10"])
    a, b = expression(r, depth + 1), expression(r, depth + 1)
    return r.choice([f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / {b})", f"abs({a})", f"iif({a} > {b}, {a}, {b})"])


def condition(r):
    return r.choice([
        "day between 2024.01.02 : 2024.01.03", "day = 2024.01.01", "sym = `CC", "sym in `AA`EE`ZZ", "price > 10", "qty between 20:60",
        "time > 11:00:00", f"{expression(r)} > {expression(r)}", "isNull(price)", "not isNull(price)", "qty < 50 or price > 40",
        "day >= 2024.01.03 and qty % 3 == 1",
    ])


def first_rows(r):
    """The first rows in an order that leaves nothing open, so that it does not matter where the rows lie."""
    shown = [f"{expression(r)} as x", "sym", "qty", "price", "big", "day"]
    order = r.sample(["price", "qty desc", "day", "big desc", "sym", "x desc", expression(r)], r.randint(1, 3)) + ["day", "sym", "qty", "price", "big"]
    where = ", ".join(condition(r) for _ in range(r.randint(0, 2)))
    limit = r.choice(["limit 1", "limit 10", "limit 1000", "limit 5, 20", "limit 29995, 100", "limit 100000", ""])
    return f"select {', '.join(shown)} from {{}}{' where ' + where if where else ''} order by {', '.join(order)} {limit}"


def query(r):
    if r.random() < 0.3:
        return first_rows(r)
    aggregates = [f"{f}({expression(r)}) as a{i}" for i, f in enumerate(r.choices(["sum", "avg", "min", "max", "count", "std"], k=2))]
    keys = r.sample(["sym", "day", "minute(time) as m", "qty % 7 as q", "big / 100000 as b"], r.randint(1, 3))
    where = ", ".join(condition(r) for _ in range(r.randint(0, 3)))
    text = "select " + ", ".join([*aggregates, "count(*) as n"]) + " from {}" + (" where " + where if where else "")
    return text + (" group by " + ", ".join(keys) if r.random() < 0.8 else "")


def main():
    seed = int(os.environ.get("PELORUS_SEED", "20240101"))
    r = random.Random(seed)
    queries = [query(r) for _ in range(QUERIES)]
    script = SETUP % seed + "".join(f"print(same({q.format('data')}, {q.format('parts')}))\n".replace("same(", "same((", 1)
                                    .replace(f", {q.format('parts')}", f"), ({q.format('parts')})", 1) for q in queries)
    passed = failed = 0
    outputs = []
    for jit in ("off", "always"):
        with tempfile.NamedTemporaryFile("w", suffix=".dos") as file:
            file.write(script)
            file.flush()
            done = subprocess.run([sys.argv[1], "run", "--keep-going", file.name], capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "PELORUS_JIT": jit})
        if done.stderr:
            print(done.stderr[:2000])
        answers = done.stdout.split()
        outputs.append(answers)
        if len(answers) != len(queries):
            print(f"FAILED {len(queries) - len(answers)} queries gave no answer (PELORUS_JIT={jit})")
            failed += 1
        for q, answer in zip(queries, answers):
            if answer == "true":
                passed += 1
            else:
                failed += 1
                print(f"FAILED (PELORUS_JIT={jit}, PELORUS_SEED={seed}): {q}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
