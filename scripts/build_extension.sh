#!/usr/bin/env bash
# Builds the VS Code extension: build/pelorus.vsix. Its packages are installed as package-lock.json names them.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv/bin/npm ] && export PATH="$PWD/.venv/bin:$PATH"
command -v npm >/dev/null || {
  echo "The extension needs Node.js 20 or later and npm: install Debian's npm, or run scripts/setup.sh --long." >&2
  exit 1
}
cd clients/vscode
if ! cmp -s package-lock.json node_modules/.installed-lock; then
  npm ci --silent --no-audit --no-fund
  cp package-lock.json node_modules/.installed-lock
fi
npx tsc --noEmit
node build.mjs
mkdir -p ../../build
npx vsce package --no-dependencies --skip-license --allow-missing-repository --out ../../build/pelorus.vsix >/dev/null
bytes=$(stat -c %s ../../build/pelorus.vsix)
[ "$bytes" -lt 1000000 ] || { echo "build/pelorus.vsix has $bytes bytes: more than a megabyte." >&2; exit 1; }
echo "build/pelorus.vsix: $bytes bytes"
