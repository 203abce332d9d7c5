#!/usr/bin/env bash
# The main job, end to end: makes small market data, imports it, runs the three tasks in an embedded database, then the same
# on a cluster of three nodes on this machine, and compares the answers.
set -euo pipefail
cd "$(dirname "$0")/.."
pelorus=$PWD/build/release/pelorus
work=$(mktemp -d)
finish() {
  "$pelorus" cluster down --dir "$work/cluster" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT

say() { printf '\n== %s\n' "$*"; }
timed() {  # timed WHAT COMMAND…
  local what=$1 start end
  shift
  start=$(date +%s%N)
  "$@"
  end=$(date +%s%N)
  printf -- '-- %s: %d ms\n' "$what" $(((end - start) / 1000000))
}

say "Quotes of three days, made by examples/taq/generate.dos"
timed "generate" "$pelorus" run examples/taq/generate.dos "$work/csv" 3 100000
ls "$work/csv"

say "Embedded"
timed "import" "$pelorus" run --data "$work/db" examples/taq/import.dos "$work/csv"
mkdir -p "$work/embedded" "$work/nodes"
for task in spread minute_bars regression; do
  timed "$task" "$pelorus" run --data "$work/db" "examples/taq/$task.dos" "$work/embedded/$task.csv"
done

say "A cluster of three nodes"
timed "cluster up" "$pelorus" cluster up --nodes 3 --dir "$work/cluster"
address=$("$pelorus" cluster status --dir "$work/cluster" | sed -n 's/^node1 *\([0-9.:]*\).*/\1/p')
timed "import" "$pelorus" run --connect "$address" examples/taq/import.dos "$work/csv"
for task in spread minute_bars regression; do
  timed "$task" "$pelorus" run --connect "$address" "examples/taq/$task.dos" "$work/nodes/$task.csv" >/dev/null
  cmp "$work/embedded/$task.csv" "$work/nodes/$task.csv"
  echo "$task: the cluster's answer is the embedded one, byte for byte"
done
say "Done"
