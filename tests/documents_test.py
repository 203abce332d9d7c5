#!/usr/bin/env python3
"""Documents name files and folders that are there.

* A path in README, CONTRIBUTING or docs that begins with a folder of the tree exists, also as a pattern such as tests/*_test.py.
* A file of source that is named by less than its path, as `driver.cpp` or `operators/driver.h`, is the end of one in the tree.
* A link to another page leads there.
* README.md explains every file and folder at the root of the tree, and names none that is not there.
* Lines of documents are at most 120 columns, but for tables and examples.
* The table of folders in docs/architecture.md is that of tests/layering_test.py, and names no room that is not there; the page counts
  the layers rightly, and shows each in its picture.
* A member that docs/architecture.md names, as `PartitionedTable::append`, is declared in a header of that class."""
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

sys.path.insert(0, str(Path(__file__).resolve().parent))
from layering_test import MAY_INCLUDE, ROOMS  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent

# What a build makes, and what other projects have.
NOT_OF_THE_TREE = ("build/", "fmt/")
PATH = re.compile(r"(?<![\w./:-])((?:[\w*-]+/)+[\w.*-]*|[\w*]+\.(?:cpp|h))")
SOURCE = re.compile(r"\.(?:cpp|h|py|sh)$")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
WIDTH = 120
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|[ ]*(.*?)[ ]*\|$", re.MULTILINE)


def files_of_tree():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return [PurePosixPath(line) for line in listed.stdout.splitlines()]
    return [PurePosixPath(path.relative_to(ROOT).as_posix()) for path in ROOT.rglob("*")
            if path.is_file() and path.relative_to(ROOT).parts[0] not in ("build", ".git", ".venv")]


class Tree:
    def __init__(self, files):
        self.files = files
        self.folders = {folder for file in files for folder in file.parents}
        self.tops = {file.parts[0] for file in files if len(file.parts) > 1}

    def has(self, path):
        path = PurePosixPath(path)
        if "*" in str(path):
            return any(file.match(str(path)) for file in self.files)
        return path in self.files or path in self.folders

    def has_end(self, path):
        return any(file.match(path) for file in self.files)


def missing_paths(text, tree):
    for found in PATH.finditer(text):
        path = found.group(1).rstrip(".")
        if path.startswith(NOT_OF_THE_TREE):
            continue
        known = tree.has(path) if path.split("/")[0] in tree.tops and "/" in path else not SOURCE.search(path) or tree.has_end(path)
        # interpreter/vm, and kernel/forms/elementwise.h of runtime: the end of a path that begins with the name of a top folder.
        if not known and not (SOURCE.search(path) and tree.has_end(path)):
            yield path


def broken_links(page, text, tree):
    for found in LINK.finditer(text):
        parts = []
        for part in (page.parent / found.group(1)).parts:
            if part == "..":
                parts = parts[:-1]
            else:
                parts.append(part)
        if not tree.has("/".join(parts)):
            yield found.group(1)


def unexplained_at_root(text, tree):
    """Names at the root of the tree without a place in README's table of the folder, and names in it that are not there."""
    begin = text.find("## What is in this folder")
    table = [line for line in text[begin:].split("\n## ")[0].splitlines() if line.startswith("| `")] if begin >= 0 else []
    told = {name.rstrip("/") for line in table for name in re.findall(r"`([\w.-]+)`", line.split(" | ")[0])}
    there = {file.parts[0] for file in tree.files} - {"README.md"}
    return sorted([f"{name}, which README.md does not explain" for name in there - told] +
                  [f"no {name}, which README.md explains" for name in told - there])


