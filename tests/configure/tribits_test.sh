#!/usr/bin/env bash
# tribits_test.sh SOURCE CMAKE SCRATCH: TriDAP as a package of a TriBITS project, as far as configuring shows it.
set -euo pipefail
source=$1 cmake=$2 scratch=$3 build=$3/build
rm -rf "$scratch"
mkdir -p "$scratch"
"$cmake" -S "$source/tests/configure/tribits" -B "$build" -G Ninja -DSOURCE="$source" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
ctest --test-dir "$build" -N -V >"$scratch/tests"
failed=0
# has FILE PATTERN, lacks FILE PATTERN: a line of a file.
has() { grep -qE -- "$2" "$1" || { printf 'no line of %s is %s\n' "$1" "$2" >&2; failed=1; }; }
lacks() { if grep -E -- "$2" "$1" >&2; then printf 'a line of %s is %s\n' "$1" "$2" >&2; failed=1; fi; }
log=$scratch/log tests=$scratch/tests config=$build/cmake_packages/TriDAP/TriDAPConfig.cmake

has "$log" "^--   tpetra +on	Fake's Tpetra"
has "$log" '^--   solvers +off	no Belos in Fake .TriDAP_ENABLE_Belos=OFF.'
has "$log" '^--   hdf5 +off	no HDF5 in Fake .TriDAP_ENABLE_HDF5=OFF.'
has "$log" '^--   fortran +off	Fake_ENABLE_Fortran=OFF'
has "$log" "^--   python +off	not a part of Fake's build"
has "$log" '^--   heavy tests +off	[0-9]+ tests: Fake_TEST_CATEGORIES=HEAVY adds them'
has "$log" '^-- all_libs: TriDAP::protocol;.*TriDAP::tpetra'
has "$log" '^-- TriDAP_mpi_np4: test not added: 4 processes, and MPI_EXEC_MAX_NUMPROCS=3$'
has "$log" '^-- TriDAP_mpi_np1: test not added: TriDAP_mpi_np1_DISABLE=ON$'
has "$log" '^-- TriDAP_captures: test not added: it is being mended$'

has "$tests" ': TriDAP_protocol$'
has "$tests" 'Test command: .*mpiexec "--before" "-np" "2" "--behind" ".*watch_mpi_tests"'
lacks "$tests" '^ *Test +#[0-9]+: ([^T]|T[^r]|Tr[^i])'
lacks "$tests" ': TriDAP_(mpi_np[14]|captures)$'
ctest --test-dir "$build" --show-only=json-v1 >"$scratch/json"
python3 - "$scratch/json" <<'PYTHON' || failed=1
import json, sys
tests = {test["name"]: {p["name"]: p["value"] for p in test["properties"]} for test in json.load(open(sys.argv[1]))["tests"]}
assert tests["TriDAP_watch_np3"]["PROCESSORS"] == 3, tests["TriDAP_watch_np3"]
assert tests["TriDAP_no_memory"]["PROCESSORS"] == 3, tests["TriDAP_no_memory"]
assert all("TriDAP" in properties["LABELS"] for properties in tests.values())
PYTHON

has "$config" '^set\(TriDAP_ENABLE_Tpetra ON\)$'
has "$config" '^set\(TriDAP_FILE_OF_Tpetra "/where/tpetra/is/TpetraConfig.cmake"\)$'
has "$config" '^set\(TriDAP_FILE_OF_Kokkos "\$\{CMAKE_CURRENT_LIST_DIR\}/../Kokkos/KokkosConfig.cmake"\)$'
has "$config" '^set\(TriDAP_FILE_OF_MPI "\$\{CMAKE_CURRENT_LIST_DIR\}/../../external_packages/MPI/MPIConfig.cmake"\)$'
has "$config" '^set\(TriDAP_ENABLE_PETSC OFF\)$'
has "$build/cmake_packages/TriDAP/TriDAPTargets.cmake" 'TriDAP::all_libs'
has "$build/TriDAP/cmake_install.cmake" '/libraries/cmake/TriDAP"'
has "$build/compile_commands.json" 'std=c..17'
lacks "$build/compile_commands.json" 'std=[a-z]+..11'
lacks "$log" 'Found (MPI|Trilinos|GTest|CLI11|nlohmann_json|PkgConfig)'
exit $failed
