#!/usr/bin/env python3
"""The Python client's own tests (github.com/dolphindb/python-sdk, folder test) against a node.

    python_suite.py [PELORUS] --suite FOLDER [--python PROGRAM] [--only PATTERN] [--all]

Needs an interpreter with dolphindb, numpy, pandas below 3 (the suite compares the types of its text columns), pyarrow and pytest: --python names it (.venv/bin/python). Cases that are excluded stand with
their reasons in python.skip."""
import fnmatch
import re
import shutil
import subprocess
import sys

from suite import ROOT, Count, Node, lines_until_silent, options_of

# Reports each case as soon as it ends.
PLUGIN = '''
import re
def _say(kind, report, text=""):
    print("\\n@@" + kind + " " + report.nodeid.replace(" ", "_") + " " + re.sub(r"\\s+", " ", text), flush=True)
def pytest_runtest_logstart(nodeid, location):
    print("\\n@@start " + nodeid.replace(" ", "_"), flush=True)
def pytest_runtest_logreport(report):
    if report.failed:
        _say("fail", report, str(report.longrepr)[-1500:])
    elif report.skipped:
        _say("skip", report)
    elif report.when == "call":
        _say("pass", report)
'''


def prepare(options, node):
    """The tests, with the node's address and folders in place of the makers' own machine."""
    target = options.work / "test"
    shutil.copytree(options.suite / "test", target, dirs_exist_ok=True)
    settings = target / "setup/settings.py"
    text = re.sub(r'^(HOST\w*) = ".*"', r'\1 = "127.0.0.1"', settings.read_text(), flags=re.M).replace("192.168.0.54", "127.0.0.1")
    text = re.sub(r"^(PORT\w*) = \d+", rf"\1 = {node.port}", text, flags=re.M)
    files = node.folder + "/data/files/"
    text = re.sub(r"""^(\w*(?:WORK|DATA)_DIR) = .*""", rf"\1 = '{files}'", text, flags=re.M)
    settings.write_text(text)
    (target / "suite_plugin.py").write_text(PLUGIN)
    return target


def run(options, node, count, target, wanted, seconds=120):
    """Runs these files or cases; the cases that a hang or crash kept from running."""
    command = [options.python, "-m", "pytest", "-q", "-s", "-p", "suite_plugin", "-p", "no:cacheprovider", "--tb=short", "-o", "addopts=", *wanted]
    running, ended, failed = None, set(), {}
    for line in lines_until_silent(command, seconds, cwd=target):
        if not line.startswith("@@"):
            continue
        kind, _, rest = line[2:].partition(" ")
        case, _, text = rest.partition(" ")
        if kind == "start":
            running = case
        elif kind == "silent" and running:
            failed[running] = f"did not end in {seconds} s"
        elif kind == "fail":
            failed[case] = text[-400:]
        elif kind in ("pass", "skip"):
            ended.add(case)
            if kind == "pass" and case not in failed:
                count.add(case)
            elif kind == "skip":
                count.excluded[case] = "skipped by the suite itself"
    if node.ensure_alive() and running:
        failed.setdefault(running, "the node went away")
    elif running and running not in ended and running not in failed:
        failed[running] = "ended the process"
    for case, text in failed.items():
        count.add(case, text)
    return ended | set(failed)


def main():
    options = options_of("python", "the Python client's sources (github.com/dolphindb/python-sdk)", lambda parser: parser.add_argument(
        "--python", default=str(ROOT / ".venv/bin/python"), help="interpreter with the client and pytest"))
    count = Count("python", options.verbose)
    node = Node(options.pelorus)
    try:
        target = prepare(options, node)
        files = sorted(str(path.relative_to(target)) for path in target.rglob("test_*.py"))
        listed = subprocess.run([options.python, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "-o", "addopts=", *files],
                                cwd=target, capture_output=True, text=True).stdout
        cases = [line for line in listed.splitlines() if "::" in line and not line.startswith("ERROR")]
        for file in files:
            left = [case for case in cases if case.startswith(file + "::") and fnmatch.fnmatchcase(case, options.only)]
            left = [case for case in left if options.all or not count.is_excluded(case)]
            while left:
                ended = run(options, node, count, target, left)
                rest = [case for case in left if case.replace(" ", "_") not in ended]
                if len(rest) == len(left):
                    for case in rest:
                        count.add(case, "did not run")
                    break
                left = rest
    finally:
        node.stop()
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
