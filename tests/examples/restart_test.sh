#!/usr/bin/env bash
# A run on four processes that is interrupted and continued on other numbers of processes ends with the bits of a run
# without interruption.    restart_test.sh MPIEXEC PROGRAM
set -euo pipefail
mpiexec=$1 program=$2
folder=$(mktemp -d "$PWD/restart_test.XXXXXX")  # which all nodes see
trap 'rm -rf "$folder"' EXIT

run() {  # PROCESSES ARGUMENT...: the number of bits
  MPIEXEC_TIMEOUT=60 "$mpiexec" -n "$1" "$program" "${@:2}" | tee "$folder/out" >&2
  sed -n 's/^bits *//p' "$folder/out"
}

whole=$(run 4 --steps 60 --output "$folder/whole.h5")
half=$(run 4 --steps 20 --output "$folder/half.h5")
[[ -n $whole && $half != "$whole" ]] || { echo 'the steps change nothing'; exit 1; }
for processes in 3 1; do
  end=$(run $processes --from "$folder/half.h5" --steps 40 --output "$folder/end.h5")
  grep -q '^start *step 20, from .*, which 4 processes saved$' "$folder/out"
  [[ $end == "$whole" ]] || { echo "continued on $processes processes: $end, without interruption: $whole"; exit 1; }
done
