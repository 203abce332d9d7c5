#!/usr/bin/env python3
"""The console as a person meets it: the time until its first prompt, and the time from Enter to the head of a table of 10^7 rows.

    .venv/bin/python scripts/bench_console.py [PELORUS]

Beside it DuckDB's console, where `duckdb` (PyPI's duckdb-cli) is found in build/bench/venv or on the PATH. Each line prints the figure, the
peer's in the same run, and their ratio."""
import os
import pty
import select
import shutil
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PELORUS = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/pelorus")
ROUNDS = 15
ROWS = 10_000_000


class Typed:
    """A program in a pseudo terminal, watched for what it writes."""

    def __init__(self, command, home):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.environ.update(HOME=home, TERM="xterm-256color", PAGER="cat", INPUTRC="/dev/null")
            os.execv(command[0], command)

    def until(self, wanted, seconds=60):
        came, begin = b"", time.perf_counter()
        while wanted not in came and time.perf_counter() - begin < seconds:
            if select.select([self.descriptor], [], [], 0.5)[0]:
                piece = os.read(self.descriptor, 65536)
                came += piece
                if b"\x1b[6n" in piece:  # asks where the cursor is
                    os.write(self.descriptor, b"\x1b[1;1R")
        if wanted not in came:
            sys.exit(f"{wanted!r} did not come, but {came[-500:]!r}")
        return time.perf_counter() - begin

    def quiet(self):
        """Takes in, and answers, what else comes."""
        while select.select([self.descriptor], [], [], 0.1)[0]:
            if b"\x1b[6n" in os.read(self.descriptor, 65536):
                os.write(self.descriptor, b"\x1b[1;1R")

    def type(self, line, wanted):
        os.write(self.descriptor, line.encode() + b"\r")
        return self.until(wanted)

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.descriptor)


def start(command, home, prompt):
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        console = Typed(command, home)
        console.until(prompt)
        times.append(time.perf_counter() - begin)
        console.close()
    return statistics.median(times)


def head(command, home, prompt, make, show, last):
    console = Typed(command, home)
    console.until(prompt)
    console.quiet()
    console.type(make[0], make[1])
    time.sleep(3)
    console.quiet()
    times = []
    for _ in range(ROUNDS):
        times.append(console.type(show, last))
        console.quiet()
    console.close()
    return statistics.median(times)


def line(what, ours, theirs):
    peer = f"  DuckDB {theirs * 1e3:8.2f} ms  {ours / theirs:5.2f}x" if theirs else "  DuckDB is not installed"
    print(f"{what:<40} {ours * 1e3:8.2f} ms{peer}")


def main():
    peer = next((str(p) for p in [ROOT / "build/bench/venv/bin/duckdb"] if p.exists()), shutil.which("duckdb"))
    with tempfile.TemporaryDirectory() as home:
        ours = [PELORUS, "--data", home + "/data"]
        line("start until the prompt", start(ours, home, b"> "), peer and start([peer, "-dark-mode"], home, b"D "))
        # Empty databases for both: the rows stay in memory.
        shown = head(ours, home, b"> ", (f"t = table(take(`A`B`C, {ROWS}) as sym, rand(100.0, {ROWS}) as price, 1..{ROWS} as qty);", b"> "),
                     "t", b"rows shown")
        theirs = peer and head([peer, "-dark-mode"], home, b"D ", (f"create table t as select 'A' as sym, random() as price, range as qty from range({ROWS});", b"D "),
                               "from t;", b"40 shown")
        line("head and tail of 10^7 rows", shown, theirs)


main()
