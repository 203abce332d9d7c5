#!/usr/bin/env python3
"""make check-long: everything again with full counts, sanitizers, clang-tidy and the fuzzers, in stages.

    check_long.py [--only STAGE[,STAGE]] [--again] [--soak] [--list]

A stage that has passed is not run again on the same commit: a second call goes on where the first one was stopped. With changes
that are not committed, every stage runs. What a stage prints is kept in build/check-long/STAGE.log; the closing table names each
stage with its time and its last line. --soak runs the stages of `make soak` instead, which take hours.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build/check-long"
JOBS = str(os.cpu_count() or 2)
PYTHON = sys.executable

# Full counts: `make test` has shorter ones of the same tests.
FULL = {"PELORUS_CRASH_ROUNDS": "1000", "PELORUS_ORACLE_QUERIES": "6000", "PELORUS_KINDS_QUERIES": "2400", "PELORUS_FUZZ_ROUNDS": "200000",
        "PELORUS_HISTORY_SEEDS": "400", "PELORUS_SIMULATIONS": "2000", "PELORUS_FAULTS_SECONDS": "600",
        "PELORUS_SOAK_CHUNKS": "20000", "PELORUS_EXPRESSIONS": "40000", "PELORUS_GROUPED_QUERIES": "30"}
# Sanitized code is some ten times slower: about the counts of `make test`.
SANITIZED = {"PELORUS_CRASH_ROUNDS": "30", "PELORUS_FUZZ_ROUNDS": "20000", "PELORUS_ORACLE_QUERIES": "400", "PELORUS_KINDS_QUERIES": "240",
             "PELORUS_HISTORY_SEEDS": "20", "PELORUS_SIMULATIONS": "20", "PELORUS_MISTAKE_SEEDS": "0",
             "PELORUS_GROUPED_QUERIES": "2", "PELORUS_STACK_KB": "8192", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
HOURS = {**FULL, "PELORUS_CRASH_ROUNDS": "10000", "PELORUS_HISTORY_SEEDS": "20000", "PELORUS_SIMULATIONS": "20000", "PELORUS_MISTAKE_SEEDS": "2000", "PELORUS_KINDS_QUERIES": "60000", "PELORUS_SOAK_CHUNKS": "100000",
         "PELORUS_ARGUMENT_PAIRS": "all", "PELORUS_EXPRESSIONS": "2000000", "PELORUS_SHARED_ROUNDS": "3000", "PELORUS_GROUPED_QUERIES": "1000"}
TSAN_FOLDERS = ("common", "runtime", "storage", "sql")


def build(preset, *targets, options=()):
    chosen = [word for target in targets for word in ("--target", target)]
    return [["cmake", "--preset", preset, *options], ["cmake", "--build", "--preset", preset, "-j" + JOBS, *chosen]]


def suite(folder, hours):
    return [PYTHON, "scripts/run_tests.py", "--build", folder, "--hours", str(hours)]


TSAN = {"TSAN_OPTIONS": f"suppressions={ROOT}/tests/support/thread_sanitizer.supp halt_on_error=1 second_deadlock_stack=1 history_size=4"}


def tsan_tests():
    # Left out: loops over all faults and all flipped bits, of one thread and hours long in this build.
    return [(["build/tsan/tests/" + folder + "_test", "~a fault at any*", "~A03:*"], TSAN) for folder in TSAN_FOLDERS]


# name: (what it does, commands; a command is a list, or a pair of a list and variables)
STAGES = {
    "build": ("the release build with warnings as errors, and the format", [*build("release", options=["-DPELORUS_WERROR=ON"]), ["make", "check-format"]]),
    "suite": ("every test with full counts, a thousand kills among them", [(suite("build/release", 1), FULL)]),
    "asan": ("every test with address and undefined-behaviour sanitizers", [*build("asan"), (suite("build/asan", 1.2), SANITIZED)]),
    "tsan": ("unit tests of common, runtime, storage and sql with the thread sanitizer",
             [*build("tsan", *[folder + "_test" for folder in TSAN_FOLDERS]), *tsan_tests()]),
    "tidy": ("clang-tidy with the checks of .clang-tidy", [["scripts/tidy.sh"]]),
    "lines": ("ten minutes of random lines and cut connections: each acknowledged row is stored once",
              [([PYTHON, "tests/clients/line_protocol_test.py", "build/release/pelorus"], {"PELORUS_LINE_SECONDS": "600"})]),
    "namespaces": ("nodes and etcd in network namespaces, cut, killed and robbed of their disks under load (root only)",
                   [([PYTHON, "tests/clients/cluster_namespaces_test.py", "build/release/pelorus"], {"PELORUS_NAMESPACES": "1"})]),
    "clients": ("the suites of the official clients' makers, those whose folders PELORUS_<NAME>_SUITE name", [[PYTHON, "tests/clients/suites/all_suites.py"]]),
    "fuzz": ("ten minutes of scripts, of frames and of lines, beside one another, under sanitizers", [["scripts/fuzz.sh", "600"]]),
}
SOAK = {
    "soak-suite": ("every test with the counts of hours", [*build("release"), (suite("build/release", 8), HOURS)]),
    "soak-tsan": ("readers and writers of shared tables with the thread sanitizer",
                  [*build("tsan", "process_test"), (["build/tsan/tests/process_test", "[shared]"], {**TSAN, "PELORUS_SHARED_ROUNDS": "300"})]),
    "soak-fuzz": ("hours of the fuzzers", [["scripts/fuzz.sh", "14400"]]),
}


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def run(name, commands):
    """Whether all of them ended well. Each has nothing to read and writes to the stage's log."""
    with open(WORK / (name + ".log"), "w") as log:
        for command in commands:
            words, variables = command if isinstance(command, tuple) else (command, {})
            log.write("$ " + " ".join(words) + "\n")
            log.flush()
            # Sanitized frames are several times larger, and one test nests as deeply as the parser allows.
            shell = ["bash", "-c", 'ulimit -s 65536; exec "$@"', "bash", *words]
            if subprocess.run(shell, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, env={**os.environ, **variables}).returncode:
                return False
    return True


