#!/usr/bin/env python3
"""Runs every test and prints, as its last line, `N passed, N failed, N skipped`.

C++ tests are found by ctest in the build folder. Python tests are the programs tests/**/*_test.py; each gets the path of
the pelorus binary as its only argument and ends with a line of the same form. Those under tests/clients and tests/oracles run in .venv; the
oracles run without it, too, if scipy is there.
"""
import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOGETHER = 2  # tests at once; many of them use more than one thread themselves
# The programs that take minutes begin first: none of them is left to run alone at the end.
LONGEST = ["any_argument_test", "scripts_test", "limits_test", "jobs_test", "cancellation_test", "random_programs_test"]
WAITS = re.compile(r"cluster|lost_store")  # programs whose nodes wait for each other most of the time: one more at once
TALLY = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
FOUND = re.compile(r"runtime error: |ERROR: \w+Sanitizer|WARNING: \w+Sanitizer")


class Heartbeat:
    """Prints a line a minute with what runs, so that nobody takes a long run for one that hangs."""
    SECONDS = 60

    def __init__(self):
        self.started = time.monotonic()
        self.describe = lambda: ""
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.beat, daemon=True)
        self.thread.start()

    def beat(self):
        while not self.ended.wait(self.SECONDS):
            print(f"[{(time.monotonic() - self.started) / 60:.0f} min] {self.describe()}", flush=True)

    def stop(self):
        self.ended.set()
        self.thread.join()


class Running:
    """The programs that run now, how many have ended, and how long those took."""

    def __init__(self, total):
        self.lock = threading.Lock()
        self.total, self.ended, self.names = total, 0, []
        self.seconds = {}

    def run(self, name, work):
        with self.lock:
            self.names.append(name)
        begin = time.monotonic()
        try:
            return work()
        finally:
            with self.lock:
                self.names.remove(name)
                self.seconds[name] = time.monotonic() - begin
                self.ended += 1

    def describe(self):
        with self.lock:
            return f"{self.ended} of {self.total} test programs ended; running: {', '.join(self.names)}"

    def slowest(self, count):
        ordered = sorted(self.seconds.items(), key=lambda pair: -pair[1])[:count]
        return ", ".join(f"{name} {seconds:.0f} s" for name, seconds in ordered)


def last_of_ctest(log):
    """The last line of ctest's output that counts its tests."""
    try:
        lines = Path(log).read_text(errors="replace").splitlines()
    except OSError:
        return ""
    counted = [line.strip() for line in lines[-200:] if re.match(r"\s*\d+/\d+ Test", line)]
    return "C++ tests: " + re.sub(r"\s*\.\.+.*", "", counted[-1]) if counted else "C++ tests begin"


def run_ctest(build, seconds, failures):
    """(passed, failed, skipped) of the C++ tests; names those that failed in `failures`."""
    report = build / "tests.xml"
    report.unlink(missing_ok=True)
    of_one = max(300, int(seconds / 4))  # sanitized tests of injected faults take minutes
    command = ["ctest", "--test-dir", str(build), f"-j{TOGETHER}", "--output-on-failure", "--no-tests=ignore",
               "--timeout", str(of_one), "--output-junit", str(report)]
    with open(build / "tests.log", "w") as log:
        try:
            subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            print("ctest did not end in time; see", log.name)
            failures.append("ctest did not end in time")
            return 0, 1, 0
    if not report.exists():
        print("ctest left no report; see", build / "tests.log")
        failures.append("ctest left no report")
        return 0, 1, 0
    passed = failed = skipped = 0
    for case in xml.parse(report).getroot().iter("testcase"):
        status = case.get("status")
        if status == "run":
            passed += 1
        elif status in ("disabled", "notrun"):
            skipped += 1
            print("SKIPPED", case.get("name"))
        else:
            failed += 1
            failures.append(case.get("name"))
            print("FAILED", case.get("name"))
            output = case.findtext("system-out") or ""
            print("\n".join("    " + line for line in told(output)))
    return passed, failed, skipped


