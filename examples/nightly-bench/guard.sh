#!/usr/bin/env bash
# guard.sh FOLDER: ends with 3 when the disk under FOLDER has less than BENCH_MIN_FREE_KB left (default: 100 MB).
set -euo pipefail

folder=${1:?usage: guard.sh FOLDER}
minimum=${BENCH_MIN_FREE_KB:-102400}
free=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')

if [ "$free" -lt "$minimum" ]; then
    echo "guard: only $free KB free under $folder, $minimum KB needed" >&2
    exit 3
fi
echo "guard: $free KB free under $folder"
