#!/usr/bin/env bash
# What the terrain job does with bad options and bad files, on four processes: one clear line on standard error, a
# non-zero status on every process, no hang.    cli_test.sh MPIEXEC PROGRAM GRID
set -u
mpiexec=$1 program=$2 grid=$3
folder=$(mktemp -d "$PWD/cli_test.XXXXXX")  # which all nodes see, as they do not see each other's /tmp
trap 'rm -rf "$folder"' EXIT
failures=0

# refuses NAME PATTERN ARGUMENT...
refuses() {
  local name=$1 pattern=$2 output=(--output "$folder/p.png")
  shift 2
  [[ $* != *--output* ]] || output=()
  rm -f "$folder"/status.* "$folder"/err.*
  # Each process's own status and messages go to files, and mpiexec is told 0: it would end the others at the first failure.
  MPIEXEC_TIMEOUT=30 "$mpiexec" -n 4 bash -c 'name=$(hostname).$$; "${@:2}" 2>"$1/err.$name"; echo $? >"$1/status.$name"' \
    each "$folder" "$program" "${output[@]}" "$@" >"$folder/out"
  local status=$? lines statuses
  cat "$folder"/err.* >"$folder/err"
  lines=$(grep -c . "$folder/err")
  statuses=$(cat "$folder"/status.* | sort | uniq -c | tr -s ' ')
  if ((status != 0)) || ! [[ $statuses =~ ^\ 4\ [12]$ ]] || ((lines != 1)) || ! grep -qE "$pattern" "$folder/err"; then
    failures=$((failures + 1))
    printf '%s: mpiexec %d, statuses%s; wanted the same on all four, one line like /%s/, and got:\n' \
      "$name" "$status" "$statuses" "$pattern"
    cat "$folder/err"
  fi
  [[ ! -e $folder/p.png ]] || { failures=$((failures + 1)); echo "$name: left a picture"; }
}

head -c 20000 "$grid" >"$folder/cut.asc"
sed '100s/[0-9][0-9]*/4x7/' "$grid" >"$folder/damaged.asc"
sed '1s/.*/ncols 999999999999/' "$grid" >"$folder/huge.asc"
sed '9s/^ *[0-9]*/-9999/' "$grid" >"$folder/hole.asc"

refuses 'unknown option' 'stps.*--help' --stps 3
refuses 'steps of 0' 'steps' --steps 0
refuses 'negative dt' 'dt' --dt -5
refuses 'nan diffusivity' 'diffusivity' --diffusivity nan
refuses 'too long a step' '1e12 m2' --dt 1e30
refuses 'grid of words' '2x3' --grid two
refuses 'grid that does not multiply' "'--grid' is 3x2, but there are 4 processes" --grid 3x2
refuses 'missing file' 'nowhere.asc.*No such file' --elevation "$folder/nowhere.asc"
refuses 'cut file' 'cut.asc' --elevation "$folder/cut.asc"
refuses 'damaged file' 'damaged.asc:100' --elevation "$folder/damaged.asc"
refuses 'huge header' 'huge.asc:1' --elevation "$folder/huge.asc"
refuses 'a hole that one process alone sees' 'hole.asc:9' --elevation "$folder/hole.asc"
refuses 'a picture that cannot be written' 'missing/p.png' --output "$folder/missing/p.png"

"$mpiexec" -n 2 "$program" --help >"$folder/out" 2>&1 || { failures=$((failures + 1)); echo '--help failed'; }
! grep -q 'Kokkos' "$folder/out" || { failures=$((failures + 1)); echo "--help is Kokkos' own"; }
for option in --steps --dt --diffusivity --output --grid; do
  grep -q -- "$option" "$folder/out" || { failures=$((failures + 1)); echo "--help does not name $option"; }
done
"$mpiexec" -n 4 "$program" --grid 4x1 --output "$folder/q.png" >"$folder/out" 2>&1 &&
  grep -q 'on 4 x 1 processes' "$folder/out" && [[ -s $folder/q.png ]] || { failures=$((failures + 1)); cat "$folder/out"; }
exit $((failures > 0))