def closing_line(name):
    lines = [line.strip() for line in (WORK / (name + ".log")).read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", help="these stages, with commas between them")
    parser.add_argument("--again", action="store_true", help="also the stages that have passed on this commit")
    parser.add_argument("--soak", action="store_true", help="the stages that take hours")
    parser.add_argument("--list", action="store_true", help="name the stages and end")
    options = parser.parse_args()
    stages = SOAK if options.soak else STAGES
    if options.list:
        for name, (what, _) in stages.items():
            print(f"{name:12} {what}")
        return 0
    wanted = options.only.split(",") if options.only else list(stages)
    if unknown := [name for name in wanted if name not in stages]:
        sys.exit(f"check-long: no stage {', '.join(unknown)}; there are {', '.join(stages)}")

    WORK.mkdir(parents=True, exist_ok=True)
    state_file = WORK / "passed.json"
    commit = git("rev-parse", "HEAD") if not git("status", "--porcelain") else None
    passed = json.loads(state_file.read_text()) if state_file.exists() else {}
    failed = []
    table = []
    for name in wanted:
        earlier = passed.get(name)
        if commit and earlier and earlier["commit"] == commit and not options.again:
            table.append((name, earlier["seconds"], "passed before on this commit", earlier["line"]))
            continue
        print(f"check-long: {name}: {stages[name][0]}", flush=True)
        begin = time.monotonic()
        good = run(name, stages[name][1])
        seconds = round(time.monotonic() - begin)
        line = closing_line(name)
        table.append((name, seconds, "passed" if good else "FAILED, see " + str((WORK / (name + ".log")).relative_to(ROOT)), line))
        print(f"check-long: {name}: {table[-1][2]}, {seconds} s: {line}", flush=True)
        if not good:
            failed.append(name)
        elif commit:
            passed[name] = {"commit": commit, "seconds": seconds, "line": line}
            state_file.write_text(json.dumps(passed, indent=1) + "\n")
    print()
    for name, seconds, outcome, line in table:
        print(f"{name:12} {seconds // 60:3} min {seconds % 60:2} s  {outcome}: {line}")
    print(f"in all {sum(row[1] for row in table) / 60:.0f} min")
    print(f"{len(table) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
