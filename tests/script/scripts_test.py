#!/usr/bin/env python3
"""Runs every script below tests/script with the code generator off and on.

A line `// expect: TEXT` names the next line of output, wherever it stands; a script's whole output is the list of them.
`// expect error LINE:COLUMN: TEXT` at the end says how it fails, and where.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXPECT = re.compile(r"// expect: ?(.*)$")
EXPECT_ERROR = re.compile(r"// expect error (\d+:\d+): (.*)$")


def expectations(path):
    output, error = [], None
    for line in path.read_text().splitlines():
        if found := EXPECT.search(line):
            output.append(found.group(1).rstrip())
        elif found := EXPECT_ERROR.search(line):
            error = found.groups()
    return output, error


def check(pelorus, path, jit):
    output, error = expectations(path)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([pelorus, "run", "--module-dir", str(HERE.parent / "support/modules"), str(path), folder], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PELORUS_JIT": jit})
    actual = [line.rstrip() for line in done.stdout.splitlines()]
    problems = []
    if actual != output:
        problems.append("output differs")
        for i in range(max(len(actual), len(output))):
            want = output[i] if i < len(output) else "(nothing)"
            got = actual[i] if i < len(actual) else "(nothing)"
            if want != got:
                problems.append(f"  line {i + 1}: expected {want!r}, got {got!r}")
                break
    if error is None and done.returncode != 0:
        problems.append("failed: " + done.stderr.strip())
    if error is not None:
        place, text = error
        if done.returncode != 1 or f":{place}:" not in done.stderr or text not in done.stderr:
            problems.append(f"expected an error at {place} with {text!r}, got exit {done.returncode}: {done.stderr.strip()}")
    return problems


def main():
    pelorus = sys.argv[1]
    passed = failed = 0
    for path in sorted(HERE.rglob("*.dos")):
        for jit in ("off", "always"):
            problems = check(pelorus, path, jit)
            if problems:
                failed += 1
                print(f"FAILED {path.relative_to(HERE)} (PELORUS_JIT={jit})")
                print("\n".join("    " + p for p in problems))
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
