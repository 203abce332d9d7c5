#!/usr/bin/env python3
"""Runs every script below tests/script with the code generator off and on; with a second argument those whose path has it.
Scripts of the folder memory are about what is kept and spilled, and take minutes: they run with it off.

A line `// expect: TEXT` names the next line of output, wherever it stands; a script's whole output is the list of them.
`// expect like: PATTERN` is a line that the regular expression describes.
`// expect error LINE:COLUMN: TEXT` at the end says how it fails, and where; `// expect message: TEXT` what else the
message says. A line `// ---` ends a script: what follows in the file is another one, run by itself.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXPECT = re.compile(r"// expect: ?(.*)$")
EXPECT_LIKE = re.compile(r"// expect like: ?(.*)$")
EXPECT_ERROR = re.compile(r"// expect error (\d+:\d+): (.*)$")
EXPECT_MESSAGE = re.compile(r"// expect message: (.*)$")


def scripts_of(path):
    """The scripts of a file, with the line each begins in: the line `// ---` before it, which is its line 1."""
    scripts, begin = [], 0
    lines = path.read_text().splitlines()
    for i, line in enumerate(lines + ["// ---"]):
        if line.startswith("// ---"):
            scripts.append((begin + 1, lines[begin:i]))
            begin = i
    return scripts


def expectations(lines):
    output, error, messages = [], None, []
    for line in lines:
        if found := EXPECT.search(line):
            output.append(found.group(1).rstrip())
        elif found := EXPECT_LIKE.search(line):
            output.append(re.compile(found.group(1).rstrip()))
        elif found := EXPECT_ERROR.search(line):
            error = found.groups()
        elif found := EXPECT_MESSAGE.search(line):
            messages.append(found.group(1).rstrip())
    return output, error, messages


TOGETHER = 2  # scripts at once

# For a script that hangs: those that spill to disk take minutes in a sanitized build.
SECONDS = 600

# A sanitized build's leak checker cannot always walk the threads that made machine code.
WITHOUT_LEAKS = {"ASAN_OPTIONS": "detect_leaks=0"}


def check(pelorus, lines, jit):
    output, error, messages = expectations(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.dos"
        path.write_text("\n".join(lines) + "\n")
        command = [pelorus, "run", "--module-dir", str(HERE.parent / "support/modules"), str(path), folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=folder,
                                  env={**os.environ, "PELORUS_JIT": jit, **({} if jit == "off" else WITHOUT_LEAKS)})
        except subprocess.TimeoutExpired:
            return [f"did not end in {SECONDS} s"]
    actual = [line.rstrip() for line in done.stdout.splitlines()]
    problems = []
    # A line that a pattern describes stands for itself.
    output = [got if isinstance(want, re.Pattern) and want.fullmatch(got) else want
              for want, got in itertools.zip_longest(output, actual[:len(output)], fillvalue="(nothing)")]
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
    problems += [f"the message lacks {m!r}: {done.stderr.strip()}" for m in messages if m not in done.stderr]
    return problems


# With `always`, an expression over vectors, a loop and a function of scalars are machine code when they run.
MACHINE_CODE = """
y = rand(1.0, 100000) * 2.0 + 1.0
print(getCompiledRegionCount() > 0)
def half(x) { return x / 2.0 }
s = 0.0
for (i in 0..20000) { s += half(double(i)) }
print(getCompiledFunctionCount() > 0)
"""


def machine_code_problem(pelorus):
    """Why `always` would test nothing but `off` again; empty when machine code runs."""
    if not list(Path(pelorus).resolve().parent.rglob("libpelorus_jit.so")):
        # A build without the code generator says so in its cache: then there is nothing to test.
        cache = Path(pelorus).resolve().parent / "CMakeCache.txt"
        without = cache.exists() and "PELORUS_JIT:BOOL=OFF" in cache.read_text()
        return "" if without else "the code generator is not there: build the target pelorus_jit"
    done = subprocess.run([pelorus, "-"], input=MACHINE_CODE, capture_output=True, text=True,
                          env={**os.environ, "PELORUS_JIT": "always", **WITHOUT_LEAKS})
    return "" if done.stdout.split() == ["true", "true"] else f"no machine code ran: {done.stdout} {done.stderr}"


def ways_of(path):
    return ("off",) if path.parent.name == "memory" else ("off", "always")


def main():
    pelorus = str(Path(sys.argv[1]).resolve())
    passed = failed = 0
    if problem := machine_code_problem(pelorus):
        failed += 1
        print(f"FAILED PELORUS_JIT=always: {problem}")
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    scripts = [(path, begin, lines) for path in sorted(p for p in HERE.rglob("*.dos") if wanted in str(p))
               for begin, lines in scripts_of(path)]
    # One script's two runs are one after the other: some write files under fixed names.
    with ThreadPoolExecutor(TOGETHER) as pool:
        both = pool.map(lambda script: [(jit, check(pelorus, script[2], jit)) for jit in ways_of(script[0])], scripts)
        for (path, begin, _), outcomes in zip(scripts, both):
            for jit, problems in outcomes:
                if problems:
                    failed += 1
                    print(f"FAILED {path.relative_to(HERE)}:{begin} (PELORUS_JIT={jit})")
                    print("\n".join("    " + p for p in problems))
                else:
                    passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
