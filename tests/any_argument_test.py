#!/usr/bin/env python3
"""Every function takes any argument: it gives a value or a clean error, and never ends the process.

Each function is called with values of all types and forms: one argument of each kind, then random combinations of two to four.
PELORUS_SEED and PELORUS_ANY_ARGUMENT_CALLS (combinations a function, 40) choose them.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

CALLS = int(os.environ.get("PELORUS_ANY_ARGUMENT_CALLS", "40"))
VALUES = [
    "NULL", "true", "'c'", "3h", "7", "-1", "0", "00i", "5l", "00l", "2.5", "00F", "1.5f", "2024.03.15", "2024.03M", "09:30:00.123", "09:30m",
    "09:30:00", "2024.03.15T09:30:00", "2024.03.15T09:30:00.123", "2024.03.15T09:30:00.123456789", "`sym", '""', '"some text"', "15m", "1:5",
    "1 2 3", "3 NULL 1 1", "1.5 NULL -2", "take(0, 0)", "array(DOUBLE, 0)", "true false NULL", "`A`B`A", "symbol(`A`B`A)", "2024.01.01..2024.01.03",
    "09:30:00 + 0..2", "(1, `a, 2.5)", "()", "(1 2, 3 4)", "[[1, 2], [3]]", "1..6$2:3", "(1.5 2 3 4)$2:2", "matrix(1 2, 3 4).rename!(`a`b)", "set(1 2 3)",
    "dict(`a`b, 1 2)", "{k: 1, v: `x}", "table(`A`B`A as s, 1 2 3 as i, 1.5 2 NULL as d)", "table(1:0, `a`b, [INT, STRING])", "add", "x -> x", "(x, y) -> x + y",
    "sum", "add{1}", "<1 + 2>", "<select * from table(1 2 as x)>", "INT", "uuid()", "ipaddr(\"1.2.3.4\")", "complex(1, 2)", "point(1, 2)", "decimal64(1.25, 2)",
    "array(INT[], 0)", "matrix(INT, 0, 2)", "dict(INT, INT)", "(add, 1)", "set(take(0, 0))", "(take(0, 0), take(0, 0))", "(1 2, 3)",
    "decimal32([1.5, NULL], 1)", "array(INT[], 0).append!([1 2, 3])", "arrayVector(2 3, 1 2 3)", "blob(\"b\")", "1000000", "1e308", "float(`inf)",
]
# They stop or change the process or its surroundings, wait, or reach for files and machines.
LEFT_OUT = re.compile(
    r"^(exit|quit|sleep|shell|remove.*|rm.*|mkdir|drop.*|save.*|write.*|file|files|close.*|load.*|ploadText|textChunkDS|xdb|rpc|remoteRun.*|pnodeRun|"
    r"submitJob.*|cancel.*|kill.*|share|undef|clear.*|run|read.*|backup|restore|set.*Size|setMaxMemSize|setMaxConnections|login|logout|createUser|"
    r"deleteUser|changePwd|resetPwd|grant|revoke|deny|rand.*|timer|shutdown.*|stop.*|start.*|test|addFunctionView|import.*|use.*|iterate|accumulate|reduce|"
    r"createPartitionedTable|createTable|database|truncate.*|rename|exists.*|getHomeDir|.*[cC]hunk.*|getNodeAlias|executeQuery|"
    r"repeat|take|bigarray|array|til|cross|pcross|eye|repmat|stretch|fixedLengthArrayVector|panel|lpad|rpad|brute.*|seq)$")


def calls_of(name, r):
    calls = [f"{name}({v})" for v in VALUES]
    for _ in range(CALLS):
        calls.append(f"{name}({', '.join(r.choice(VALUES) for _ in range(r.randint(2, 4)))})")
    return calls


def script_of(name, calls):
    lines = [f'try {{ unused = {call}; print("value") }} catch (e) {{ print("error " + e[1]) }}' for call in calls]
    return "\n".join(lines) + "\n"


def problems_of(pelorus, folder, name, seed):
    r = random.Random(f"{seed} {name}")
    calls = calls_of(name, r)
    # What does not even compile (a value where a function must stand) is an error told before anything runs: one script a call then.
    path = os.path.join(folder, f"{name.replace('!', '_')}.dos")
    problems, start = [], 0
    while start < len(calls):
        with open(path, "w") as f:
            f.write(script_of(name, calls[start:]))
        try:
            done = subprocess.run([pelorus, "run", path], capture_output=True, text=True, errors="replace", timeout=60, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return [*problems, f"{name}: hangs"]
        answers = [line for line in done.stdout.splitlines() if line == "value" or line.startswith("error ")]
        for call, answer in zip(calls[start:], answers):
            if "Internal error" in answer or "internal error" in answer:
                problems.append(f"{call}: {answer}")
        if done.returncode == 0:
            return problems
        if done.returncode == 1:  # a line that does not compile: leave it out
            found = re.search(r"\.dos:(\d+):", done.stderr)
            if not found:
                return [*problems, f"{name}: {done.stderr.strip()}"]
            del calls[start + int(found.group(1)) - 1]
            continue
        problems.append(f"{calls[min(start + len(answers), len(calls) - 1)]}: exit {done.returncode} {done.stderr.strip()[-200:]}")
        start += len(answers) + 1
        if len(problems) > 3:
            return problems
    return problems


def main():
    pelorus = os.path.abspath(sys.argv[1])
    seed = os.environ.get("PELORUS_SEED", "1")
    names = subprocess.run([pelorus, "-e", 'for (n in (exec name from defs())) print(n)'], capture_output=True, text=True).stdout.split()
    names = [n for n in names if re.fullmatch(r"[a-zA-Z]\w*!?", n) and not LEFT_OUT.match(n)]
    if len(sys.argv) > 2:
        names = sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        for problems in pool.map(lambda name: problems_of(pelorus, folder, name, seed), names):
            failed += bool(problems)
            for problem in problems:
                print("FAILED", problem, flush=True)
    print(f"{len(names) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
