#!/usr/bin/env python3
"""Values that were written as text are read back bit for bit: JSON with types, delimited text with a schema, and the source of code."""
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path((sys.argv[1:] or ["build/release/pelorus"])[0]).resolve())
sys.path.insert(0, str(Path(__file__).resolve().parent / "clients"))
from values_of_types import EXACT, TYPES, values  # noqa: E402

WAYS = {
    "toJson": "fromJson(toJson(x))",
    "source": "eval(eval(parseExpr(string(makeCall(same, x)))))",
}
# What no literal makes: containers, and a SYMBOL by itself, which is a STRING in code.
WITHOUT_SOURCE = ("table", "set", "dictionary", "column", "SYMBOL, element", "SYMBOL, last", "SYMBOL, NULL", "SYMBOL, pair")


def run(script, folder):
    (folder / "script.dos").write_text(script)
    return subprocess.run([PELORUS, "run", folder / "script.dos"], capture_output=True, text=True, timeout=120, cwd=folder)


def come_back(folder):
    cases = []
    for way, read in WAYS.items():
        for what, script in values():
            if way == "source" and what != "SYMBOL, NULLs" and any(word in what for word in (*WITHOUT_SOURCE, "matrix")):
                continue
            cases.append((f"{way}: {what}", f"x = {script}\ny = {read}\nisSame = typestr(x) == typestr(y) && eqObj(x, y)"))
    for kind, items in {**TYPES, **EXACT}.items():
        cases.append((f"saveText: {kind}", f'''x = {items}
saveText(table(x as v, 1..size(x) as k), "t.csv")
y = loadText("t.csv", schema=table(["v", "k"] as name, ["{kind}", "INT"] as type)).v
isSame = typestr(x) == typestr(y) && eqObj(x, y)'''))
    script = "def same(v) { return v }\n" + "".join(f'try {{ {code.replace(chr(10), "; ")}; print("=> " + isSame) }} catch (ex) {{ print("=> " + concat(split(ex[1], "\\n"), " ")) }}\n' for _, code in cases)
    done = run(script, folder)
    lines = [line[3:] for line in done.stdout.splitlines() if line.startswith("=> ")]
    if len(lines) != len(cases):
        return [f"{len(lines)} answers to {len(cases)} cases: {done.stderr[-1000:]}"], len(cases)
    return [f"{what}: {line}" for (what, _), line in zip(cases, lines) if line != "true"], len(cases)


def main():
    with tempfile.TemporaryDirectory() as name:
        failures, count = come_back(Path(name))
    for failure in failures:
        print("FAILED", failure)
    print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
