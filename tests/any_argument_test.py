#!/usr/bin/env python3
"""Every function takes any argument: it gives a value or a clean error, and never ends the process.

Each function is called with values of all types and forms: one argument of each kind, then random combinations of as many arguments as
it has parameters, fewer, and one more. Some of the arguments are left out. PELORUS_SEED and PELORUS_ANY_ARGUMENT_CALLS (combinations a
function, 40) choose them. The test fails, too, when a type or form is missing among the values, or a function among those that were met.
"""
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

CALLS = int(os.environ.get("PELORUS_ANY_ARGUMENT_CALLS", "30"))
TOGETHER = 10  # functions of one process
STACK_KB = int(os.environ.get("PELORUS_STACK_KB", "1024"))  # sanitized frames need more
VALUES = [
    "NULL", "true", "'c'", "3h", "7", "-1", "0", "00i", "5l", "00l", "2.5", "00F", "1.5f", "2024.03.15", "2024.03M", "09:30:00.123", "09:30m",
    "09:30:00", "2024.03.15T09:30:00", "2024.03.15T09:30:00.123", "2024.03.15T09:30:00.123456789", "`sym", '""', '"some text"', "15m", "1:5",
    "1 2 3", "3 NULL 1 1", "1.5 NULL -2", "take(0, 0)", "array(DOUBLE, 0)", "array(STRING, 0)", "true false NULL", "`A`B`A", "symbol(`A`B`A)", "2024.01.01..2024.01.03",
    "09:30:00 + 0..2", "(1, `a, 2.5)", "()", "(1 2, 3 4)", "[[1, 2], [3]]", "1..6$2:3", "(1.5 2 3 4)$2:2", "matrix(1 2, 3 4).rename!(`a`b)", "set(1 2 3)",
    "dict(`a`b, 1 2)", "{k: 1, v: `x}", "table(`A`B`A as s, 1 2 3 as i, 1.5 2 NULL as d)", "table(1:0, `a`b, [INT, STRING])", "add", "x -> x", "(x, y) -> x + y",
    "sum", "add{1}", "<1 + 2>", "<select * from table(1 2 as x)>", "INT", "uuid()", "ipaddr(\"1.2.3.4\")", "complex(1, 2)", "point(1, 2)", "decimal64(1.25, 2)",
    "array(INT[], 0)", "matrix(INT, 0, 2)", "dict(INT, INT)", "(add, 1)", "set(take(0, 0))", "(take(0, 0), take(0, 0))", "(1 2, 3)",
    "datehour(2024.03.15T09:00:00)", "09:30:00.123456789", "int128(\"e1671797c52e15f763380b45e841ec32\")", "decimal128(1.25, 3)", "blob([\"a\", \"\"])",
    "'a' 'b' 'c'", "1h 2h 00h", "5l 00l 7l", "1.5f NULL 2f", "2024.03M + 0..2", "09:30m + 0..2", "09:30:00.123 + 0..2", "2024.03.15T09:30:00 + 0..2",
    "2024.03.15T09:30:00.123 + 0..2", "09:30:00.123456789 + 0..2", "2024.03.15T09:30:00.123456789 + 0..2", "datehour(2024.03.15T09:00:00) + 0..2",
    "uuid([\"\", \"5d212a78-cc48-e3b1-4235-b4d91cee3e87\"])", "ipaddr([\"1.2.3.4\", \"::1\"])", "complex(1 2, 3 4)", "point(1 2, 3 4)", "[15m, 1h, 2d]",
    "2024.01.01:2024.02.01", "1.5:2.5", "set(`a`b)", "set(2024.01.01..2024.01.03)", "decimal64(1.5 2.5 NULL 4, 2)$2:2", "symbol(`A`B`A`B)$2:2", "tensor(1..6$2:3)",
    "keyedTable(`k, 1 2 3 as k, `a`b`c as v)", "indexedTable(`k, 1 2 3 as k, 1 2 3 as v)", "streamTable(1:0, `a`b, [INT, DOUBLE])",
    "indexedSeries(2024.01.01..2024.01.03, 1 2 3)", "def(a, b = 1) { return a + b }", "sqlDS(<select * from table(1 2 as x)>)", "decimal32([1.5, NULL], 1)", "array(INT[], 0).append!([1 2, 3])", "arrayVector(2 3, 1 2 3)", "blob(\"b\")", "1000000", "1e308", "float(`inf)",
    "(select NULL as v from table(1 2 3 as a)).v", "select a, NULL as v from table(1 2 3 as a)", "table(1:0, [`v], [IOTANY]).append!(table([1, 2] as v)).v",
    "(2024.01.01, 1)", "(2024.01.01..2024.01.03, 1.5 2 3)", "deepList", "deepDictionary", "deepCode", "deepQuery",
    "handle", "cached",
]
# What is nested deeper than any stack: one line before the calls.
DEEP = ("deepList = (1, 2); deepDictionary = dict(STRING, ANY); deepCode = <1>; deepQuery = table(1 2 as x); "
        "for (i in 0..30000) { deepList = (deepList, 1); deepCode = expr(deepCode, +, 1); deepQuery = sql(sqlCol(`x), deepQuery); "
        "outer = dict(STRING, ANY); outer[`a] = deepDictionary; deepDictionary = outer }; "
        # Tables that compute their rows.
        "handle = createReactiveStateEngine(`any, <prev(v)>, table(1:0, `v`w, [INT, INT]), table(1:0, [`a], [INT])); "
        "def rates() { return table(1..3 as k, 4..6 as v) }; cached = cachedTable(rates, 60)")
