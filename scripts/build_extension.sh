#!/usr/bin/env bash
# Builds the VS Code extension: build/pelorus.vsix. Its packages are installed as package-lock.json names them.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/npm_ci.sh clients/vscode
export PATH="$PWD/.venv/bin:$PATH"
cd clients/vscode
npx tsc --noEmit
node build.mjs
mkdir -p ../../build
npx vsce package --no-dependencies --skip-license --allow-missing-repository --out ../../build/pelorus.vsix >/dev/null
bytes=$(stat -c %s ../../build/pelorus.vsix)
[ "$bytes" -lt 1000000 ] || { echo "build/pelorus.vsix has $bytes bytes: more than a megabyte." >&2; exit 1; }
echo "build/pelorus.vsix: $bytes bytes"
