"""Runs the cases of a test program one after another, and prints how they ended."""
import sys
import time
import traceback


def run_cases(cases, *arguments, wanted=""):
    """Calls each case whose name holds `wanted` with the arguments. Returns how many passed and failed."""
    passed = failed = 0
    for case in cases:
        if wanted not in case.__name__:
            continue
        started = time.monotonic()
        try:
            case(*arguments)
            passed += 1
        except Exception:  # noqa: BLE001
            failed += 1
            print("FAILED", case.__name__)
            traceback.print_exc(file=sys.stdout)
        print(f"{case.__name__}: {time.monotonic() - started:.1f} s", flush=True)
    return passed, failed


def tally(passed, failed):
    """Prints the last line of a test program, and returns its exit code. A program that met no case has failed."""
    failed += passed + failed == 0
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0
