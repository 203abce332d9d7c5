#!/usr/bin/env python3
"""Settings that change what scripts mean: the same script with a file of settings and without. The page of settings shows the table
that the program prints; with --update behind the program's path the page is written anew."""
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())
PAGE = Path(__file__).resolve().parent.parent / "docs/operations.md"
TABLE = re.compile(r"^\| setting \| default \|.*\n(?:\|.*\n)*", re.MULTILINE)

# id of the checklist, setting, script, output by default, output with the setting false
CASES = [
    ("parseDecimalAsFloatingNumber", "print typestr(1.50)\nprint 1.50 + 1", ["DOUBLE", "2.5"], ["DECIMAL64", "2.50"]),
    ("parseDecimalAsFloatingNumber", "print typestr(1e2)", ["DOUBLE"], ["DOUBLE"]),
    ("appendTupleAsAWhole", "print (1, 2).append!((3, 4))", ["(1,2,(3,4))"], ["(1,2,3,4)"]),
    ("processVectorFunctionOverTupleByRow", "print cumsum((1 2, 10 20))\nprint sum((1 2, 10 20))",
     ["([1,2],[11,22])", "[11,22]"], ["([1,3],[10,30])", "[11,22]"]),
]

# The same of settings that are false by default: output by default, output with the setting true
OFF_BY_DEFAULT = [
    ("enableInsertStatementForDFSTable", """
rows = table(1 2 as id, 3 4 as v)
t = createPartitionedTable(database("dfs://inserts", VALUE, 1..3), rows, `t, `id)
t.append!(rows)
try { insert into t values(3, 5) } catch (ex) { print(substr(ex[1], 0, 11)) }
print(exec v from t)
""", ["Table[dfs://inserts/t]", "insert into", "[3,4]"], ["Table[dfs://inserts/t]", "[3,4,5]"]),
    ("enableShellFunction", """
try { print(shell("exit 0")) } catch (ex) { print(ex[1]) }
""", ["shell is switched off."], ["0"]),
]


def output(folder, script, settings):
    (folder / "settings.cfg").write_text(settings)
    (folder / "script.dos").write_text(script)
    done = subprocess.run([PELORUS, "run", "--config", folder / "settings.cfg", folder / "script.dos"],
                          capture_output=True, text=True, timeout=30)
    return done.stdout.splitlines() if done.returncode == 0 else [done.stderr.strip()]


# Four appends to one chunk at the same time. The rows of those that succeeded are there; whether one was refused.
CONFLICT = """
rows = table(take(1, 3000000) as id, rand(1.0, 3000000) as v)
t = createPartitionedTable(database("dfs://conflicts", VALUE, 1..3, atomic=ATOMIC), rows, `t, `id)
def put(rows, i) {
    try { tableInsert(loadTable("dfs://conflicts", "t"), rows); return 1 } catch (ex) { return iif(ex[1] like "%<ChunkInTransaction>%RefId: S00002%", 0, -100) }
}
done = sum(peach(put{rows}, 1..4))
print((exec count(*) from t) == done * 3000000)
print(done < 4)
"""


def conflicts(folder):
    for atomic, setting, refused in (("TRANS", "", "false"), ("TRANS", "appendConflict=wait\n", "false"), ("TRANS", "appendConflict=fail\n", "true"),
                                     ("CHUNK", "appendConflict=fail\n", "false")):
        actual = output(folder, CONFLICT.replace("ATOMIC", f"'{atomic}'"), setting)
        if actual[-2:] != ["true", refused]:
            yield f"{atomic} {setting.strip()}: expected true and {refused}, got {actual}"


def memory_limit(addresses):
    """What a process may take, MB, when the shell limits its address space."""
    done = subprocess.run([PELORUS, "-e", "try { rand(1.0, 2000000000) } catch (ex) { print(ex[1]) }"], capture_output=True, text=True,
                          timeout=30, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses)))
    found = re.search(r"the limit is ([\d.]+) MB", done.stdout)
    return float(found.group(1)) if found else done.stdout + done.stderr


def page_fault(updates):
    """What is wrong with the table on the page of settings, none if nothing is."""
    table = subprocess.run([PELORUS, "settings"], capture_output=True, text=True, timeout=30, check=True).stdout
    text = PAGE.read_text()
    shown = TABLE.search(text)
    if not shown:
        return f"{PAGE} has no table of settings"
    if shown.group() == table:
        return None
    if updates:
        PAGE.write_text(text[:shown.start()] + table + text[shown.end():])
        return None
    differing = sorted(set(table.splitlines()) ^ set(shown.group().splitlines()))
    return f"the table of {PAGE} differs from that of the program: write it anew with --update\n" + "\n".join(differing[:4])


def main():
    if fault := page_fault("--update" in sys.argv[2:]):
        print(f"FAILED {fault}")
    passed, failed = int(not fault), int(bool(fault))
    with tempfile.TemporaryDirectory() as name:
        cases = [(*case[:2], case[2], case[3], case[2]) for case in CASES]
        cases += [(*case[:2], case[2], case[2], case[3]) for case in OFF_BY_DEFAULT]
        for setting, script, by_default, when_false, when_true in cases:
            for text, expected in (("", by_default), (f"{setting}=true\n", when_true), (f"{setting}=false\n", when_false)):
                actual = output(Path(name), script, text)
                if actual == expected:
                    passed += 1
                else:
                    failed += 1
                    print(f"FAILED {setting} {text.strip() or 'default'}: expected {expected}, got {actual}")
        problems = list(conflicts(Path(name)))
        for problem in problems:
            print(f"FAILED {problem}")
        failed += bool(problems)
        passed += not problems
    limit = memory_limit(3 << 30)
    # A sanitized program maps more addresses than any shell gives, before it begins.
    skipped = isinstance(limit, str) and "ReserveShadowMemoryRange" in limit
    if skipped:
        print("SKIPPED the limit of the shell on addresses: a sanitized program needs more")
    elif limit == 2457.6:
        passed += 1
    else:
        failed += 1
        print(f"FAILED the limit of the shell on addresses, 80 %: expected 2457.6, got {limit}")
    print(f"{passed} passed, {failed} failed, {int(skipped)} skipped")
    return 1 if failed else 0


sys.exit(main())
