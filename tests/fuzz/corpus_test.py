#!/usr/bin/env python3
"""Inputs that a fuzzer once found something with: each ends with values or a clean error."""
import subprocess
import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"


def main():
    pelorus = sys.argv[1]
    passed = failed = 0
    for path in sorted(CORPUS.iterdir()):
        try:
            done = subprocess.run([pelorus, "run", str(path)], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
            error = done.stderr.decode(errors="replace")
            good = done.returncode in (0, 1) and "nternal error" not in error
        except subprocess.TimeoutExpired:
            good, error = False, "did not end in 60 s"
        passed += good
        failed += not good
        if not good:
            print("FAILED", path.name, error[-300:])
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
