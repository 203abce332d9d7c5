#!/usr/bin/env python3
"""The tree shows the design.

* A folder includes only the folders that docs/architecture.md allows it.
* A room (a folder inside of one) includes only the rooms before it in its folder's list, so that rooms form no cycle; what goes up
  in sql is counted, and the count may only fall.
* No flat folder holds more than 30 files, no basename occurs twice outside of tests, and no two types share a name: the linker
  would take one's member functions for the other's.
* A header pulls in at most 40 others; those above are listed, and the list may only shrink.
* Asio headers and common/check.h stay in .cpp files, LLVM in interpreter/jit.
* Files are opened by common: what a user names by UserFiles, what the process keeps for itself in the files listed here.
* Mutexes are those of common/thread/mutex.h, which say what they guard; nothing else uses the standard library's.
* A source of more than 60 lines has a unit test of its name. Those that had none are listed in sources_without_tests.txt, and the
  list may only shrink; after a merge `tests/layering_test.py --list-sources-without-tests` writes it anew."""
import re
import sys
from collections import defaultdict
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent

# docs/architecture.md has this table with the reasons.
MAY_INCLUDE = {
    "common": "",
    "runtime": "common",
    "presentation": "runtime common",
    "stdlib": "presentation runtime common",
    "net": "runtime common",
    "interpreter": "runtime common",
    "storage": "runtime common",
    "sql": "interpreter runtime common",
    "database": "sql interpreter storage presentation runtime common",
    "distributed": "database sql interpreter storage net runtime common",
    "streaming": "distributed database sql interpreter net runtime common",
    "postgres": "database sql storage interpreter runtime common",
    "devtools": "sql interpreter presentation runtime common",
    "server": "postgres streaming distributed database devtools sql interpreter net runtime common",
    "apps": "server postgres devtools streaming distributed database sql storage interpreter stdlib presentation net runtime common",
}
# The rooms of each folder, lowest first: a room may include those before it. "." are the files of the folder itself.
ROOMS = {
    "common": ". string thread time io",
    "runtime": "memory value code function kernel/block stream table append kernel/index kernel/sort kernel/elementwise text registry format arrow serialize "
               "kernel/aggregate kernel/rolling partition parquet parquet/library kernel/forms kernel/lookup",
    "presentation": "view chart import",
    "stdlib": ". console chart dictionary environment files math metaprogramming operators regression table temporal text_io types statistics "
              "string window higher_order vector matrix interpolation geometry optimisation models finance instruments time_series odbc",
    "net": ".",
    "interpreter": "bytecode parser codegen session compiler jit vm engine builtins expression analysis debug",
    "storage": ". codec log catalog encryption lock rows segment version commit folder table row_table stream",
    "sql": "expression execution plan rewrite plan/rules keys remote operators/scan spill bind bind/nodes operators operators/aggregate "
           "operators/window operators/join operators/pivot physical change explain .",
    "database": "backup service builtins",
    "distributed": "cluster map_reduce metadata transaction builtins table",
    "streaming": "persistence subscription publication replay engine reactive window route builtins",
    "postgres": ". types parse json functions catalog steps typing translate change cache definition",
    "devtools": "editing formatter lsp dap workbench reference",
    "server": "access session line_protocol line_query mcp postgres/wire postgres/copy postgres connection jobs builtins",
    "apps": "process node terminal editor console workbench library .",
}
FILES_PER_FOLDER = 30
HEADERS_PULLED_IN = 40
# Headers above that. A figure here only falls, and a line goes when its header comes below.
HEAVY_HEADERS = {}
SHORT_SOURCE_LINES = 60
SOURCES_WITHOUT_TESTS = "tests/sources_without_tests.txt"
# Stands for <mutex>, and so is no more counted among the headers pulled in than that.
STANDS_FOR_MUTEX = "common/thread/mutex.h"
STANDARD_MUTEX = re.compile(r"std::(?:(?:shared_|recursive_|timed_)*mutex|lock_guard|unique_lock|shared_lock|scoped_lock|condition_variable(?:_any)?)\b")
# Whatever opens a file otherwise than through the files of a user.
OPENS_FILES = re.compile(r"std::(?:basic_)?[io]?fstream\b|std::filesystem\b|(?<![\w>])::(?:open|openat|openat2|creat|opendir)\(|"
                         r"\b(?:fopen|freopen|opendir)\(|FileSystem::posix\(\)|UserFiles::machine\(\)")