def told(output):
    """The last lines, behind the one in which a sanitizer says what it found: its stack may be longer."""
    lines = output.splitlines()
    return [line for line in lines[:-40] if FOUND.search(line)][:3] + lines[-40:]


def ended_late(process):
    """What a program said that hangs, with where its threads stood; it is ended with the nodes that it began."""
    process.send_signal(signal.SIGABRT)  # the interpreter's fault handler writes the stack of each thread
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return "".join(text or "" for text in process.communicate())


def run_program(path, pelorus, seconds):
    """(passed, failed, skipped), and what is to be said about it."""
    python = sys.executable
    virtual = ROOT / ".venv/bin/python"
    name = path.relative_to(ROOT)
    if "oracles" in path.parts and virtual.exists():
        python = str(virtual)
    if "clients" in path.parts or "rights" in path.parts:
        python = str(virtual)
        if not Path(python).exists():
            return (0, 0, 1), f"SKIPPED {name} (no .venv: scripts/setup.sh --python)"
    process = subprocess.Popen([python, "-X", "faulthandler", str(path), str(pelorus)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True)
    try:
        stdout, stderr = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        end = told(ended_late(process))
        return (0, 1, 0), "\n".join([f"FAILED {name} did not end in {seconds:.0f} s", *("    " + line for line in end)])
    done = subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)
    lines = done.stdout.strip().splitlines()
    tally = TALLY.match(lines[-1]) if lines else None
    if tally is None or (done.returncode != 0 and tally.group(2) == "0"):
        end = told(done.stdout + done.stderr)
        return (0, 1, 0), "\n".join([f"FAILED {name} exit {done.returncode} without a tally", *("    " + line for line in end)])
    counts = tuple(int(count or 0) for count in tally.groups())
    # What failed is said on either stream.
    said = lines[:-1][-60:] + (done.stderr.splitlines()[-60:] if counts[1] else [])
    return counts, "\n".join([str(name), *("    " + line for line in said)]) if any(counts[1:]) else ""


def first_failure(report):
    """The first line of a report that says what failed."""
    lines = [line.strip() for line in report.splitlines()]
    for sign in (r"FAILED", r"^\w*(Error|Exception|Refused|Exit|Expired)\b.*:", r"Error|failed"):
        for line in lines:
            if re.search(sign, line) and not line.startswith("raise "):
                return line[:500]
    return "no word of it"


def begins(path):
    """The key by which programs are sorted: the longest first, then by path."""
    return (LONGEST.index(path.stem) if path.stem in LONGEST else len(LONGEST), path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release", help="folder of the build to test")
    parser.add_argument("--hours", type=float, default=0.3, help="limit of each part")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    seconds = options.hours * 3600
    started = time.monotonic()

    heartbeat = Heartbeat()
    heartbeat.describe = lambda: last_of_ctest(build / "tests.log")
    failures = []
    total = list(run_ctest(build, seconds, failures))
    paths = sorted(ROOT.glob("tests/**/*_test.py"), key=begins)
    running = Running(len(paths))
    heartbeat.describe = running.describe
    with ThreadPoolExecutor(TOGETHER) as programs, ThreadPoolExecutor(1) as waiting:
        run = lambda path: running.run(path.name, lambda: run_program(path, build / "pelorus", seconds))  # noqa: E731
        ends = [(waiting if WAITS.match(path.name) else programs).submit(run, path) for path in paths]
        for path, end in zip(paths, ends):
            counts, report = end.result()
            if counts[1]:
                failures.append(f"{path.relative_to(ROOT)}: {first_failure(report)}")
            total = [sum(pair) for pair in zip(total, counts)]
            if report:
                print(report, flush=True)
    heartbeat.stop()
    passed, failed, skipped = total
    for failure in failures:
        print("failed:", failure)
    print(f"in {time.monotonic() - started:.0f} s; the slowest programs: {running.slowest(8)}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
