"""The Python package of a build folder, for the tests that import it."""
import sys
from pathlib import Path


def skip(why):
    """Ends the test program as skipped."""
    print(f"SKIPPED: {why}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


def package_of(pelorus):
    """The folder from which the package of that program's build is imported; ends the test where it was not built."""
    folder = Path(pelorus).parent / "python"
    if not (folder / "pelorus/_core.abi3.so").exists():
        skip("the package was not built (python3-dev)")
    return str(folder)
