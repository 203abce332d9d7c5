"""Cases of JUnit 4: compiles a client and its tests, and runs them class by class, each in a process of its own."""
import fnmatch
import re
import subprocess
import sys
from pathlib import Path

from suite import HERE, Node, lines_until_silent

COMPILE = ["javac", "-source", "8", "-target", "8", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-J-Xmx2g"]


def dependencies(suite, work):
    """The jars that the project names, by Maven; kept in the work folder."""
    target = work / "lib"
    if not target.exists():
        done = subprocess.run(["mvn", "-q", "-B", "-f", str(suite / "pom.xml"), "dependency:copy-dependencies", "-DincludeScope=test", f"-DoutputDirectory={target}"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit("mvn could not fetch what the project needs:\n" + done.stdout[-2000:] + done.stderr[-2000:])
    return str(target) + "/*"


def compile_java(sources, target, classpath, may_leave_out=False):
    """Compiles what is newer than the classes that are there."""
    stamp = target.parent / (target.name + ".compiled")
    if stamp.exists() and all(path.stat().st_mtime <= stamp.stat().st_mtime for path in sources):
        broken = target.parent / (target.name + ".broken")
        return set(map(Path, broken.read_text().split("\n"))) if broken.exists() else set()
    target.mkdir(parents=True, exist_ok=True)
    names = target.parent / (target.name + ".sources")
    names.write_text("\n".join(f'"{path}"' for path in sources))
    done = subprocess.run([*COMPILE, "-d", str(target), "-cp", classpath, "@" + str(names)], capture_output=True, text=True)
    if done.returncode:
        # Tests that name classes which the makers did not publish are left out; their cases count as excluded.
        broken = {Path(name) for name in re.findall(r"^(/\S+\.java):\d+: error", done.stdout + done.stderr, re.M)}
        if not may_leave_out or not broken:
            sys.exit(f"javac could not compile {target.name}:\n" + done.stdout[-3000:] + done.stderr[-3000:])
        left_out = broken | compile_java([path for path in sources if path not in broken], target, classpath, True)
        (target.parent / (target.name + ".broken")).write_text("\n".join(map(str, sorted(left_out))))
        return left_out
    stamp.touch()
    return set()


def build(suite, work, test_folder, count, client=None):
    """The class path and the class names of the tests. A driver is compiled together with the sources of the client that it stands on."""
    lib = dependencies(client or suite, work)
    sources = [path for folder in filter(None, (client, suite)) for path in sorted((folder / "src").rglob("*.java"))]
    compile_java(sources, work / "classes", lib)
    tests = sorted((suite / test_folder).rglob("*.java"))
    classpath = f"{work / 'tests'}:{work / 'classes'}:{lib}"
    broken = compile_java([*tests, HERE / "CaseRunner.java"], work / "tests", classpath, may_leave_out=True)
    names = [str(path.relative_to(suite / test_folder))[:-5].replace("/", ".") for path in tests
             if path not in broken and "@Test" in path.read_text(errors="replace")]
    for path in broken:
        for number in range(path.read_text(errors="replace").count("@Test")):
            count.excluded[f"{path.stem}.{number}"] = "does not compile against the published sources"
    return classpath, names


def write_settings(suite, work, test_folder, values):
    """The suite's settings files, with these values in place of the makers' own machines."""
    for path in (suite / test_folder).rglob("*.properties"):
        target = work / "tests" / path.relative_to(suite / test_folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        lines = {}
        for line in path.read_text().splitlines():
            if "=" in line and not line.startswith("#"):
                key, _, value = line.partition("=")
                lines[key.strip()] = values.get(key.strip(), value)
        target.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))


def run(options, count, classpath, names, write, seconds=120):
    java = ["java", "-Xmx4g", "-cp", classpath, "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "CaseRunner"]
    listed = subprocess.run([*java, "--list", *names], capture_output=True, text=True).stdout
    cases = [line[len("@@case "):] for line in listed.splitlines() if line.startswith("@@case ")]
    node = Node(options.pelorus)
    write(node)
    wanted = options.work / "cases"
    try:
        for name in names:
            left = [case for case in cases if case.rpartition(".")[0] == name and fnmatch.fnmatchcase(case, options.only)]
            left = [case for case in left if options.all or not count.is_excluded(case)]
            while left:
                wanted.write_text("\n".join(left))
                left = run_class([*java, str(wanted), name], node, count, left, seconds)
    finally:
        node.stop()


def run_class(command, node, count, left, seconds):
    """Runs what is left of a class; what remains, if a case hung or took the process with it."""
    running = class_error = None
    ended = set()
    for line in lines_until_silent(command, seconds, cwd=node.folder):
        if not line.startswith("@@"):
            continue
        kind, _, rest = line[2:].partition(" ")
        case, _, error = rest.partition(" ")
        if kind == "start":
            running = case
        elif kind in ("pass", "fail"):
            gone = node.ensure_alive()
            count.add(case, "the node went away" if gone else None if kind == "pass" else error)
            ended.add(case)
            running = None
        elif kind == "class":
            class_error = error
        elif kind == "silent" and running:
            count.add(running, f"did not end in {seconds} s")
            ended.add(running)
    node.ensure_alive()
    remaining = [case for case in left if case not in ended]
    if not ended or class_error:
        for case in remaining:
            count.add(case, class_error or "the class did not run")
        return []
    return remaining