def wide_lines(text):
    """Numbers of lines beyond the width that are neither part of a table nor of an example."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        is_code ^= line.startswith("```")
        if len(line) > WIDTH and not is_code and not line.startswith(("|", "    ")) and "](" not in line:
            yield number


def wrong_rows(text):
    rows = {name: (holds, allowed) for name, holds, allowed in ROW.findall(text) if name in MAY_INCLUDE}
    for name, allowed in MAY_INCLUDE.items():
        if name not in rows:
            yield f"{name} has no row"
            continue
        if rows[name][1] != "everything" and set(rows[name][1].split()) != set(allowed.split()):
            yield f"{name} may include {allowed}, but its row says {rows[name][1]}"
        for room in re.findall(r"`(\w+)`", rows[name][0]):
            if room not in ROOMS.get(name, "").split():
                yield f"{name} has no room {room}"


NUMBERS = {10: "ten", 11: "eleven", 12: "twelve", 13: "thirteen", 14: "fourteen", 15: "fifteen"}


def wrong_layers(text):
    if f"The code is {NUMBERS[len(MAY_INCLUDE)]} layers" not in text:
        yield f"the code is {len(MAY_INCLUDE)} layers"
    picture = text.split("```")[1] if "```" in text else ""
    for name in MAY_INCLUDE:
        if not re.search(rf"\b{name}\b", picture):
            yield f"the picture does not show {name}"


def missing_members(text, headers):
    """Members in backticks that no header with their class declares."""
    for owner, member in re.findall(r"`(\w+)::(\w+)", text):
        if not any(re.search(rf"\b(class|struct|namespace) {owner}\b", header) and re.search(rf"\b{member}\b", header) for header in headers):
            yield f"{owner}::{member}"


def main():
    tree = Tree(files_of_tree())
    pages = [file for file in tree.files if file.suffix == ".md" and (len(file.parts) == 1 or file.parts[0] == "docs")]
    results = []
    for page in pages:
        text = (ROOT / page).read_text()
        results.append([f"{page} names {path}, which is not there" for path in missing_paths(text, tree)] +
                       [f"{page} links to {path}, which is not there" for path in broken_links(page, text, tree)])
        wide = list(wide_lines(text))
        if wide:
            results[-1].append(f"{page} has lines of more than {WIDTH} columns: {wide[:5]}")
    results.append([f"the root has {fault}" for fault in unexplained_at_root((ROOT / "README.md").read_text(), tree)])
    architecture = (ROOT / "docs/architecture.md").read_text()
    headers = [(ROOT / file).read_text() for file in tree.files if file.suffix == ".h" and file.parts[0] in MAY_INCLUDE]
    results.append([f"docs/architecture.md: {fault}" for fault in [*wrong_rows(architecture), *wrong_layers(architecture)]])
    results.append([f"docs/architecture.md names {member}, which no header declares" for member in missing_members(architecture, headers)])
    small = Tree([PurePosixPath("sql/a/x.cpp"), PurePosixPath("docs/a.md"), PurePosixPath("tests/a_test.py")])
    for found, expected in (
            (list(missing_paths("`sql/a`, sql/a/x.cpp, x.cpp, a/x.cpp, tests/*_test.py, fmt/a.h and/or 1/2", small)), []),
            (list(missing_paths("sql/b, sql/a/y.cpp, y.cpp, tests/*_check.py", small)), ["sql/b", "sql/a/y.cpp", "y.cpp", "tests/*_check.py"]),
            (unexplained_at_root("## What is in this folder\n| `sql`, `lib` | x |", small), sorted(
                [f"{name}, which README.md does not explain" for name in ("docs", "tests")] + ["no lib, which README.md explains"])),
            (list(missing_members("`A::f`, `A::g(x)`, `B::f`", ["class A {\nint f();\n}"])), ["A::g", "B::f"]),
            (list(wide_lines("x" * 121 + "\n| " + "x" * 200 + "\n```\n" + "x" * 130 + "\n```")), [1]),
            (list(broken_links(PurePosixPath("docs/a.md"), "[x](a.md) [y](../sql/a/x.cpp#z) [z](b.md) [w](https://a.b)", small)), ["b.md"])):
        results.append([] if found == expected else [f"a probe found {found}, not {expected}"])
    for fault in (fault for faults in results for fault in faults):
        print(fault)
    failed = sum(bool(faults) for faults in results)
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or len(pages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
