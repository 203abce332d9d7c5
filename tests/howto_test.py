#!/usr/bin/env python3
"""Every command of the how-tos and of the guide runs and prints what the page says.

The ```sh blocks of a page of docs are one script of bash, with `pelorus` on its path, in a folder of its own. `# -> TEXT` is the next
line of its output, below the code that prints it; `…` in it is any text. The port 8848 of the pages is a free one. What a page starts ends
with it. The ```dos blocks are run by tests/guide_test.py.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = Path(__file__).resolve().parent.parent / "docs"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
OUTPUT = re.compile(r"^# -> ?(.*)$", re.M)
NEEDED = ("etcd", "curl")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(pelorus, script, folder):
    """The output of a script, whose processes are ended after it."""
    path = str(Path(pelorus).parent) + os.pathsep + os.environ["PATH"]
    with open(Path(folder, "..", "errors.txt"), "w+") as errors:
        process = subprocess.Popen(["bash", "-e", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True,
                                   env={**os.environ, "PATH": path})
        try:
            output, _ = process.communicate(timeout=180)
        except subprocess.TimeoutExpired:
            output = "(it took longer than three minutes)"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        errors.seek(0)
        return process.returncode, output, errors.read().strip()


def problems_of(pelorus, page):
    script = "".join(BLOCK.findall(page.read_text()))
    wanted = [line.rstrip() for line in OUTPUT.findall(script)]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        code, output, errors = run(pelorus, script.replace("8848", str(free_port())), work)
        subprocess.run([pelorus, "cluster", "down", "--dir", str(work / "cluster")], capture_output=True, timeout=60)
    if code != 0:
        yield f"ended with {code}: {errors}"
    got = [line.rstrip() for line in output.splitlines()]
    for i in range(max(len(wanted), len(got))):
        want, have = (lines[i] if i < len(lines) else "(nothing)" for lines in (wanted, got))
        if not re.fullmatch(".*".join(map(re.escape, want.split("…"))), have):
            yield f"output line {i + 1}: the page says {want!r}, it is {have!r}"
            break


def main():
    pages = [page for page in sorted(PAGES.glob("**/*.md")) if BLOCK.search(page.read_text())]
    missing = [name for name in NEEDED if subprocess.run(["which", name], capture_output=True).returncode != 0]
    if missing:
        print(f"SKIPPED tests/howto_test.py (no {', '.join(missing)}: scripts/setup.sh)")
        print(f"0 passed, 0 failed, {len(pages)} skipped")
        return 0
    passed = failed = 0
    for page in pages:
        problems = list(problems_of(os.path.abspath(sys.argv[1]), page))
        passed, failed = passed + (not problems), failed + bool(problems)
        for problem in problems:
            print(f"FAILED {page.name}: {problem}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or len(pages) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
