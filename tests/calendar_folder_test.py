#!/usr/bin/env python3
"""Trading calendars lie in the folder that the settings name, under names of any length."""
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())
SCRIPT = """
print(temporalAdd(2024.01.02, 1, "SSE"))
print(temporalAdd(2024.01.02 2024.01.03, 1, "SSE"))
print(temporalAdd(2024.01.02, 1, "CFFEX"))
print(temporalAdd(2024.01.02, 1, "B"))
try { temporalAdd(2024.01.02, 1, "NOSUCHMARKET") } catch (ex) { print("refused") }
try { temporalAdd(10:00m, 1, "SSE") } catch (ex) { print("refused") }
"""
WANTED = ["2024.01.04", "[2024.01.04,2024.01.04]", "2024.01.05", "2024.01.03", "refused", "refused"]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calendars = folder / "calendars"
        calendars.mkdir()
        (calendars / "SSE.csv").write_text("holiday\n2024.01.03\n")
        (calendars / "CFFEX.csv").write_text("holiday\n2024.01.03\n2024.01.04\n")
        (folder / "node.cfg").write_text(f"marketHolidayDir={calendars}\n")
        (folder / "script.dos").write_text(SCRIPT)
        done = subprocess.run([PELORUS, "run", "--config", str(folder / "node.cfg"), "--data", str(folder / "data"),
                               str(folder / "script.dos")], capture_output=True, text=True, timeout=60)
        good = done.stdout.splitlines() == WANTED
        if not good:
            print(f"FAILED F12: {done.stdout} {done.stderr}")
    print(f"{int(good)} passed, {int(not good)} failed, 0 skipped")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
