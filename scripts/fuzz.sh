#!/usr/bin/env bash
# Runs the coverage-guided fuzzers of scripts (tests/fuzz/script_fuzzer.cpp), of the wire (tests/fuzz/wire_fuzzer.cpp), of
# PostgreSQL's protocol (tests/fuzz/postgres_fuzzer.cpp), of the line protocol (tests/fuzz/line_fuzzer.cpp), of Arrow streams (tests/fuzz/arrow_fuzzer.cpp) and of Arrow's C interface (tests/fuzz/arrays_fuzzer.cpp), beside one another, with address and undefined-behaviour sanitizers.
#
#   scripts/fuzz.sh [SECONDS [script|wire|postgres|line|arrow|arrays]]    600 each when not given
#
# Begins with the scripts of the tests and with tests/fuzz/corpus, wire_corpus, postgres_corpus, line_corpus and arrow_corpus, where every input that once found something stays. What
# they learn is kept below build/fuzz; what they find in build/fuzz/findings, and the exit code says so.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
which=${2:-script wire postgres line arrow arrays}

scripts/setup.sh --fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j"$(nproc)"

work=build/fuzz
mkdir -p "$work/corpus" "$work/wire_corpus" "$work/postgres_corpus" "$work/line_corpus" "$work/arrow_corpus" "$work/arrays_corpus" "$work/seeds" "$work/findings"
jobs=$(nproc)
[[ $which == *' '* && $jobs -gt 1 ]] && jobs=$(((jobs + 3) / 4))
options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -fork="$jobs" -ignore_crashes=1 -ignore_timeouts=0 -ignore_ooms=0
  -artifact_prefix="$work/findings/")

if [[ $which == *script* ]]; then
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
  "$work/tests/script_fuzzer" "${options[@]}" -max_len=4096 -dict="$dictionary" "$work/corpus" "$work/seeds" 2>"$work/log" &
fi
if [[ $which == *wire* ]]; then
  "$work/tests/wire_fuzzer" "${options[@]}" -max_len=16384 "$work/wire_corpus" tests/fuzz/wire_corpus 2>"$work/wire_log" &
fi
if [[ $which == *postgres* ]]; then
  "$work/tests/postgres_fuzzer" "${options[@]}" -max_len=4096 "$work/postgres_corpus" tests/fuzz/postgres_corpus 2>"$work/postgres_log" &
fi
if [[ $which == *line* ]]; then
  "$work/tests/line_fuzzer" "${options[@]}" -max_len=4096 "$work/line_corpus" tests/fuzz/line_corpus 2>"$work/line_log" &
fi
if [[ $which == *arrow* ]]; then
  "$work/tests/arrow_fuzzer" "${options[@]}" -max_len=8192 "$work/arrow_corpus" tests/fuzz/arrow_corpus 2>"$work/arrow_log" &
fi
if [[ $which == *arrays* ]]; then
  "$work/tests/arrays_fuzzer" "${options[@]}" -max_len=8192 "$work/arrays_corpus" 2>"$work/arrays_log" &
fi
wait # findings say what was found, not the exit codes
for log in log wire_log postgres_log line_log arrow_log arrays_log; do
  case $log in log) [[ $which == *script* ]] || continue ;; wire_log) [[ $which == *wire* ]] || continue ;; postgres_log) [[ $which == *postgres* ]] || continue ;; line_log) [[ $which == *line* ]] || continue ;; arrays_log) [[ $which == *arrays* ]] || continue ;; *) [[ $which == *arrow* ]] || continue ;; esac
  tail -n 1 "$work/$log"
  # A fuzzer that did not start has found nothing either.
  grep -q 'cov: ' "$work/$log" || { tail -n 20 "$work/$log"; exit 1; }
done
found=$(find "$work/findings" -type f | wc -l)
echo "fuzzed for $seconds s: $found findings"
[ "$found" = 0 ]
