"""Runs the cases of a test program one after another, and prints how they ended."""
import shutil
import sys
import tempfile
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


def cases_in(names):
    """The cases of a program by its globals(): its functions whose names begin with test_, in their order."""
    return [case for name, case in names.items() if name.startswith("test_") and callable(case)]


def run_cases_in_folders(cases, prefix, wanted=""):
    """Calls each case whose name holds `wanted` with a folder of its own, which is removed after it."""
    passed = failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            counts = run_cases([case], folder, wanted=wanted)
        passed, failed = passed + counts[0], failed + counts[1]
    return passed, failed


def run_cases_with_server(cases, server):
    """Calls each case with the server, stops it, and counts an end that is not orderly as a failure."""
    passed, failed = run_cases(cases, server)
    if server.stop() != 0:
        failed += 1
        print("FAILED the server did not end well")
    return passed, failed


def run_cases_with_etcd(cases, *arguments):
    """The exit code of a program whose cases need etcd, which is skipped where there is none."""
    if shutil.which("etcd") is None:
        print("SKIPPED: there is no etcd")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    return tally(*run_cases(cases, *arguments, wanted="".join(sys.argv[2:3])))


def tally(passed, failed, skipped=0):
    """Prints the last line of a test program, and returns its exit code. A program that met no case has failed."""
    failed += passed + failed + skipped == 0
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0
