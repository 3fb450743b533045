#!/usr/bin/env bash
# The nightly benchmark, repaired: it ends with 0 only when every scenario ran and left a measurement.
# cron: 30 2 * * * /srv/nightly-bench/repaired/nightly.sh >> /var/log/nightly-bench.log
set -u

HERE=$(cd "$(dirname "$0")" && pwd) || exit
OUT=$HERE/results/$(date +%F)
mkdir -p "$OUT" || exit
failed=0

# Don't measure when the disk is too full to keep the results.
"$HERE/../guard.sh" "$OUT" || exit

# check_result FILE: does the file hold a measurement? An error message is a file that isn't empty, too.
check_result() {
    local size
    size=$(wc -c < "$1") || return 1
    if [ "$size" -lt 40 ]; then
        echo "$1: only $size bytes" >&2
        return 1
    fi
    if ! grep -Eq '^median_us [0-9]+\.[0-9]+$' "$1"; then
        echo "$1: no median in it" >&2
        return 1
    fi
}

# run_scenario NAME HARNESS: keep what the harness prints, and count it as failed unless that is a measurement.
run_scenario() {
    local rc
    echo "Start $(date +%T), $1"
    python3 "$HERE/harness/$2" > "$OUT/$1.txt" 2>&1
    rc=$?
    echo "End $(date +%T), return $rc"
    if [ "$rc" -ne 0 ] || ! check_result "$OUT/$1.txt"; then
        failed=$((failed + 1))
    fi
}

run_scenario json-roundtrip json_roundtrip.py
run_scenario sort-numbers sort_numbers.py
run_scenario text-search text_search.py

echo "Nightly benchmark complete, $failed of 3 scenarios failed"
exit $((failed > 0))
