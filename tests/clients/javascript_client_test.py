#!/usr/bin/env python3
"""The unmodified JavaScript client (npm dolphindb) against `pelorus serve`, over ws and wss: javascript_client.mjs has the cases.

Runs where `scripts/setup.sh --long` has put Node.js and the package, build/clients/node_modules; it is skipped elsewhere."""
import os
import subprocess
import sys
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
from doors_test import PASSWORD, Server
from values_of_types import tables

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = Path(os.environ.get("PELORUS_JAVASCRIPT_CLIENT", ROOT / "build/clients/node_modules/dolphindb"))
NODE = ROOT / ".venv/bin/node"


def main():
    if not PACKAGE.exists() or not NODE.exists():
        print(f"SKIPPED: {PACKAGE} or {NODE} is not there; scripts/setup.sh --long installs both")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    server = Server()
    passed = failed = 0
    for url in (f"ws://127.0.0.1:{server.port}", f"wss://localhost:{server.port}"):
        environment = {**os.environ, "NODE_EXTRA_CA_CERTS": server.certificate}
        # The client knows no DATEMINUTE.
        scripts = "".join(f"{name}\t{script}\n" for name, script in tables() if "DATEMINUTE" not in name)
        run = subprocess.run([NODE, HERE / "javascript_client.mjs", PACKAGE, url, PASSWORD], input=scripts, capture_output=True, text=True, timeout=120,
                             env=environment)
        passed += sum(line.startswith("ok ") for line in run.stdout.splitlines())
        wrong = sum(line.startswith("FAILED ") for line in run.stdout.splitlines()) + (run.returncode != 0)
        failed += wrong
        if wrong or not run.stdout:
            print(url + "\n" + run.stdout + run.stderr)
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
