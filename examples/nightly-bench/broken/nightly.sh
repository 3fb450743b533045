#!/usr/bin/env bash
# The nightly benchmark: runs every scenario and keeps what it printed.
# cron: 30 2 * * * /srv/nightly-bench/broken/nightly.sh >> /var/log/nightly-bench.log
set -u

# The harnesses were copied here when the machine was set up.
LIB=/tmp/bench-harness
HERE=$(cd "$(dirname "$0")" && pwd)
OUT=$HERE/results/$(date +%F)
mkdir -p "$OUT"

# Don't measure when the disk is too full to keep the results.
"$HERE/../guard.sh" "$OUT" | cat

echo "Start $(date +%T), json-roundtrip"
python3 "$LIB/json_roundtrip.py" > "$OUT/json-roundtrip.txt" 2>&1
echo "End $(date +%T), return $?"

echo "Start $(date +%T), sort-numbers"
python3 "$LIB/sort_numbers.py" > "$OUT/sort-numbers.txt" 2>&1
echo "End $(date +%T), return $?"

echo "Start $(date +%T), text-search"
python3 "$LIB/text_search.py" > "$OUT/text-search.txt" 2>&1
echo "End $(date +%T), return $?"

echo "Nightly benchmark complete"
