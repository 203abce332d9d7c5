#!/usr/bin/env bash
# Runs the coverage-guided fuzzer of scripts (tests/fuzz/script_fuzzer.cpp), with address and undefined-behaviour sanitizers.
#
#   scripts/fuzz.sh [SECONDS]    600 when not given
#
# Begins with the scripts of the tests and with tests/fuzz/corpus, where every input that once found something stays. What it
# learns is kept in build/fuzz/corpus; what it finds in build/fuzz/findings, and the exit code says so.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}

scripts/setup.sh --fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j"$(nproc)"

work=build/fuzz
mkdir -p "$work/corpus" "$work/seeds" "$work/findings"
rm -f "$work/seeds"/*
find tests/script tests/fuzz/corpus examples -name '*.dos' | while read -r script; do
  cp "$script" "$work/seeds/$(echo "$script" | tr / -)"
done

# Words that mutation would not come upon: keywords, and every function.
dictionary=$work/words.dict
{
  sed 's/.*/"&"/' tests/fuzz/words.txt
  [ ! -x build/release/pelorus ] || build/release/pelorus -e 'for (name in exec name from defs()) print(name)' |
    grep -E '^[a-zA-Z]\w*!?$' | sed 's/.*/"&("/'
} >"$dictionary"

"$work/tests/script_fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -fork="$(nproc)" \
  -ignore_crashes=1 -ignore_timeouts=0 -ignore_ooms=0 -dict="$dictionary" -artifact_prefix="$work/findings/" \
  "$work/corpus" "$work/seeds" 2>"$work/log" || true
tail -n 3 "$work/log"
found=$(find "$work/findings" -type f | wc -l)
echo "fuzzed for $seconds s: $found findings"
[ "$found" = 0 ]
