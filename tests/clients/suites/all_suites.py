#!/usr/bin/env python3
"""Runs the suites of the official clients' makers, each whose folder PELORUS_<NAME>_SUITE names, and prints the closing line of each.

    PELORUS_JAVA_SUITE=FOLDER PELORUS_GO_SUITE=FOLDER … all_suites.py [PELORUS]

The suites are no part of this repository: clone github.com/dolphindb/api-java, jdbc, python-sdk, api-javascript, api-rust, api-cplusplus and
api-go. A runner alone, as java_suite.py, takes more options: --help tells them."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = ("python", "java", "jdbc", "javascript", "rust", "cplusplus", "go")


def main():
    closing, failed = [], 0
    for name in NAMES:
        variable = f"PELORUS_{name.upper()}_SUITE"
        if not os.environ.get(variable):
            closing.append(f"{name}: not run, {variable} names no folder")
            continue
        log = HERE.parents[2] / "build/clients" / (name + ".log")
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "w") as output:
            failed += subprocess.run([sys.executable, str(HERE / f"{name}_suite.py"), *sys.argv[1:]], stdout=output, stderr=subprocess.STDOUT).returncode != 0
        lines = log.read_text().strip().splitlines()
        closing.append((lines[-1] if lines else f"{name}: said nothing") + f"  ({log})")
    print("\n".join(closing))
    run = sum(": not run," not in line for line in closing)
    print(f"{run} of {len(NAMES)} suites were run" + (", of which " + str(failed) + " fall short" if failed else "") if run
          else "no suite was run: none of the variables names a folder")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
