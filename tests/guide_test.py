#!/usr/bin/env python3
"""Every example of the language guide, of the how-tos and of other pages runs and prints what the page says.

The ```dos blocks of a page of docs are one script. `// -> TEXT` is the next line of its output, behind the code that
prints it or on lines of its own; a page's output is the list of them. A block marked ```dos fails ends with the error of `// error: TEXT`.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(page for page in DOCS.glob("**/*.md") if "```dos" in page.read_text())
BLOCK = re.compile(r"^```dos( fails)?\n(.*?)^```$", re.M | re.S)
OUTPUT = re.compile(r"// -> ?(.*)$", re.M)
ERROR = re.compile(r"// error: (.*)$", re.M)


def run(pelorus, text):
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "page.dos"
        script.write_text(text)
        return subprocess.run([pelorus, "run", str(script), folder], capture_output=True, text=True, timeout=120, cwd=folder,
                              env={**os.environ, "PELORUS_JIT": "hot"})


def problems_of(pelorus, page):
    blocks = BLOCK.findall(page.read_text())
    good = "".join(code for fails, code in blocks if not fails)
    done = run(pelorus, good)
    wanted = [line.rstrip() for line in OUTPUT.findall(good)]
    got = [line.rstrip() for line in done.stdout.splitlines()]
    if done.returncode != 0:
        yield f"failed: {done.stderr.strip()}"
    for i in range(max(len(wanted), len(got))):
        want, have = (lines[i] if i < len(lines) else "(nothing)" for lines in (wanted, got))
        if want != have:
            yield f"output line {i + 1}: the page says {want!r}, it is {have!r}"
            break
    for fails, code in blocks:
        if not fails:
            continue
        done = run(pelorus, code)
        message = ERROR.search(code).group(1)
        if done.returncode != 1 or message not in done.stderr:
            yield f"expected the error {message!r}, got exit {done.returncode}: {done.stderr.strip()}"


def main():
    passed = failed = 0
    for page in PAGES:
        problems = list(problems_of(os.path.abspath(sys.argv[1]), page))
        passed, failed = passed + (not problems), failed + bool(problems)
        for problem in problems:
            print(f"FAILED {page.name}: {problem}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or passed < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
