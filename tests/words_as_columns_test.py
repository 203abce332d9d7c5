#!/usr/bin/env python3
"""Every word of the language as the name of a column, in every clause and statement, plain and as _"word".

Written as _"word" it is always the column. Plain it is the column, or the script is refused and told how to write it: never anything else.
Words for values (NULL, true, false) are these values wherever they stand plain.
"""
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PELORUS = str(Path((sys.argv[1:] or ["build/release/pelorus"])[0]).resolve())
KEYWORDS = Path(__file__).resolve().parent.parent / "interpreter/parser/keywords.h"
WORDS = sorted(set(re.findall(r'"(\w+)"', KEYWORDS.read_text()))) + ["by", "count", "date", "int", "INT", "x y", "1st", "行情"]
NOT_WORDS = {"x y", "1st"}  # which can't be written plain
VALUES = {"NULL", "true", "false"}

# What stands in a script (NAME is the column in a spelling, WORD its name, T a table of it and v), and what it prints.
FORMS = {
    "creating": ("t = table(1 2 3 as NAME, 4 5 6 as v); print(t.columnNames())", '["WORD","v"]'),
    "select": ("print((select NAME, v from T).values()[0])", "[1,2,3]"),
    "select alone": ("print((select NAME from T).values()[0])", "[1,2,3]"),
    "an alias": ("print((select v as NAME from T).columnNames())", '["WORD"]'),
    "an expression": ("print(exec NAME + 1 from T)", "[2,3,4]"),
    "exec": ("print(exec NAME from T)", "[1,2,3]"),
    "where": ("print(exec v from T where NAME > 1)", "[5,6]"),
    "two conditions": ("print(exec v from T where v > 4, NAME < 3)", "[5]"),
    "in": ("print(exec v from T where NAME in [1, 3])", "[4,6]"),
    "and, or": ("print(exec v from T where v > 4 and NAME = 3 or NAME = 1)", "[4,6]"),
    "group by": ("print((select sum(v) as s from T group by NAME).values()[0])", "[1,2,3]"),
    "group by two": ("print((select sum(v) as s from T group by v, NAME order by NAME).s)", "[4,5,6]"),
    "context by": ("print((select cumsum(v) as s from T context by NAME).s)", "[4,5,6]"),
    "csort": ("print((select cumsum(v) as s from T context by v csort NAME).s)", "[4,5,6]"),
    "pivot by": ("print((select sum(v) from T pivot by NAME, v).rows())", "3"),
    "order by": ("print(exec v from T order by NAME desc)", "[6,5,4]"),
    "order by two": ("print(exec v from T order by v, NAME)", "[4,5,6]"),
    "an aggregate": ("print(exec sum(NAME) from T)", "6"),
    "having": ("print((select sum(v) as s from T group by NAME having sum(NAME) > 1).s)", "[5,6]"),
    "update": ("t = T; update t set NAME = NAME * 2 where NAME > 1; print(t[`v] + t.values()[0])", "[5,9,12]"),
    "update of two": ("t = T; update t set v = 0, NAME = 7; print(t.values()[0])", "[7,7,7]"),
    "delete": ("t = T; delete from t where NAME = 2; print(t.v)", "[4,6]"),
    "insert": ("t = T; insert into t (NAME, v) values (9, 9); print(t.values()[0])", "[1,2,3,9]"),
    "case": ("print(exec case when NAME > 1 then NAME else 0 end from T)", "[0,2,3]"),
    "a member": ("t = T; print(t.NAME)", "[1,2,3]"),
    "a qualified name": ("t = T; print(exec t.NAME from t)", "[1,2,3]"),
    "join": ("t = T; u = table(1 2 as k, 7 8 as z); print(exec z from t inner join u on t.NAME = u.k)", "[7,8]"),
    "distinct": ("print(exec distinct NAME from T)", "[1,2,3]"),
    "union": ("print((select NAME from T union all select NAME from T).rows())", "6"),
    "an inner query": ("print(exec v from T where v in (select v from T where NAME > 1))", "[5,6]"),
    "sqlCol": ('print(sql(select=sqlCol("WORD"), from=T).eval().values()[0])', "[1,2,3]"),
    "source and back": ("t = T; c = <select NAME, v + NAME as x from t where NAME > 1 order by NAME desc>; "
                        "d = parseExpr(string(c)); print(string(c) == string(d) or string(c) == string(eval(d))); print(eval(eval(d)).x)", "[9,7]"),
    "schema": ("t = T; print(exec name from schema(t).colDefs)", '["WORD","v"]'),
    "create table": ('if (existsDatabase("dfs://words")) dropDatabase("dfs://words"); d = database("dfs://words", VALUE, 1..3); '
                     'create table "dfs://words"."t" (NAME INT, v INT) partitioned by v; print(loadTable("dfs://words", "t").columnNames())', '["WORD","v"]'),
}
MAKE = 'def made(w) { return table(1 2 3 as a, 4 5 6 as v).rename!("a", w) }\n'


def filled(script, word, name):
    quoted = word.replace('"', '\\"')
    script = script.replace("NAME", name).replace("WORD", quoted)
    return re.sub(r"\bT\b", lambda _: f'made("{quoted}")', script).replace("; ", "\n")


def run(script):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.dos").write_text(script)
        return subprocess.run([PELORUS, "run", "script.dos"], capture_output=True, text=True, timeout=120, cwd=folder)


def check(form):
    """The failures of a form, and how many cases it has."""
    code, expected = FORMS[form]
    failures, count = [], 0
    for spelling in ("quoted", "plain"):
        words = [w for w in WORDS if spelling == "quoted" or w not in NOT_WORDS]
        script, wanted = MAKE, []
        for word in words:
            name = f'_"{word}"' if spelling == "quoted" else word
            inner = filled(code, word, name)
            text = inner.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            body = MAKE.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + text
            script += f'print("=> {word}")\ntry {{ runScript("{body}") }} catch (ex) {{ print("error: " + ex[1]) }}\n'
            wanted.append((word, expected.replace("WORD", word)))
        output = run(script).stdout
        parts = dict(re.findall(r"=> (.*)\n((?:(?!=> ).*\n?)*)", output))
        for word, want in wanted:
            count += 1
            got = parts.get(word, "").strip()
            if got.split("\n")[-1] == want:
                continue
            refused = spelling == "plain" and "error: " in got
            if refused or (spelling == "plain" and word in VALUES):
                continue
            failures.append(f"{form}, {spelling} {word}: {got or '(nothing)'}")
    return failures, count


def main():
    passed = failed = 0
    with ThreadPoolExecutor(2) as pool:
        for failures, count in pool.map(check, FORMS):
            passed += count - len(failures)
            failed += len(failures)
            for failure in failures:
                print("FAILED", failure)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
