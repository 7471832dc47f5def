#!/bin/sh
# How near the schedules of fabc come to their lower bounds, and how long fabc plans them: a table in Markdown.
# Usage, from the root of the repository: examples/collectives.sh [FABC]
# Every schedule is replayed by the checker before its time is printed. Seconds are those of the wall clock,
# for reading the build, the plans of all algorithms that are tried, the checker, and the bound.
set -eu
fabc=${1:-fabc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "| fabric | chips | collective, 1 GiB | algorithm | time, us | share of the bound | s |"
echo "|---|---|---|---|---|---|---|"
while read -r spec collectives; do
    "$fabc" build "specs/$spec.fab" -q -o "$work"
    name=$(basename "$spec")
    for collective in $(echo "$collectives" | tr , ' '); do
        start=$(date +%s%N)
        "$fabc" collective "$work/$name" --collective "$collective" --size 1GiB --json >"$work/answer.json"
        end=$(date +%s%N)
        # One collective of one size: the first value of each key belongs to the fastest algorithm.
        value() {
            grep -o "\"$1\":[^,}]*" "$work/answer.json" | head -1 | cut -d: -f2 | tr -d '"'
        }
        awk -v name="$name" -v chips="$(value chips)" -v collective="$collective" \
            -v algorithm="$(value algorithm)" -v ns="$(value time_ns)" -v share="$(value share)" \
            -v nanoseconds="$((end - start))" 'BEGIN {
                printf "| %s | %d | %s | `%s` | %.1f | %.4f | %.2f |\n",
                    name, chips, collective, algorithm, ns / 1000, share, nanoseconds / 1e9
            }'
    done
done <<'SPECS'
clusters/dgx1 all_gather,all_reduce
clusters/a100x2 all_gather,all_reduce
clusters/h100x4 all_gather,all_reduce
clusters/mi250x2 all_gather
clusters/mi300x4 all_gather,all_reduce
torus_4x4x8 all_gather,all_reduce
networks/torus_16x16 all_gather,all_reduce
networks/hypercube_256 all_gather
pod_128 all_gather,all_reduce,all_to_all
SPECS