# Outside of common, with whose files these are. A line goes when its file opens nothing by itself any more.
OPENS_ITS_OWN_FILES = {
    "apps/cluster_command.cpp": "the command line's",
    "apps/console/embedded_console.cpp": "the command line's",
    "apps/console/known_nodes.cpp": "the console's",
    "apps/console/script_file.cpp": "the command line's",
    "apps/docs_command.cpp": "the command line's",
    "apps/editor/external_editor.cpp": "the console's",
    "apps/editor/input_history.cpp": "the console's",
    "apps/format_command.cpp": "the command line's",
    "apps/managed_process.cpp": "the command line's",
    "apps/node/cluster_node.cpp": "the storage",
    "apps/node/node_jobs.cpp": "the data folder",
    "apps/node/node_logs.cpp": "the data folder",
    "apps/node/node_process.cpp": "the data folder",
    "apps/node/node_listeners.cpp": "the data folder",
    "apps/passwd_command.cpp": "the command line's",
    "apps/process/embedded_debug_host.cpp": "the editor's",
    "apps/process/node_settings.cpp": "the settings",
    "apps/process/wiring.cpp": "the data folder",
    "apps/process/file_folders.cpp": "the module folder",
    "database/builtins/builtins_chunks.cpp": "the storage",
    "database/service/database_service.cpp": "the storage",
    "database/service/folder_identity.cpp": "the data folder",
    "devtools/editing/completion.cpp": "the editor's",
    "devtools/lsp/workspace.cpp": "the editor's",
    "distributed/metadata/cluster_identity.cpp": "the data folder",
    "interpreter/codegen/code_generator.cpp": "the program's library",
    "interpreter/compiler/modules.cpp": "the module folders",
    "net/tls_stream.cpp": "the server's certificate",
    "runtime/function/file_access.cpp": "those that a user may open",
    "runtime/memory/budget.cpp": "the system's",
    "runtime/parquet/parquet_library.cpp": "the program's library",
    "server/access/access_control.cpp": "the users of former versions",
    "server/builtins/builtins_log.cpp": "the log",
    "storage/encryption/encryption_keys.cpp": "the master keys",
    "storage/encryption/master_key.cpp": "the master keys",
    "storage/folder/local_storage.h": "the storage",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def folder_of(path):
    return path.parts[0]


def room_of(path):
    return str(PurePosixPath(*path.parts[1:-1]))


def included(text):
    return [target for quote, target in INCLUDE.findall(text) if quote == '"']


def faults_of_file(path, text):
    """Includes that go up, against the order of rooms, or where they may not stand."""
    folder = folder_of(path)
    allowed = set(MAY_INCLUDE[folder].split()) | {folder}
    rooms = ROOMS.get(folder, "").split()
    own = room_of(path)
    if rooms and own not in rooms:
        yield f"{path}: {folder}/{own} is no room that this test knows: give it its place among the rooms"
    for match in INCLUDE.finditer(text):
        quote, target = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        top = target.split("/")[0]
        if quote == '"' and top in MAY_INCLUDE and top not in allowed:
            yield f"{path}:{line}: {folder} may not include {top} ({target})"
        if quote == '"' and top == folder and own in rooms:
            other = room_of(PurePosixPath(target))
            if other != own and other in rooms and rooms.index(other) > rooms.index(own):
                yield f"{path}:{line}: {folder}/{own} may not include {folder}/{other} ({target})"
        if quote == '"' and top not in MAY_INCLUDE and not (ROOT / path.parent / target).exists():
            yield f"{path}:{line}: includes are written from the top folder, but {target} is not"
        if path.suffix == ".h" and (target.startswith("boost/asio") or target.startswith("boost/beast")):
            yield f"{path}:{line}: Asio stays in .cpp files ({target})"
        if path.suffix == ".h" and target == "common/check.h":
            yield f"{path}:{line}: checks stand in .cpp files: their macros are those of tests, too"
        if target.startswith("llvm") and "jit" not in path.parts:
            yield f"{path}:{line}: LLVM stays in interpreter/jit ({target})"


def standard_mutexes(texts):
    """Mutexes that clang's analysis does not see: they cannot say what they guard."""
    for path, text in texts:
        if str(path) == STANDS_FOR_MUTEX:
            continue
        for match in STANDARD_MUTEX.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {match.group(0)} cannot say what it guards: take what common/thread/mutex.h has"


def opened_files(texts, listed):
    """Files that are opened past the rights of users."""
    opening = {}
    for path, text in texts:
        if folder_of(path) == "common":
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if match := OPENS_FILES.search(line.split("//")[0]):
                opening.setdefault(str(path), (number, match.group(0)))
    for path, (line, what) in opening.items():
        if path not in listed:
            yield f"{path}:{line}: {what} opens files past the rights of users: take userFiles(context), or say whose files these are"
    yield from (f"OPENS_ITS_OWN_FILES names {path}, which opens nothing" for path in listed if path not in opening)


def room_edges(texts, folder):
    """Which room includes which, within one folder."""
    edges = defaultdict(set)
    for path, text in texts:
        if folder_of(path) != folder:
            continue
        for target in included(text):
            other = PurePosixPath(target)
            if folder_of(other) == folder and room_of(other) != room_of(path):
                edges[room_of(path)].add(room_of(other))
    return edges


def rooms_in_cycles(edges):
    """Rooms that reach themselves."""
    def reached(start):
        seen, waiting = set(), [start]
        while waiting:
            for other in edges.get(waiting.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return seen
    return sorted(room for room in edges if room in reached(room))


def repeated_basenames(paths):
    places = defaultdict(list)
    for path in paths:
        places[path.name].append(str(path))
    return [f"{name} stands twice: {' and '.join(sorted(found))}" for name, found in sorted(places.items()) if len(found) > 1]


def full_folders(paths):
    counts = defaultdict(int)
    for path in paths:
        counts[path.parent] += 1
    return [f"{folder} holds {count} files; {FILES_PER_FOLDER} at most" for folder, count in sorted(counts.items()) if count > FILES_PER_FOLDER]


def headers_pulled_in(texts):
    graph = {str(path): included(text) for path, text in texts}
    def count(start):
        seen, waiting = set(), [start]
        while waiting:
            for target in graph.get(waiting.pop(), ()):
                if target in graph and target not in seen and target != STANDS_FOR_MUTEX:
                    seen.add(target)
                    waiting.append(target)
        return len(seen)
    return {path: count(path) for path in graph if path.endswith(".h")}


def heavy_headers(pulled, listed):
    faults = []
    for path, count in sorted(pulled.items()):
        most = listed.get(path, HEADERS_PULLED_IN)
        if count > most:
            faults.append(f"{path} pulls in {count} headers; {most} at most: split it or forward-declare")
        elif path in listed and count < most:
            faults.append(f"{path} pulls in {count} headers by now: put that into HEAVY_HEADERS, or take it out below {HEADERS_PULLED_IN + 1}")
    return faults + [f"HEAVY_HEADERS names {path}, which is gone" for path in listed if path not in pulled]


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


def sources_without_tests(texts, tests):
    """Sources that are not short, and whose name no unit test has."""
    tested = {path.name.removesuffix("_test.cpp") for path in tests}
    return sorted(str(path) for path, text in texts
                  if path.suffix == ".cpp" and len(text.splitlines()) > SHORT_SOURCE_LINES and path.stem not in tested)


def untested_sources(texts, tests, listed):
    untested = sources_without_tests(texts, tests)
    lines = {str(path): len(text.splitlines()) for path, text in texts}
    for path in untested:
        if path not in listed:
            test = PurePosixPath("tests/unit") / path.removesuffix(".cpp")
            yield f"{path} has {lines[path]} lines and no unit test of its name: write {test}_test.cpp"
    for path in listed:
        if path not in untested:
            why = "is gone" if path not in lines else "is short" if lines[path] <= SHORT_SOURCE_LINES else "has a test"
            yield f"{path} {why} by now: take its line out of {SOURCES_WITHOUT_TESTS}"
    if listed != sorted(set(listed)):
        yield f"{SOURCES_WITHOUT_TESTS} is not sorted: write it anew with tests/layering_test.py --list-sources-without-tests"


def faults_of_rooms(texts):
    faults = []
    for folder in MAY_INCLUDE:
        if (cycle := rooms_in_cycles(room_edges(texts, folder))):
            faults.append(f"rooms of {folder} form a cycle: {', '.join(cycle)}")
    return faults


def probes():
    """Each rule must be able to fail: what it finds in a few planted lines."""
    probe = lambda path, text: list(faults_of_file(PurePosixPath(path), text))
    yield probe("runtime/value/probe.h", '#include "sql/plan/node.h"\n#include <boost/asio.hpp>\n#include "common/check.h"\n'), 3
    yield probe("storage/log/probe.cpp", '#include "storage/version/version_set.h"\n'), 1
    yield probe("storage/version/probe.cpp", '#include "storage/log/wal_reader.h"\n'), 0
    yield probe("storage/cellar/probe.cpp", ""), 1
    yield probe("sql/probe.cpp", '#include <llvm/IR/Type.h>\n'), 1
    planted = [(PurePosixPath("net/a/x.h"), '#include "net/b/y.h"'), (PurePosixPath("net/b/y.h"), '#include "net/c/z.h"'),
               (PurePosixPath("net/c/z.h"), '#include "net/a/x.h"')]
    yield faults_of_rooms(planted), 1
    yield probe("sql/bind/probe.cpp", '#include "sql/execute.h"\n#include "sql/operators/join/joins.h"\n'), 2
    yield probe("sql/keys/probe.cpp", '#include "sql/bind/sources.h"\n#include "sql/plan/node.h"\n'), 1
    yield rooms_in_cycles(room_edges(planted[:2], "net")), 0
    yield repeated_basenames([PurePosixPath("sql/row.h"), PurePosixPath("net/row.h"), PurePosixPath("net/row.cpp")]), 1
    yield full_folders([PurePosixPath(f"net/f{i}.h") for i in range(FILES_PER_FOLDER + 1)]), 1
    yield heavy_headers({"a.h": HEADERS_PULLED_IN + 1, "b.h": 50, "c.h": 3}, {"b.h": 51, "d.h": 60}), 3
    allowed = [(PurePosixPath(STANDS_FOR_MUTEX), "std::mutex m;")]
    yield list(standard_mutexes(allowed)), 0
    yield list(standard_mutexes(allowed + [(PurePosixPath("storage/x.h"), "std::mutex m;\nstd::shared_mutex s;\nstd::recursive_mutex r;\n"
                                            "const std::lock_guard a(m);\nstd::unique_lock b(m);\nstd::shared_lock c(s);\n"
                                            "std::condition_variable d;\nMutex own;\n// condition_variable\n")])), 7
    yield list(opened_files([(PurePosixPath("sql/x.cpp"), "std::ifstream in(path);"), (PurePosixPath("net/x.cpp"), "Connection::open(host); // ::open("),
                             (PurePosixPath("common/x.cpp"), "fopen(path)"), (PurePosixPath("apps/x.cpp"), "return ::open(path);"),
                             (PurePosixPath("stdlib/x.cpp"), "FileSystem::posix().create(path)")], {"apps/x.cpp": "", "apps/gone.cpp": ""})), 3
    yield headers_pulled_in([(PurePosixPath("sql/a.h"), '#include "common/thread/mutex.h"\n#include "sql/b.h"\n'), (PurePosixPath("sql/b.h"), ""),
                             (PurePosixPath("common/thread/mutex.h"), "")]).get("sql/a.h") * [""], 1
    long, short = "x;\n" * (SHORT_SOURCE_LINES + 1), "x;\n" * SHORT_SOURCE_LINES
    sources = [(PurePosixPath("net/new.cpp"), long), (PurePosixPath("net/tested.cpp"), long), (PurePosixPath("net/short.cpp"), short),
               (PurePosixPath("net/listed.cpp"), long), (PurePosixPath("net/header.h"), long)]
    tests = [PurePosixPath("tests/unit/elsewhere/tested_test.cpp")]
    yield list(untested_sources(sources, tests, ["net/listed.cpp"])), 1
    yield list(untested_sources(sources, tests, ["net/listed.cpp", "net/new.cpp"])), 0
    yield list(untested_sources(sources, tests, ["net/gone.cpp", "net/listed.cpp", "net/new.cpp", "net/short.cpp", "net/tested.cpp"])), 3
    yield list(untested_sources(sources, tests, ["net/new.cpp", "net/listed.cpp"])), 1
    yield shared_names([("a.h", "struct Row {"), ("b.cpp", "struct Row {"), ("c.cpp", "namespace {\nstruct Row {\n}  // namespace")]), 1


def main():
    texts = [(PurePosixPath(path.relative_to(ROOT).as_posix()), path.read_text()) for folder in MAY_INCLUDE
             for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cpp")]
    paths = [path for path, _ in texts]
    tests = [PurePosixPath(path.relative_to(ROOT).as_posix()) for path in (ROOT / "tests" / "unit").rglob("*_test.cpp")]
    if sys.argv[1:] == ["--list-sources-without-tests"]:
        untested = sources_without_tests(texts, tests)
        (ROOT / SOURCES_WITHOUT_TESTS).write_text("".join(f"{path}\n" for path in untested))
        print(f"{len(untested)} sources have no unit test of their name")
        return 0
    results = [[fault for path, text in texts if folder_of(path) == folder for fault in faults_of_file(path, text)] for folder in MAY_INCLUDE]
    results += [list(standard_mutexes(texts)), list(opened_files(texts, OPENS_ITS_OWN_FILES)), faults_of_rooms(texts), repeated_basenames(paths), full_folders(paths), shared_names(texts),
                heavy_headers(headers_pulled_in(texts), HEAVY_HEADERS),
                list(untested_sources(texts, tests, (ROOT / SOURCES_WITHOUT_TESTS).read_text().splitlines()))]
    for fault in (fault for faults in results for fault in faults):
        print(fault)
    results += [[] if len(found) == expected else [found] for found, expected in probes()]
    for number, (found, expected) in enumerate(probes()):
        if len(found) != expected:
            print(f"probe {number} found {found}, not {expected} faults")
    failed = sum(bool(faults) for faults in results)
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or len(texts) < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
