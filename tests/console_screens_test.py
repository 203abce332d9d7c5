#!/usr/bin/env python3
"""What the console shows, screen by screen: tests/screens/NAME.in typed on terminals of 60, 80 and 200 columns shows
NAME.COLUMNS.txt, from the first line to the last prompt. `--update` writes what it shows now: read the difference."""
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
try:
    from terminal_screen import ScreenTerminal
except ImportError:
    print("SKIPPED console_screens_test.py (no pyte: scripts/setup.sh --python)\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

PELORUS = Path(sys.argv[1]).resolve()
SCREENS = Path(__file__).resolve().parent / "screens"
UPDATE = "--update" in sys.argv
LINES = 30


def shown(script, columns, folder):
    """All that scrolled by and what stands on the screen."""
    home = Path(folder, f"{script.stem}{columns}")
    home.mkdir()
    terminal = ScreenTerminal([PELORUS], home, columns, LINES, PAGER="cat")
    terminal.until(lambda: terminal.text().endswith("\n>"))
    for statement in ["\\timing off", *script.read_text().splitlines()]:
        before = len(terminal.raw)
        terminal.send(statement + "\r")
        terminal.until(lambda: b"\n" in terminal.raw[before:] and terminal.line(terminal.cursor()[0]) == ">")
    terminal.read(0.2)
    history = ["".join(line[x].data for x in range(columns)).rstrip() for line in terminal.screen.history.top]
    terminal.close()
    text = "\n".join([*history, terminal.text()])
    return text[text.index("> \\timing") :].rstrip() + "\n"


passed = failed = 0
with tempfile.TemporaryDirectory() as folder:
    for script in sorted(SCREENS.glob("*.in")):
        for columns in (60, 80, 200):
            kept = SCREENS / f"{script.stem}.{columns}.txt"
            text = shown(script, columns, folder)
            if UPDATE:
                kept.write_text(text)
            if kept.exists() and kept.read_text() == text:
                passed += 1
                continue
            failed += 1
            print(f"FAILED {kept.name}: the screen is\n{text}")
if passed + failed == 0:
    failed = 1
    print(f"FAILED no screens in {SCREENS}")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
