#!/usr/bin/env bash
# Runs the Fortran example on four processes, and then the command that draws its file.
#
#   fortran_example.sh MPIEXEC EXAMPLE FILE COMMAND...
set -euo pipefail
mpiexec=$1 example=$2 file=$3
shift 3
rm -f "$file.h5" "$file.png"
"$mpiexec" -n 4 "$example" "$file.h5"
"$@" --file "$file.h5" --output "$file.png"
[[ -s $file.png ]]
