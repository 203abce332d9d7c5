#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy over our sources, or over those that are named.
#
#   scripts/tidy.sh [FILE…]
set -euo pipefail
cd "$(dirname "$0")/.."
# Nothing is built: the commands of a clang build say how each file is compiled.
cmake --preset tidy >/dev/null
mapfile -t files < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else git ls-files '*.cpp' | grep -vE '^tests/(perf|fuzz)/'; fi)
log=build/tidy.log
# Findings are errors (WarningsAsErrors), so the exit code of any run says whether there are some.
if printf '%s\0' "${files[@]}" | xargs -0 -n 4 -P "$(nproc)" clang-tidy-19 -p build/tidy --quiet >"$log" 2>/dev/null; then
  echo "clang-tidy: ${#files[@]} files, nothing found"
else
  findings=$(grep -E '(warning|error):' "$log" | sort -u)
  echo "$findings"
  echo "clang-tidy: $(wc -l <<<"$findings") findings in ${#files[@]} files, see $log"
  exit 1
fi
