#!/usr/bin/env python3
"""Partitioned databases in plain folders, from one process to the next."""
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())

MAKE = """
db = database(args[0], VALUE, 1..3)
t = table(1 2 3 1 as id, 1.5 2 3 4 as v)
db.createPartitionedTable(t, `pt, `id).append!(t)
"""
READ = "print(exec sum(v) from loadTable(args[0], `pt))"


def run(folder, script, *arguments, where=None):
    file = folder / f"script{len(list(folder.iterdir()))}.dos"
    file.write_text(script)
    done = subprocess.run([PELORUS, "run", str(file), *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=where)
    return done.stdout.split(), done.stderr


def main():
    failures, passed = [], 0

    def check(name, holds, said):
        nonlocal passed
        passed += bool(holds)
        if not holds:
            failures.append(name)
            print(f"FAILED {name}: {said}")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ticks = folder / "ticks"
        made = run(folder, MAKE, ticks)
        check("made", not made[1], made)
        read = run(folder, READ, ticks)
        check("read by the next process", read[0] == ["10.5"], read)
        read = run(folder, READ, "./ticks", where=folder)
        check("named from its own folder", read[0] == ["10.5"], read)
        # A process that has it says so to another one, which is refused.
        holding = folder / "holding.dos"
        holding.write_text(READ + "\nsleep(60000)\n")
        first = subprocess.Popen([PELORUS, "run", str(holding), str(ticks)], stdout=subprocess.PIPE, text=True)
        try:
            check("held", first.stdout.readline() == "10.5\n", "")
            second = run(folder, READ, ticks)
            check("one process at a time", "is in use by another process" in second[1], second)
        finally:
            first.kill()
            first.wait()
        # Without its storage the folder has no database, and reading makes none.
        empty = run(folder, READ, folder / "nothing")
        check("nothing is made by reading", "has no table pt" in empty[1] and not (folder / "nothing").exists(), empty)
        dropped = run(folder, "dropDatabase(args[0])\nprint(existsDatabase(args[0]))", ticks)
        check("dropped", dropped[0] == ["false"] and not ticks.exists(), dropped)
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
