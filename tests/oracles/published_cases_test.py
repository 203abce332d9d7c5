#!/usr/bin/env python3
"""The cases that the published module ta brings along: each statement holds with one of the module's versions.

PELORUS_MODULES names the folder of the published modules, with ta/src and ta/test. The cases were written over years,
each for the version of its day: the functions of the newest one compute some indicators otherwise.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())
FOLDER = Path(os.environ.get("PELORUS_MODULES", "")) / "ta"


def cases(text):
    """Text of a file without what only the family's runner reads; its lines keep their numbers."""
    return "\n".join("" if re.match(r"\s*(#include|@testing)", line) else line for line in text.splitlines())


def expected_errors(text):
    """The first and last line of each case that must fail."""
    begins = [(i, "exception=1" in line.replace(" ", "")) for i, line in enumerate(text.splitlines(), 1) if line.startswith("@testing")]
    ends = [begin - 1 for begin, _ in begins[1:]] + [10**9]
    return [(begin, end) for (begin, fails), end in zip(begins, ends) if fails]


def failures(home, path):
    """Lines of a file of cases on which something fails that should not, with the module that lies in `home`."""
    text = path.read_text()
    script = home / path.name
    data = path.parent / "setup/data"
    script.write_text(f'DATA_DIR = "{data}"; ' + cases(text))
    done = subprocess.run([PELORUS, "run", "--keep-going", str(script)], capture_output=True, text=True, timeout=120, cwd=home,
                          env={**os.environ, "HOME": str(home), "PELORUS_HOME": str(home)})
    lines = {int(line) for line in re.findall(rf"^{re.escape(str(script))}:(\d+):\d+:", done.stderr, re.M)}
    meant = expected_errors(text)
    missed = [begin for begin, end in meant if not any(begin <= line <= end for line in lines)]
    return {line for line in lines if not any(begin <= line <= end for begin, end in meant)} | set(missed)


def main():
    versions = sorted((FOLDER / "src").glob("**/ta.dos"))
    files = sorted((FOLDER / "test").glob("*.txt"))
    if not versions or not files:
        print("SKIPPED tests/oracles/published_cases_test.py (PELORUS_MODULES names no folder with ta/src and ta/test)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    failing, asserts = {path: None for path in files}, 0
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "modules").mkdir()
        for version in versions:
            (home / "modules/ta.dos").write_text(version.read_text())
            for path in files:
                if failing[path] == set():
                    continue
                now = failures(home, path)
                failing[path] = now if failing[path] is None else failing[path] & now
    for path in files:
        asserts += len(re.findall(r"^\s*assert", path.read_text(), re.M))
        for line in sorted(failing[path]):
            print(f"FAILED {path.name}:{line}")
    failed = sum(len(lines) for lines in failing.values())
    print(f"{asserts - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
