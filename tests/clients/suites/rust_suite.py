#!/usr/bin/env python3
"""The Rust client's own tests (github.com/dolphindb/api-rust) against a node.

    rust_suite.py [PELORUS] --suite FOLDER [--only PATTERN] [--all]

Needs cargo. Cases that are excluded stand with their reasons in rust.skip."""
import fnmatch
import os
import re
import shutil
import subprocess
import sys

from suite import Count, Node, lines_until_silent, options_of

TEST = re.compile(r"^test (\S+) \.\.\. (ok|FAILED|ignored)")


def copy_with_address(suite, target, node):
    """The sources with the node's address in place of the makers' own machine."""
    shutil.copytree(suite, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    settings = target / "tests/setup/settings.rs"
    text = re.sub(r'host: String::from\("[^"]*"\)', 'host: String::from("127.0.0.1")', settings.read_text())
    settings.write_text(re.sub(r"port: \d+", f"port: {node.port}", text))


def main():
    options = options_of("rust", "the Rust client's sources (github.com/dolphindb/api-rust)")
    count = Count("rust", options.verbose)
    node = Node(options.pelorus)
    try:
        copy_with_address(options.suite, options.work / "source", node)
        environment = {**os.environ, "CARGO_TARGET_DIR": str(options.work / "target"), "CARGO_TERM_COLOR": "never", "CARGO_BUILD_JOBS": "2"}
        built = subprocess.run(["cargo", "test", "--quiet", "--tests", "--no-run"], cwd=options.work / "source", env=environment, capture_output=True, text=True)
        if built.returncode:
            sys.exit("cargo could not build the tests:\n" + built.stderr[-3000:])
        running, errors = "", {}
        for line in lines_until_silent(["cargo", "test", "--tests", "--no-fail-fast", "--", "--test-threads=1"], 120, cwd=options.work / "source", env=environment):
            if found := re.search(r"Running (?:unittests )?(\S+)", line):
                running = found.group(1).rpartition("/")[2].removesuffix(".rs")
            elif found := re.match(r"^---- (\S+) stdout ----", line):
                current = running + "::" + found.group(1)
                errors[current] = ""
            elif errors and line.strip() and len(errors[current]) < 300 and "RUST_BACKTRACE" not in line:
                errors[current] += " " + line.strip()
            if (found := TEST.match(line)) and found.group(2) != "ignored":
                case = running + "::" + found.group(1)
                if not fnmatch.fnmatchcase(case, options.only) or (not options.all and count.is_excluded(case)):
                    continue
                count.add(case, None if found.group(2) == "ok" else "see below")
        for case, error in errors.items():
            if case in count.failed:
                print(f"{case}: {error}")
    finally:
        node.stop()
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
