#!/bin/bash
# Compares auto with two devices and with one: a line for each search of each graph, medians of searches
# that take turns with one and with two devices. A mark shows a search that takes over a twentieth longer with
# two devices.
#
#     bench_devices.sh BENCH_GPU [GRAPH ...]          the eight graphs of the benchmark
#
# DEVICES,graph,algorithm source,ms by one,ms with two,ratio,method with two
#
# In the environment: REPEATS (7) of each search, from SOURCES (2).
set -eu
bench=$1
shift
[ $# -gt 0 ] || set -- rmat20 rmat22 rmat24 road1m road4m road24m mesh1m mesh16m
for graph; do
    OPEN=1 TURNS=1 DEVICES='1,2?' "$bench" "$graph" bfs,sssp,mis,components,pagerank auto cuda \
        "${SOURCES:-2}" "${REPEATS:-7}" |
        awk -F, -v graph="$graph" '
            $1 == "DEVICES" { devices = $3 }
            $1 == "RES" {
                key = $4 " " $6
                method[key] = $2
                if (devices == 1) { one[key] = $8; name[++count] = key }
                else two[key] = $8
            }
            END {
                for (i = 1; i <= count; i++) {
                    key = name[i]
                    printf "DEVICES,%s,%s,%.3f,%.3f,%.2f,%s%s\n", graph, key, one[key], two[key],
                           one[key] / two[key], method[key], (two[key] > 1.05 * one[key] ? " slower" : "")
                }
            }'
done
