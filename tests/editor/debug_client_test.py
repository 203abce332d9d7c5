#!/usr/bin/env python3
"""A debugger's scenarios by npm @vscode/debugadapter-testsupport: debug_client.mjs has them.

    tests/editor/debug_client_test.py [PELORUS]

Runs where `scripts/setup.sh --long` has put Node.js and the packages, build/clients/node_modules; it is skipped elsewhere. The debug
adapter of the DolphinDB extension is among the clients where PELORUS_DOLPHINDB_EXTENSION names a folder with its sources."""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(ROOT / "tests/clients"))
from doors_test import PASSWORD, Server, login

PACKAGES = Path(os.environ.get("PELORUS_JAVASCRIPT_MODULES", ROOT / "build/clients/node_modules"))
SOURCES = Path(os.environ.get("PELORUS_DOLPHINDB_EXTENSION", "/nonexistent"))
NODE = ROOT / ".venv/bin/node"


def bundled_adapter(folder):
    """The debug adapter of the DolphinDB extension as one file; None where its sources are not."""
    if not (SOURCES / "src/debugger/index.ts").exists() or not (PACKAGES / "xshell").exists():
        return None
    target = folder + "/adapter.mjs"
    subprocess.run([PACKAGES / ".bin/esbuild", SOURCES / "src/debugger/index.ts", "--bundle", "--platform=node", "--format=esm", "--log-level=error", f"--outfile={target}",
                    f"--tsconfig={SOURCES}/tsconfig.json", f"--alias:@i18n={SOURCES}/i18n/index.ts",
                    "--banner:js=import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"],
                   check=True, env={**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}", "NODE_PATH": str(PACKAGES)})
    return target


def main():
    if not (PACKAGES / "@vscode/debugadapter-testsupport").exists() or not NODE.exists():
        print(f"SKIPPED: {PACKAGES}/@vscode/debugadapter-testsupport or {NODE} is not there; scripts/setup.sh --long installs both")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    server = Server()
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="pelorus_debug_client_") as folder:
        modules = Path(server.data + "/modules")
        modules.mkdir(exist_ok=True)
        adapter = bundled_adapter(folder)
        skipped += adapter is None
        if adapter is None:
            print("SKIPPED: the debug adapter of the DolphinDB extension; scripts/setup.sh --long fetches it")
        run = subprocess.run([NODE, HERE / "debug_client.mjs", PACKAGES, os.path.abspath(sys.argv[1]), f"ws://127.0.0.1:{server.port}", "admin", PASSWORD, folder, modules, *([adapter] if adapter else [])],
                             capture_output=True, text=True, timeout=540)
        passed += sum(line.startswith("ok ") for line in run.stdout.splitlines())
        wrong = sum(line.startswith("FAILED ") for line in run.stdout.splitlines()) + (run.returncode != 0)
        failed += wrong
        if wrong or not run.stdout:
            print(run.stdout + run.stderr)
        # Scripts end with their connections: endless ones, too.
        session = login(server)
        deadline = time.monotonic() + 20
        while (left := server.run("exec count(*) from getConsoleJobs()", session=session)["object"][0]["value"]) != "1" and time.monotonic() < deadline:
            time.sleep(0.1)
        if left != "1":
            failed += 1
            print(f"FAILED {left} requests run after the clients have left")
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
