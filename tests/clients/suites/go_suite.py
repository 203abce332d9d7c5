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


NO_CONNECTION = "database connection is not established yet"


def cases_of(folder):
    return [name for path in sorted(folder.glob("*_test.go")) for name in re.findall(r"^func (Test\w+)\(", path.read_text(), re.M)]


def results_of(package, choice, source, environment):
    """Runs a package's cases: a dictionary from their names to None, or to the error."""
    results, said, running = {}, {}, None
    for line in lines_until_silent(["go", "test", "-json", "-count=1", "-timeout=20m", *choice, package], 180, cwd=source, env=environment):
        try:
            event = json.loads(line)
        except ValueError:
            if line == "@@silent" and running:
                results[running] = "did not end"
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
            found = re.search(r"(Expected:.{0,200}|panic:.{0,200}|Error:.{0,200})", said.get(case, ""))
            results[case] = None if event["Action"] == "pass" else found.group(0) if found else said.get(case, "failed")[-300:]
    return results


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
            left_out = [] if options.all else [case for case in cases_of(source / package) if count.is_excluded(f"{package[2:]}.{case}")]
            skip = ["-skip", "^(" + "|".join(left_out) + ")$"] if left_out else []
            results = results_of(package, skip, source, environment)
            # The cases share a connection, which the first that breaks it takes from all others: these run once more, by themselves.
            without = [case.rpartition(".")[2] for case, error in results.items() if error and NO_CONNECTION in error]
            if without:
                results.update(results_of(package, ["-run", "^(" + "|".join(without) + ")$"], source, environment))
            for case, error in results.items():
                if fnmatch.fnmatchcase(case, options.only) and (options.all or not count.is_excluded(case)):
                    count.add(case, error)
            node.ensure_alive()
    finally:
        node.stop()
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
