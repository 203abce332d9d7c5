#!/usr/bin/env python3
"""The first statement of a process over tables that another process wrote answers as every later one does: the codes of
symbols are the process's own, and known only once a block of their column was read."""
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())

MAKE = """
db = database("dfs://first", VALUE, 1..2)
n = 200000  // many enough for blocks on disk
t = table(take(1 1 2 2, n) as id, symbol(take(["red", "green", "blue", ""], n)) as s, take(1 2 3 4, n) as v)
db.createPartitionedTable(t, `t, `id).append!(t)
u = table(1 2 as id, symbol(["green", "grey"]) as s, 10 20 as w)
db.createPartitionedTable(u, `u, `id).append!(u)
"""
# A statement over `t` and `u`, and its answer. Each runs in a process of its own.
FIRST = {
    'exec distinct v from t where s = "red"': "[1]",
    'exec distinct v from t where s <> "red"': "[2,3,4]",
    'exec distinct v from t where "blue" == s and v > 0': "[3]",
    "exec distinct v from t where s = 'q' or s != `green": "[1,3,4]",
    'exec distinct v from t where s in ["green", "blue"]': "[2,3]",
    'exec distinct v from t where s not in ("green", "blue")': "[1,4]",
    'exec distinct v from t where s > "blue"': "[1,2]",
    'exec distinct v from t where s like "gr%"': "[2]",
    'exec distinct v from t where s between "b" and "h"': "[2,3]",
    'exec sum(iif(s = "red", v, 0)) from t': "50000",
    'exec sum(case when s <> "red" then v else 0 end) from t': "450000",
    'exec distinct w from t, u where t.s = u.s': "[10]",
    'exec distinct v from t where s in (select s from u)': "[2]",
    'exec count(*) from t where isNull(s)': "50000",
    'exec distinct v from t where s = ""': "[4]",
    'exec max(v) from t where s = "blue"': "3",
}


def run(folder, script):
    file = folder / "script.dos"
    file.write_text(script)
    done = subprocess.run([PELORUS, "run", "--data", str(folder / "data"), str(file)], capture_output=True, text=True, timeout=60)
    return done.stdout.strip(), done.stderr.strip()


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = run(folder, MAKE)
        if made[1]:
            print(f"FAILED to make the tables: {made[1]}")
            failed += 1
        opened = 't = loadTable("dfs://first", `t)\nu = loadTable("dfs://first", `u)\n'
        for statement, expected in FIRST.items():
            once = run(folder, opened + f"r = {statement}\nprint(r)")
            twice = run(folder, opened + f"r = {statement}\nr = {statement}\nprint(r)")
            holds = not once[1] and once == twice and once[0] == expected
            passed += holds
            failed += not holds
            if not holds:
                print(f"FAILED {statement}: first {once}, then {twice}, expected {expected}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
