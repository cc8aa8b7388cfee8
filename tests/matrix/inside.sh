#!/usr/bin/env bash
# inside.sh PRESETS OPTIONS SANITIZED TESTS MPI AFTER LABEL: what ./dev matrix runs in its checkout, on the row's machine.
#   PRESETS    CMake's presets, with commas: release, asan. Of asan only the folders SANITIZED are built and tested.
#   OPTIONS    CMake's options of the row
#   TESTS      a regular expression for the names of the tests; empty: all of the label
#   MPI        the Debian package of the MPI
#   AFTER      a target that is built after the tests of the first preset; empty: none
#   LABEL      the label of the tests: quick, or more
# Leaves CTest's log and last lines of each preset, and the version of the MPI, in build/matrix_results.
set -euo pipefail
presets=$1 options=$2 sanitized=$3 tests=$4 mpi=$5 after=$6 label=$7
results=$PWD/build/matrix_results status=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_mapby=:oversubscribe  # Open MPI 5, and 6
mkdir -p "$results"
rm -f "$results"/*
dpkg-query -W -f='${Version}' "$mpi" >"$results/mpi"

# test_of PRESET CTEST_ARGUMENT...: builds what these tests need, and runs them.
test_of() {
  local preset=$1 log targets
  shift
  printf '\n== configuring and building build/%s\n' "$preset" >&2
  log=$(eval "cmake --preset $preset $options" 2>&1) || { printf '%s\n' "$log" >&2; exit 1; }
  sed -n '/^-- TriDAP/,/^-- Configuring/{/^-- Configuring/!p}' <<<"$log" >&2
  targets=$(ctest --test-dir "build/$preset" -N -V "$@" | grep '^Labels:' | grep -o 'target:[^ ]*' | cut -d: -f2 |
    grep -vx all | sort -u || true)
  [[ -z $targets ]] || cmake --build "build/$preset" --target $targets >"$results/$preset.build" 2>&1 || {
    grep -E -A12 'error|FAILED|undefined' "$results/$preset.build" | head -n 150 >&2
    exit 1
  }
  printf '\n== tests of build/%s\n' "$preset" >&2
  ctest --test-dir "build/$preset" --output-on-failure --no-label-summary --no-tests=error --parallel "$(nproc)" "$@" \
    | tee "$results/$preset.out" || status=1
  cp "build/$preset/Testing/Temporary/LastTest.log" "$results/$preset.log"
}

for preset in ${presets//,/ }; do
  if [[ $preset == asan ]]; then test_of asan -L "^folder:(${sanitized// /|})$"
  else test_of "$preset" -L "^$label\$" -R "${tests:-.}"; fi
done
[[ -z $after ]] || cmake --build "build/${presets%%,*}" --target "$after" || status=1
exit $status
