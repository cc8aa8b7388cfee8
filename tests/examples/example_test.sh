#!/usr/bin/env bash
# An example runs, and prints what its README shows. Numbers and the names of files may vary, and without MueLu
# Ifpack2 stands in its place; on another number of processes than the README's 4, so may all but the first words, and
# tables, whose lines begin with "  |", have other lines. Without Global Arrays, the lines about them are left out.
#   example_test.sh MPIEXEC PROCESSES PROGRAM README ARGUMENT...
set -euo pipefail
mpiexec=$1 processes=$2 program=$3 readme=$4
shift 4
name=${program##*/}
said=$(MPIEXEC_TIMEOUT=100 "$mpiexec" -n "$processes" "$program" "$@")
printf '%s\n' "$said"
shown=$(sed -n "/^\\$ .\\/dev example $name/,/^\`\`\`/{//!p}" "$readme")
[[ -n $shown ]] || { echo "$readme shows no output of $name"; exit 1; }
grep -q '^  GA ' <<<"$said" || shown=$(grep -v '^  GA ' <<<"$shown")

form() {
  if ((processes == 4)); then sed -E 's#[^ ]+\.(png|h5)#*.\1#g; s/muelu/ifpack2/g; s/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/#/g; s/  +/ /g'
  else sed -E '/^  \|/d; s/^( *[^ ]*).*/\1/'; fi
}
diff <(form <<<"$shown") <(form <<<"$said") || { echo "$readme (<) shows another output than this (>)"; exit 1; }
