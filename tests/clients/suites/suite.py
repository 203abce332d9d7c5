"""What the runners of the makers' suites have in common: a node, cases that are excluded, and the closing count.

The suites are never part of this repository. Each runner takes the folder of its client's sources, as published, from the command line or from
an environment variable, and says so where it finds none: a suite that met no case has failed.
"""
import argparse
import collections
import fnmatch
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
PASSWORD = "123456"  # the suites log in with it


class Node:
    """A node of its own on a loopback port, in a folder that goes away with it; the suites' guests may run scripts."""

    def __init__(self, pelorus, settings=""):
        self.pelorus = str(pelorus)
        self.folder = tempfile.mkdtemp(prefix="pelorus_suite_")
        Path(self.folder, "node.cfg").write_text(
            f"port=0\ndataDir={self.folder}/data\nadminPassword={PASSWORD}\nguestsMayRun=true\nnewValuePartitionPolicy=add\n"
            f"enableInsertStatementForDFSTable=true\nmaxConnections=5000\n{settings}\n")
        self.port = None
        self.start()

    def start(self):
        command = [self.pelorus, "serve", "--config", self.folder + "/node.cfg"]
        command += ["--port", str(self.port)] if self.port else []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=open(self.folder + "/stderr", "a"), text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        raise RuntimeError("the node did not start: " + Path(self.folder, "stderr").read_text())

    def ensure_alive(self):
        """Starts the node again if it has gone: (whether it had gone)."""
        if self.process.poll() is None:
            return False
        self.start()
        return True

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def exclusions(name):
    """Pairs of a pattern of case names and the reason, from NAME.skip: `PATTERN: reason` a line."""
    pairs = []
    for number, line in enumerate(Path(HERE, name + ".skip").read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            pattern, colon, reason = line.partition(": ")
            if not colon or not reason.strip():
                sys.exit(f"{name}.skip:{number}: a line is `PATTERN: reason`")
            pairs.append((pattern.strip(), reason.strip()))
    return pairs


class Count:
    """Results by case: passed, failed with the error, excluded with the reason."""

    def __init__(self, name, verbose=False):
        self.name = name
        self.pairs = exclusions(name)
        self.used = set()
        self.passed, self.failed, self.excluded = [], {}, {}
        self.verbose = verbose

    def is_excluded(self, case):
        for pattern, reason in self.pairs:
            if fnmatch.fnmatchcase(case, pattern):
                self.excluded[case] = reason
                self.used.add(pattern)
                return True
        return False

    def add(self, case, error=None):
        if error is None:
            self.passed.append(case)
        else:
            self.failed[case] = error
        if self.verbose or error is not None:
            print(("ok     " if error is None else "FAILED ") + case + ("" if error is None else "  " + error[:400]), flush=True)

    def close(self, least=0.95):
        """Prints the count; 0 if enough of what is not excluded passed."""
        tried = len(self.passed) + len(self.failed)
        for reason, number in collections.Counter(self.excluded.values()).most_common():
            print(f"excluded {number:5}  {reason}")
        share = len(self.passed) / tried if tried else 0
        print(f"{self.name}: {len(self.passed)} passed of {tried} not excluded ({share:.1%}), {tried + len(self.excluded)} in all")
        return 0 if tried and share >= least else 1


def options_of(name, what, more=None):
    """The command line of a runner: the binary, and the suite's sources by --suite or PELORUS_<NAME>_SUITE."""
    variable = f"PELORUS_{name.upper()}_SUITE"
    parser = argparse.ArgumentParser(description=f"Runs {what} against a node of its own.")
    parser.add_argument("pelorus", nargs="?", default=str(ROOT / "build/release/pelorus"), help="the binary under test")
    parser.add_argument("--suite", default=os.environ.get(variable), help=f"folder with {what}; {variable} names it, too")
    parser.add_argument("--work", default=str(ROOT / "build/clients" / name), help="folder for what is built")
    parser.add_argument("--only", default="*", help="cases of this pattern")
    parser.add_argument("--all", action="store_true", help="also the excluded ones")
    parser.add_argument("--verbose", action="store_true")
    if more:
        more(parser)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the node, too
    if not options.suite or not Path(options.suite).is_dir():
        print(f"{name}: no suite. Clone {what} and name the folder by --suite or {variable}.")
        sys.exit(2)
    options.pelorus = Path(options.pelorus).resolve()
    options.suite = Path(options.suite).resolve()
    options.work = Path(options.work).resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    return options


def lines_until_silent(command, seconds, **more):
    """The lines of a program's output. A program that says nothing for so long is killed with what it started."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True, **more)
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        while (line := lines.get(timeout=seconds)) is not None:
            yield line.rstrip("\n")
    except queue.Empty:
        yield "@@silent"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