# They stop or change the process or its surroundings, wait, or reach for files and machines.
LEFT_OUT = re.compile(
    r"^(.*::.*|exit|quit|sleep|shell|remove.*|rm.*|mkdir|drop.*|save.*|write.*|file|files|close.*|load.*|ploadText|textChunkDS|xdb|rpc|remoteRun.*|pnodeRun|"
    r"submitJob.*|cancel.*|kill.*|share|undef|clear.*|run|read.*|backup|restore|set.*Size|setMaxMemSize|setMaxConnections|login|logout|createUser|"
    r"deleteUser|changePwd|resetPwd|grant|revoke|deny|rand.*|timer|shutdown.*|stop.*|start.*|test|addFunctionView|import.*|use.*|iterate|accumulate|reduce|"
    r"createPartitionedTable|createTable|database|truncate.*|rename|exists.*|getHomeDir|.*[cC]hunk.*|getNodeAlias|executeQuery|"
    r"repeat|take|bigarray|array|til|cross|pcross|eye|repmat|stretch|fixedLengthArrayVector|panel|lpad|rpad|brute.*|seq)$")


# What type() and form() give for VALUES, taken together. 32 BLOB … 103 DECIMAL128[]: a value of each that scripts can make.
TYPES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 25, 28, 30, 31, 32, 34, 35, 36, 37, 38, 39, 41, 68}
FORMS = {0, 1, 2, 3, 4, 5, 6, 10}


def calls_of(name, most, r):
    calls = [f"{name}({v})" for v in VALUES]
    if most > 1:
        calls += [f"{name}(deepList, (deepList, 1))", f"{name}(1, deepList)", f"{name}(deepDictionary, deepDictionary)", f"{name}(deepCode, deepList)"]
    for _ in range(CALLS):
        count = r.choice([most, most + 1, r.randint(2, max(2, most))])
        # Left out, or the value of that type; only what is not first may be left out.
        arguments = ["" if i > 0 and r.random() < 0.1 else r.choice(VALUES) for i in range(count)]
        calls.append(f"{name}({', '.join(arguments)})")
    return calls


def script_of(calls):
    lines = [DEEP] + [f'try {{ unused = {call}; print("value") }} catch (e) {{ print("error " + e[1]) }}' for call in calls]
    return "\n".join(lines) + "\n"


