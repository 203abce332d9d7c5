#!/usr/bin/env python3
"""A folder includes only the folders that docs/architecture.md allows it; Asio headers stay in .cpp files, LLVM in interpreter/jit.
No two types share a name: the linker would take one's member functions for the other's."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# docs/architecture.md has this table with the reasons.
MAY_INCLUDE = {
    "common": "",
    "runtime": "common",
    "stdlib": "runtime common",
    "net": "runtime common",
    "interpreter": "runtime common",
    "storage": "runtime common",
    "sql": "interpreter runtime common",
    "database": "sql interpreter storage runtime common",
    "distributed": "database sql interpreter storage net runtime common",
    "server": "distributed database sql interpreter net runtime common",
    "apps": "server distributed database sql storage interpreter stdlib net runtime common",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def faults_of(folder, path, text):
    allowed = set(MAY_INCLUDE[folder].split()) | {folder}
    for match in INCLUDE.finditer(text):
        quote, target = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        top = target.split("/")[0]
        if quote == '"' and top in MAY_INCLUDE and top not in allowed:
            yield f"{path}:{line}: {folder} may not include {top} ({target})"
        if quote == '"' and top not in MAY_INCLUDE and not (path.parent / target).exists():
            yield f"{path}:{line}: includes are written from the top folder, but {target} is not"
        if path.suffix == ".h" and (target.startswith("boost/asio") or target.startswith("boost/beast")):
            yield f"{path}:{line}: Asio stays in .cpp files ({target})"
        if target.startswith("llvm") and "jit" not in path.parts:
            yield f"{path}:{line}: LLVM stays in interpreter/jit ({target})"


TYPE = re.compile(r"(?:struct|class) (\w+)(?: final)?(?: : [^;{]*)? \{")


def types_of(text):
    """Names of the types that other files see, templates left out: those differ by their parameters."""
    hidden = 0
    previous = ""
    for line in text.splitlines():
        if line == "namespace {":
            hidden += 1
        elif line == "}  // namespace":
            hidden -= 1
        match = TYPE.match(line)
        if match and hidden == 0 and not previous.startswith("template"):
            yield match.group(1)
        previous = line


def shared_names(texts):
    places = {}
    for path, text in texts:
        for name in types_of(text):
            places.setdefault(name, set()).add(path)
    return [f"{name} is a type in {' and '.join(sorted(map(str, paths)))}" for name, paths in places.items() if len(paths) > 1]


def main():
    passed = failed = 0
    for folder in MAY_INCLUDE:
        faults = []
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                faults += faults_of(folder, path.relative_to(ROOT), path.read_text())
        for fault in faults:
            print(fault)
        failed += bool(faults)
        passed += not faults
    texts = [(path.relative_to(ROOT), path.read_text()) for folder in MAY_INCLUDE for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in (".h", ".cpp")]
    shared = shared_names(texts)
    print("\n".join(shared), end="\n" if shared else "")
    passed += not shared
    failed += bool(shared)
    probe = shared_names([("a.h", "struct Row {"), ("b.cpp", "struct Row {"), ("c.cpp", "namespace {\nstruct Row {\n}  // namespace")])
    passed += probe == ["Row is a type in a.h and b.cpp"]
    failed += probe != ["Row is a type in a.h and b.cpp"]
    # The rule must be able to fail: an include that goes up is found.
    probe = list(faults_of("runtime", Path("runtime/probe.h"), '#include "sql/plan.h"\n#include <boost/asio.hpp>\n'))
    passed += len(probe) == 2
    failed += len(probe) != 2
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
