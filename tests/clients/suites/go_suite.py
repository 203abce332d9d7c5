#!/usr/bin/env python3
"""The Go client's own tests (github.com/dolphindb/api-go, folder test) against a node.

    go_suite.py [PELORUS] --suite FOLDER [--only PATTERN] [--all]

Needs Go. Cases that are excluded stand with their reasons in go.skip."""
import fnmatch
import json
import os
import re
import shutil
import sys

from suite import Count, Node, lines_until_silent, options_of


def copy_with_address(suite, target, node):
    """The sources with the node's address in place of the makers' own machine."""
    shutil.copytree(suite, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    for path in (target / "test/setup").glob("*.go"):
        text = re.sub(r"var ports = \[\]int\{[^}]*\}", f"var ports = []int{{{', '.join([str(node.port)] * 4)}}}", path.read_text())
        text = re.sub(r'var IP = "[^"]*"', 'var IP = "127.0.0.1"', text)
        text = re.sub(r"var CtlPort = \d+", f"var CtlPort = {node.port}", text)
        path.write_text(re.sub(r'((?:WORK|DATA)_DIR\s*=) "[^"]*"', rf'\1 "{node.folder}/data/files"', text))


def cases_of(folder):
    return [name for path in sorted(folder.glob("*_test.go")) for name in re.findall(r"^func (Test\w+)\(", path.read_text(), re.M)]


def main():
    options = options_of("go", "the Go client's sources (github.com/dolphindb/api-go)")
    count = Count("go", options.verbose)
    node = Node(options.pelorus)
    try:
        source = options.work / "source"
        copy_with_address(options.suite, source, node)
        packages = sorted({"./" + str(path.parent.relative_to(source)) for path in (source / "test").rglob("*_test.go")})
        environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": os.environ.get("GOPROXY", "https://proxy.golang.org")}
        for package in packages:
            said, running = {}, None
            left_out = [] if options.all else [case for case in cases_of(source / package) if count.is_excluded(f"{package[2:]}.{case}")]
            skip = ["-skip", "^(" + "|".join(left_out) + ")$"] if left_out else []
            command = ["go", "test", "-json", "-count=1", "-timeout=20m", *skip, package]
            for line in lines_until_silent(command, 180, cwd=source, env=environment):
                try:
                    event = json.loads(line)
                except ValueError:
                    if line == "@@silent" and running:
                        count.add(running, "did not end")
                    elif line.strip():
                        print("    " + line)
                    continue
                test = event.get("Test", "").split("/")[0]
                case = f"{package[2:]}.{test}"
                if event["Action"] == "output" and test:
                    said[case] = (said.get(case, "") + " " + event["Output"].strip())[-1500:]
                if "/" in event.get("Test", "") or not test:
                    continue
                if event["Action"] == "run":
                    running = case
                elif event["Action"] in ("pass", "fail"):
                    running = None
                    if fnmatch.fnmatchcase(case, options.only) and (options.all or not count.is_excluded(case)):
                        found = re.search(r"(Expected:.{0,200}|panic:.{0,200}|Error:.{0,200})", said.get(case, ""))
                        count.add(case, None if event["Action"] == "pass" else found.group(0) if found else said.get(case, "")[-300:])
            node.ensure_alive()
    finally:
        node.stop()
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