def use_small_stack():
    """What goes down a value level by level without looking at the room that is left ends the process, however small its frames are."""
    resource.setrlimit(resource.RLIMIT_STACK, (STACK_KB << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def problems_of_several(pelorus, folder, names, most, seed):
    """Problems of functions that share a process, which makes the deep values once; each has its own when that one ends otherwise than well."""
    calls = {name: calls_of(name, most.get(name, 4), random.Random(f"{seed} {name}")) for name in names}
    path = os.path.join(folder, f"{names[0].replace('!', '_')}_and_more.dos")
    with open(path, "w") as f:
        f.write(script_of([call for name in names for call in calls[name]]))
    try:
        done = run_script(pelorus, path, 60)
    except subprocess.TimeoutExpired:
        done = None
    answers = answers_of(done) if done else []
    if done and done.returncode == 0 and len(answers) == sum(map(len, calls.values())):
        made = [call for name in names for call in calls[name]]
        return [f"{call}: {answer}" for call, answer in zip(made, answers) if tells_of_a_defect(answer)]
    return [problem for name in names for problem in problems_of(pelorus, folder, name, calls[name])]


def run_script(pelorus, path, seconds):
    return subprocess.run([pelorus, "run", path], capture_output=True, text=True, errors="replace", timeout=seconds, stdin=subprocess.DEVNULL,
                          preexec_fn=use_small_stack)


def answers_of(done):
    return [line for line in done.stdout.splitlines() if line == "value" or line.startswith("error ")]


def tells_of_a_defect(answer):
    return "internal error" in answer.lower()


def problems_of(pelorus, folder, name, calls):
    # What does not even compile (a value where a function must stand) is an error told before anything runs: one script a call then.
    path = os.path.join(folder, f"{name.replace('!', '_')}.dos")
    problems, start, met = [], 0, 0
    while start < len(calls):
        with open(path, "w") as f:
            f.write(script_of(calls[start:]))
        try:
            done = run_script(pelorus, path, 60)
        except subprocess.TimeoutExpired:
            return [*problems, f"{name}: hangs"]
        answers = answers_of(done)
        problems += [f"{call}: {answer}" for call, answer in zip(calls[start:], answers) if tells_of_a_defect(answer)]
        met += len(answers)
        if done.returncode == 0:
            return problems if met > 0 else [*problems, f"{name}: none of its calls was made"]
        if done.returncode == 1:  # a line that does not compile: leave it out
            found = re.search(r"\.dos:(\d+):", done.stderr)
            if not found:
                return [*problems, f"{name}: {done.stderr.strip()}"]
            del calls[start + int(found.group(1)) - 2]
            continue
        problems.append(f"{calls[min(start + len(answers), len(calls) - 1)]}: exit {done.returncode} {done.stderr.strip()[-200:]}")
        start += len(answers) + 1
        if len(problems) > 3:
            return problems
    return problems


def missing_kinds(pelorus):
    """Types and forms that no value has."""
    script = DEEP + "\n" + "".join(f"try {{ v = {value}; print(string(type(v)) + ' ' + string(form(v))) }} catch (e) {{ print(e[1]) }}\n" for value in VALUES)
    with tempfile.NamedTemporaryFile("w", suffix=".dos") as file:
        file.write(script)
        file.flush()
        done = subprocess.run([pelorus, "run", file.name], capture_output=True, text=True)
    kinds = [tuple(map(int, line.split())) for line in done.stdout.splitlines() if re.fullmatch(r"-?\d+ \d+", line)]
    wrong = [] if len(kinds) == len(VALUES) else [f"{len(VALUES) - len(kinds)} of the values are none: {done.stdout[-300:]} {done.stderr[-300:]}"]
    return wrong + sorted(TYPES - {t for t, _ in kinds}) + sorted(FORMS - {f for _, f in kinds})


def main():
    pelorus = os.path.abspath(sys.argv[1])
    seed = os.environ.get("PELORUS_SEED", "1")
    listed = subprocess.run([pelorus, "-e", 'd = defs(); for (i in 0:size(d)) print(d.name[i] + " " + string(d.maxParamCount[i]))'],
                            capture_output=True, text=True).stdout.splitlines()
    most = {line.rsplit(" ", 1)[0]: min(int(line.rsplit(" ", 1)[1]), 8) for line in listed}
    names = [n for n in most if re.fullmatch(r"[a-zA-Z]\w*!?", n) and not LEFT_OUT.match(n)]
    failed = 0
    if len(sys.argv) > 2:
        names = sys.argv[2:]
    else:
        if missing := missing_kinds(pelorus):
            print("FAILED types or forms without a value:", missing)
            failed += 1
        unmet = [n for n in most if n not in names and not LEFT_OUT.match(n)]
        if unmet or len(names) < 900:
            print(f"FAILED only {len(names)} functions are met; not met: {unmet}")
            failed += 1
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        groups = [names[i:i + TOGETHER] for i in range(0, len(names), TOGETHER)]
        for problems in pool.map(lambda group: problems_of_several(pelorus, folder, group, most, seed), groups):
            failed += len(problems)
            for problem in problems:
                print("FAILED", problem, flush=True)
    print(f"{max(0, len(names) + (0 if len(sys.argv) > 2 else 2) - failed)} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
