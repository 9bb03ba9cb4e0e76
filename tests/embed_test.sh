#!/bin/sh
# Runs the built examples/embed.c, and compares its output.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2086 # the wrapper is a command with its options
${GPUGRAPH_WRAPPER:-} "${GPUGRAPH_BUILD:-$tests/../build}/embed" | diff -u "$tests/data/embed.out" -
