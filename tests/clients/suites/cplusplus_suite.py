#!/usr/bin/env python3
"""The C++ client's own tests (github.com/dolphindb/api-cplusplus, folder test) against a node.

    cplusplus_suite.py [PELORUS] --suite FOLDER [--only PATTERN] [--all]

Needs cmake, OpenSSL, libuuid and GoogleTest. Test files of streaming and of clusters are not compiled; their cases count as excluded, as do
those of cplusplus.skip."""
import fnmatch
import re
import shutil
import subprocess
import sys

from suite import Count, Node, lines_until_silent, options_of

LEFT_OUT = {"Stream": "streaming", "HighAvailable": "stops and starts nodes of a cluster"}
CASE = re.compile(r"^ *TEST(?:_F|_P)?\( *(\w+), *(\w+) *\)", re.M)


def build(options, count):
    """The test program. Its sources read the node's address from the environment in place of the makers' own machine."""
    source = options.work / "source"
    if not source.exists():
        shutil.copytree(options.suite, source, ignore=shutil.ignore_patterns(".git"))
        config = source / "test/config.cpp"
        text = re.sub(r'const std::string HOST(_CLUSTER)? = "[^"]*"', r'const std::string HOST\1 = "127.0.0.1"', config.read_text())
        config.write_text("#include <cstdlib>\n" + re.sub(r"const int (PORT\w*) = \d+", r'const int \1 = std::atoi(std::getenv("SUITE_PORT"))', text))
        for path in (source / "test").glob("*_gtest.cpp"):
            if path.name.startswith(tuple(LEFT_OUT)):
                path.unlink()
    for path in sorted((options.suite / "test").glob("*_gtest.cpp")):
        for prefix, reason in LEFT_OUT.items():
            if path.name.startswith(prefix):
                for found in CASE.finditer(path.read_text(errors="replace")):
                    count.excluded[f"{found.group(1)}.{found.group(2)}"] = reason
    folder = options.work / "build"
    for command in (["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja", "-DAPI_TEST=ON", "-DUSE_AERON=OFF", "-DCMAKE_BUILD_TYPE=Debug"],
                    ["cmake", "--build", str(folder), "-j2"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit("the client could not be built:\n" + done.stdout[-3000:] + done.stderr[-1000:])
    return next(path for path in folder.rglob("*_test") if path.is_file())


def listed(program, environment):
    cases, group = [], ""
    for line in subprocess.run([program, "--gtest_list_tests"], env=environment, capture_output=True, text=True).stdout.splitlines():
        if not line.startswith(" "):
            group = line.split("#")[0].strip()
        elif group.endswith("."):
            cases.append(group + line.split("#")[0].strip())
    return cases


def run(program, node, count, left, environment, seconds=180):
    """Runs what is left; what remains, if a case hung or took the process with it."""
    wanted = left[:150]
    running, ended, error = None, set(), ""
    for line in lines_until_silent([program, "--gtest_color=no", "--gtest_filter=" + ":".join(wanted)], seconds, env=environment, cwd=node.folder):
        if found := re.search(r"\[ RUN      \] (\S+)$", line):
            running, error = found.group(1), ""
        elif found := re.search(r"\[       OK \] (\S+) \(", line):
            count.add(found.group(1))
            ended.add(found.group(1))
            running = None
        elif found := re.search(r"\[  (?:FAILED|SKIPPED)  \] ([^\s,]+).* \(\d+ ms\)$", line):
            gone = node.ensure_alive()
            count.add(found.group(1), "the node went away" if gone else error or "failed")
            ended.add(found.group(1))
            running = None
        elif running and line.strip() and len(error) < 500:
            error += " " + line.strip()
    if running:
        node.ensure_alive()
        count.add(running, "did not end, or ended the process: " + error)
        ended.add(running)
    elif not ended.intersection(wanted):
        for case in wanted:
            count.add(case, "did not run")
            ended.add(case)
    return [case for case in left if case not in ended]


def main():
    options = options_of("cplusplus", "the C++ client's sources (github.com/dolphindb/api-cplusplus)")
    count = Count("cplusplus", options.verbose)
    program = build(options, count)
    node = Node(options.pelorus)
    try:
        environment = {"SUITE_PORT": str(node.port), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        left = [case for case in listed(program, environment) if fnmatch.fnmatchcase(case, options.only)]
        left = [case for case in left if options.all or not count.is_excluded(case)]
        while left:
            left = run(program, node, count, left, environment)
    finally:
        node.stop()
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
