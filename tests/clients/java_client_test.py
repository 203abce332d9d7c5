#!/usr/bin/env python3
"""The unmodified Java client (com.dolphindb:dolphindb-javaapi) receives and sends tables of every type and name (JavaClient.java), and subscribes
to stream tables (JavaSubscriber.java).

Runs where there is a JDK and `scripts/setup.sh --long` has put the client, build/clients/java; it is skipped elsewhere."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
from doors_test import PASSWORD, Server
from values_of_types import tables

HERE = Path(__file__).resolve().parent
JARS = Path(os.environ.get("PELORUS_JAVA_CLIENT", HERE.parent.parent / "build/clients/java"))


def main():
    if not shutil.which("javac") or not list(JARS.glob("dolphindb-javaapi*.jar")):
        print(f"SKIPPED: no JDK, or no Java client in {JARS}; scripts/setup.sh --long fetches the client")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    server = Server()
    with tempfile.TemporaryDirectory() as classes:
        classpath = f"{classes}:{JARS}/*"
        programs = {"JavaClient": "".join(f"{name}\t{script}\n" for name, script in tables()), "JavaSubscriber": ""}
        subprocess.run(["javac", "-nowarn", "-d", classes, "-cp", classpath, *(str(HERE / f"{name}.java") for name in programs)], check=True)
        runs = [subprocess.run(["java", "-Xmx256m", "-cp", classpath, "-Dfile.encoding=UTF-8", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", name,
                                str(server.port), PASSWORD], input=lines.encode(), capture_output=True, timeout=180)
                for name, lines in programs.items()]
    output = "".join(run.stdout.decode(errors="replace") for run in runs)
    passed = sum(line.startswith("ok ") for line in output.splitlines())
    failed = sum(line.startswith("FAILED ") for line in output.splitlines()) + sum(run.returncode != 0 for run in runs) + (server.stop() != 0)
    if failed or not passed:
        print("\n".join(line for line in output.splitlines() if not line.startswith("ok ")) + "".join(run.stderr.decode(errors="replace") for run in runs))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
