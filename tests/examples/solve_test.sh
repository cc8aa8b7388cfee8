#!/usr/bin/env bash
# Three steps of the terrain job: status 0, nothing copied, a picture and a grid that were not there before.
#   solve_test.sh MPIEXEC PROCESSES PROGRAM PICTURE GRID
set -euo pipefail
mpiexec=$1 processes=$2 program=$3 picture=$4 grid=$5
rm -f "$picture" "$grid"
MPIEXEC_TIMEOUT=100 "$mpiexec" -n "$processes" "$program" --steps 3 --progress --output "$picture" --save "$grid" >"$picture.log"
cat "$picture.log"
grep -qE '^field +0 bytes copied, addresses equal on every process$' "$picture.log"
(($(grep -c '^step [123] of 3: ' "$picture.log") == 3))
[[ -s $picture && -s $grid ]]
