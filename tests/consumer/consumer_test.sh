#!/usr/bin/env bash
# One case of tests/consumer/CMakeLists.txt.    consumer_test.sh CASE CMAKE SOURCE BUILD FOLDER CMAKE_ARGUMENT...
# The arguments are BUILD's kind and flags, for who builds TriDAP again.
set -euo pipefail
case=$1 cmake=$2 source=$3 build=$4 folder=$5 as_before=("${@:6}")
rm -rf "$folder"
mkdir -p "$folder"

# consume PROJECT HOW...: builds the consumer's PROJECT against what HOW names, runs it on two processes.
consume() {
  local project=$1
  shift
  "$cmake" -S "$source/tests/consumer/$project" -B "$folder/build" -G Ninja "$@" >"$folder/log" || { cat "$folder/log"; exit 1; }
  "$cmake" --build "$folder/build"
  MPIEXEC_TIMEOUT=60 mpiexec -n 2 "$folder/build/consumer" | tee "$folder/out"
  grep -q '^shared, 0 bytes copied.*, 2$' "$folder/out"
}

# consume_device HOW...: a program that links TriDAP::device, and names nothing of it, has it.
consume_device() {
  "$cmake" -S "$source/tests/consumer/device" -B "$folder/device" -G Ninja "$@" >"$folder/log" || { cat "$folder/log"; exit 1; }
  "$cmake" --build "$folder/device"
  has_device "$folder/device/consumer"
}
has_device() {
  "$1" | tee "$folder/out"
  grep -q 'has not loaded its driver' "$folder/out"
}

# consume_fortran_libraries PREFIX: the same for a project in Fortran alone, which needs PETSc and Global Arrays.
consume_fortran_libraries() {
  "$cmake" -S "$source/tests/consumer/fortran_libraries" -B "$folder/fortran" -G Ninja -DCMAKE_PREFIX_PATH="$1"
  "$cmake" --build "$folder/fortran"
  MPIEXEC_TIMEOUT=60 mpiexec -n 2 "$folder/fortran/consumer" | tee "$folder/out"
  grep -q 'the sum is 1500.0, and .*PETSc is not initialised' "$folder/out"
}

# refused PATTERN CMAKE_ARGUMENT...: configuring fails and says why.
refused() {
  local pattern=$1
  shift
  if "$cmake" -G Ninja "$@" >"$folder/log" 2>&1; then echo "configure did not fail"; exit 1; fi
  tr -s '[:space:]' ' ' <"$folder/log" | grep -qE "$pattern" || { cat "$folder/log"; exit 1; }
}

# by_pkg_config PREFIX: each tridap-NAME.pc gives the options to compile and link a program, which then starts. All of the
# library is linked, so that a library of ours that a .pc file does not name is missed.
by_pkg_config() {
  local pc name header libraries
  pc=$(find "$1" -name tridap-protocol.pc)
  export PKG_CONFIG_PATH=${pc%/*}
  for pc in "$PKG_CONFIG_PATH"/*.pc; do
    name=$(basename "$pc" .pc)
    header=$(cd "$1/include" && find tridap -path "tridap/${name#tridap-}/*.hpp" -o -path tridap/draw.hpp |
      sort | tail -n 1)
    printf '#include <%s>\n' "$header" tridap/report.hpp >"$folder/by_pkg_config.cpp"
    echo 'int main() { return tridap::Report().ok() ? 0 : 1; }' >>"$folder/by_pkg_config.cpp"
    libraries=$(pkg-config --libs "$name" |
      sed -E 's/-ltridap_[a-z_]+/-Wl,--whole-archive,--no-as-needed & -Wl,--no-whole-archive,--as-needed/g')
    if [[ $name == tridap-fortran* ]]; then  # a compiler of Fortran links its own library
      printf '%s\n' 'program main' 'use tridap' "if (tridap_version() == '') error stop" 'end program' >"$folder/by_pkg_config.f90"
      "${MPIFC:-mpif90}" $(pkg-config --cflags "$name") "$folder/by_pkg_config.f90" $libraries -o "$folder/by_pkg_config"
      header='the module tridap'
    else
      "${MPICXX:-mpicxx}" -std=c++17 $(pkg-config --cflags "$name") "$folder/by_pkg_config.cpp" $libraries \
        -o "$folder/by_pkg_config"
    fi
    LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/*} "$folder/by_pkg_config"
    echo "$name: $header, $(ldd "$folder/by_pkg_config" | grep -c libtridap_ || true) shared libraries of ours"
  done
}

# c_program NAME CALL: writes a program in C that makes a wrong call, and prints its message.
c_program() {
  printf '%s\n' '#include <tridap/tridap.h>' '#include <stdio.h>' 'int main(int argc, char** argv) {' '  MPI_Init(&argc, &argv);' \
    "  if ($2 != TRIDAP_OK) printf(\"refused: %s\\n\", tridap_message());" '  return MPI_Finalize();' '}' >"$folder/$1.c"
}

case $case in
  install)
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    ! grep -rlF "$source" "$folder/prefix" --include='*.cmake' --include='*.hpp' || { echo 'an install names its source'; exit 1; }
    consume project -DCMAKE_PREFIX_PATH="$folder/prefix"
    consume_device -DCMAKE_PREFIX_PATH="$folder/prefix"
    if [[ -x $folder/prefix/bin/tridap ]]; then  # the command that is installed, and its completion for bash
      "$source/tests/tool/completion_test.sh" "$folder/prefix/bin/tridap" \
        "$folder/prefix/share/bash-completion/completions/tridap"
      "$folder/prefix/bin/tridap" --version | tee "$folder/out"
      grep -q '^compiler ' "$folder/out"
      ! grep -q / "$folder/out" || { echo 'the command names a folder of its build'; exit 1; }
    fi
    ;;
  smoke)  # an install checks itself, and notices headers of another version
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    "$cmake" -S "$folder/prefix/share/tridap/smoke" -B "$folder/smoke" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix"
    "$cmake" --build "$folder/smoke"
    ctest --test-dir "$folder/smoke" --output-on-failure --no-tests=error | tee "$folder/log"
    grep -q '^100% tests passed, 0 tests failed out of 5$' "$folder/log"
    sed -i 's/^#define TRIDAP_VERSION_PATCH .*/#define TRIDAP_VERSION_PATCH 99/' "$folder/prefix/include/tridap/dap.h"
    "$cmake" --build "$folder/smoke" --target smoke_protocol
    ! "$folder/smoke/smoke_protocol" >"$folder/out" || { echo 'the headers are of another version'; exit 1; }
    grep -E '^FAILED: .*\.99' "$folder/out"
    ;;
  shared)  # shared libraries, installed and moved: found there by programs and by Python
    "$cmake" -S "$source" -B "$folder/shared" "${as_before[@]}" -DBUILD_SHARED_LIBS=ON -DTRIDAP_TESTS=OFF -DTRIDAP_EXAMPLES=OFF
    "$cmake" --build "$folder/shared"
    DESTDIR=$folder/stage "$cmake" --install "$folder/shared" --prefix /opt/tridap >/dev/null
    mv "$folder/stage/opt/tridap" "$folder/moved"
    rm -r "$folder/shared" "$folder/stage"
    by_pkg_config "$folder/moved" | tee "$folder/log"
    grep -q '^tridap-ghosts: .*, [45] shared' "$folder/log"
    consume project -DCMAKE_PREFIX_PATH="$folder/moved"
    consume_device -DCMAKE_PREFIX_PATH="$folder/moved"
    export PKG_CONFIG_PATH=$folder/moved/lib/pkgconfig
    "${MPICXX:-mpicxx}" -std=c++17 $(pkg-config --cflags tridap-device) -Wl,--as-needed "$source/tests/consumer/device/main.cpp" \
      $(pkg-config --libs tridap-device) -o "$folder/by_pkg_config"
    LD_LIBRARY_PATH=$folder/moved/lib has_device "$folder/by_pkg_config"
    /usr/bin/python3 "$source/tests/consumer/exported_symbols.py" "$folder/moved" "$source"
    ldd "$folder/build/consumer" | grep -F "libtridap_tpetra.so.0.2 => $folder/moved"
    pkg-config --libs tridap-protocol | tee "$folder/out"
    ! grep -F stdc++ "$folder/out" || { echo 'a linker of C would need libstdc++-dev'; exit 1; }
    "$folder/moved/bin/tridap" --version
    for package in "$folder"/moved/lib/python3*/*-packages; do
      PYTHONPATH=$package MPIEXEC_TIMEOUT=60 mpiexec -n 2 /usr/bin/python3 -c \
        'import tridap; assert (tridap.zeros(tridap.distribution(8)) + 2).sum() == 16; print(tridap.__file__)' | tee "$folder/out"
    done
    grep -F "$folder/moved" "$folder/out"
    modules=$folder/moved/include/tridap/fortran
    if [[ -e $modules/tridap_c_petsc.mod && -e $modules/tridap_c_globalarrays.mod ]]; then
      consume_fortran_libraries "$folder/moved"
    fi
    ;;
  any_order)  # who else finds Trilinos, before us or after, has all that it asks for
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    cp -r "$source/tests/consumer/project" "$folder/project"
    for order in 'TriDAP Trilinos' 'Trilinos TriDAP'; do
      {
        echo 'cmake_minimum_required(VERSION 3.24)' && echo 'project(consumer LANGUAGES CXX)' && echo 'set(CMAKE_CXX_EXTENSIONS OFF)'
        for name in $order; do
          if [[ $name == TriDAP ]]; then echo 'find_package(TriDAP REQUIRED COMPONENTS tpetra)'
          else echo "find_package(Trilinos REQUIRED COMPONENTS Teuchos Belos)"; fi
        done
        echo 'add_executable(consumer main.cpp belos.cpp)'
        echo 'target_link_libraries(consumer PRIVATE TriDAP::tpetra ${Trilinos_LIBRARIES})'
        echo 'if(NOT TARGET Belos::all_libs AND NOT trilinos_belos IN_LIST Trilinos_LIBRARIES)'
        echo '  message(FATAL_ERROR "Belos was asked for, and Trilinos has ${Trilinos_LIBRARIES}")'
        echo 'endif()'
      } >"$folder/project/CMakeLists.txt"
      echo '#include <BelosTypes.hpp>
std::string said() { return Belos::convertReturnTypeToString(Belos::Converged); }' >"$folder/project/belos.cpp"
      rm -rf "$folder/build"
      "$cmake" -S "$folder/project" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix"
      "$cmake" --build "$folder/build"
      MPIEXEC_TIMEOUT=60 mpiexec -n 2 "$folder/build/consumer"
    done
    ;;
  c_alone)  # a project in C finds the protocol and nothing else, with CMake or pkg-config
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    "$cmake" -S "$source/tests/consumer/c" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" | tee "$folder/log"
    if grep -iE 'found.*(mpi|kokkos|trilinos|lapack|threads)|kokkos' "$folder/log"; then exit 1; fi
    "$cmake" --build "$folder/build"
    "$folder/build/consumer"
    pc=$(find "$folder/prefix" -name tridap-protocol.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    cc "$source/tests/consumer/c/main.c" $(pkg-config --cflags --libs tridap-protocol) -o "$folder/by_pkg_config"
    "$folder/by_pkg_config"
    by_pkg_config "$folder/prefix" | tee "$folder/log"
    (($(wc -l <"$folder/log") >= 5))
    ;;
  c_calls)  # a project in C calls the C interface, and none of C++ is found; with CMake or pkg-config
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    "$cmake" -S "$source/tests/consumer/c_calls" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" | tee "$folder/log"
    if grep -iE 'CXX|found.*(kokkos|trilinos)' "$folder/log"; then exit 1; fi
    "$cmake" --build "$folder/build"
    pc=$(find "$folder/prefix" -name tridap-c.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    "${MPICC:-mpicc}" "$source/tests/consumer/c_calls/main.c" $(pkg-config --cflags --libs tridap-c) -o "$folder/by_pkg_config"
    for program in build/consumer by_pkg_config; do
      MPIEXEC_TIMEOUT=60 mpiexec -n 2 "$folder/$program" | tee "$folder/out"
      grep -q '^the sum is 1500' "$folder/out"
    done
    # What is not linked is an error of the linker that names the function.
    c_program solvers 'tridap_solve((tridap_matrix){0}, (tridap_array){0}, (tridap_array){0}, NULL, NULL)'
    if "${MPICC:-mpicc}" "$folder/solvers.c" $(pkg-config --cflags --libs tridap-c) -o "$folder/solvers" 2>"$folder/out"; then
      echo 'a program links that calls what it does not link'
      exit 1
    fi
    grep -F 'undefined reference to `tridap_solve' "$folder/out"
    ;;
  c_libraries)  # each component of C that has a library behind it, with CMake and pkg-config
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    c_program solvers 'tridap_solve((tridap_matrix){0}, (tridap_array){0}, (tridap_array){0}, NULL, NULL)'
    c_program hdf5 'tridap_find("no such file", "u", MPI_COMM_WORLD, NULL, NULL)'
    c_program scalapack 'tridap_qr((tridap_array){0}, NULL, NULL, NULL, NULL)'
    c_program petsc 'tridap_dmda_of((tridap_distribution){0}, NULL, NULL)'
    c_program globalarrays 'tridap_ga_communicator(0, NULL)'
    {
      echo 'cmake_minimum_required(VERSION 3.24)' && echo 'project(consumer LANGUAGES C CXX)'
      echo 'foreach(library solvers hdf5 scalapack petsc globalarrays)'
      echo '  find_package(TriDAP QUIET COMPONENTS c_${library})'
      echo '  if(TARGET TriDAP::c_${library})'
      echo '    add_executable(${library} ${library}.c)'
      echo '    target_link_libraries(${library} PRIVATE TriDAP::c_${library})'
      echo '  endif()'
      echo 'endforeach()'
    } >"$folder/CMakeLists.txt"
    "$cmake" -S "$folder" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix"
    "$cmake" --build "$folder/build"
    pc=$(find "$folder/prefix" -name tridap-c.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    found=0
    for library in solvers hdf5 scalapack petsc globalarrays; do
      [[ -x $folder/build/$library ]] || continue
      programs=(build/$library)
      if pkg-config --exists "tridap-c_$library"; then  # not where a library that it needs has no .pc file
        "${MPICC:-mpicc}" "$folder/$library.c" $(pkg-config --cflags --libs "tridap-c_$library") -o "$folder/by_pkg_config"
        programs+=(by_pkg_config)
      fi
      for program in "${programs[@]}"; do
        MPIEXEC_TIMEOUT=60 mpiexec -n 2 "$folder/$program" | tee "$folder/out"
        [[ $(grep -c '^refused: ' "$folder/out") == 2 ]]
      done
      found=$((found + 1))
    done
    ((found >= 1))
    ;;
  fortran)  # a project in Fortran; with CMake or make, by the module of the install, or by its sources
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    "$cmake" -S "$source/tests/consumer/fortran" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" | tee "$folder/log"
    if grep -iE 'CXX|found.*(kokkos|trilinos)' "$folder/log"; then exit 1; fi
    "$cmake" --build "$folder/build"
    pc=$(find "$folder/prefix" -name tridap-fortran.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    sources=$folder/prefix/share/tridap/fortran
    for name in by_make again wide; do cp -r "$source/tests/consumer/fortran" "$folder/$name"; done
    make -C "$folder/by_make" FC=mpif90 CC=mpicc
    make -C "$folder/again" FC=mpif90 CC=mpicc SOURCES="$sources"
    make -C "$folder/wide" FC="mpif90 -fdefault-integer-8" CC=mpicc SOURCES="$sources"
    for program in build by_make again wide; do
      MPIEXEC_TIMEOUT=60 mpiexec -n 2 "$folder/$program/consumer" | tee "$folder/out"
      grep -q "the sum is 1500.0, integers of bits: $([[ $program == wide ]] && echo 64 || echo 32)" "$folder/out"
    done
    ;;
  fortran_libraries)  # a project in Fortran alone, with what needs PETSc and the static libraries of Global Arrays
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    consume_fortran_libraries "$folder/prefix"
    ;;
  archive)  # what cpack packs, unpacked elsewhere
    (cd "$folder" && "$(dirname "$cmake")/cpack" --config "$build/CPackConfig.cmake" -G TGZ -B "$folder/cpack")
    archives=("$folder"/cpack/*.tar.gz)
    mkdir "$folder/unpacked"
    tar -C "$folder/unpacked" --strip-components=1 -xf "${archives[0]}"
    du -h "${archives[0]}"
    if grep -rlF -e "$source" -e "$folder/cpack" "$folder/unpacked" --include='*.cmake' --include='*.pc'; then
      echo 'a file names its build' && exit 1
    fi
    consume project -DCMAKE_PREFIX_PATH="$folder/unpacked"
    "$folder/unpacked/bin/tridap" --version
    ;;
  hidden_kokkos)  # a Kokkos::kokkos that names no folder with headers
    mkdir -p "$folder"/{lib/cmake/Kokkos,include/trilinos}
    touch "$folder/include/trilinos/Kokkos_Core.hpp"
    echo 'set(PACKAGE_VERSION 4.5.1)' >"$folder/lib/cmake/Kokkos/KokkosConfigVersion.cmake"
    echo 'add_library(Kokkos::kokkos INTERFACE IMPORTED)' >"$folder/lib/cmake/Kokkos/KokkosConfig.cmake"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.24)' 'project(hidden LANGUAGES CXX)' \
      "include($source/cmake/TriDAPForeign.cmake)" 'tridap_find_foreign(kokkos found)' \
      'get_target_property(folders Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)' \
      'message(STATUS "headers in ${folders}.")' >"$folder/CMakeLists.txt"
    "$cmake" -S "$folder" -B "$folder/build" -G Ninja -DKokkos_DIR="$folder/lib/cmake/Kokkos" | tee "$folder/log"
    grep -qF "headers in $folder/include/trilinos." "$folder/log"
    # Kokkos 4's target names none itself, but links one that does: nothing is added to it, though a system has Trilinos'.
    rm -r "$folder/include/trilinos" "$folder/build"
    mkdir -p "$folder/elsewhere" && touch "$folder/elsewhere/Kokkos_Core.hpp"
    printf '%s\n' 'add_library(Kokkos::kokkoscore INTERFACE IMPORTED)' 'add_library(Kokkos::kokkos INTERFACE IMPORTED)' \
      "set_property(TARGET Kokkos::kokkoscore PROPERTY INTERFACE_INCLUDE_DIRECTORIES $folder/elsewhere)" \
      'set_property(TARGET Kokkos::kokkos PROPERTY INTERFACE_LINK_LIBRARIES Kokkos::kokkoscore)' \
      >"$folder/lib/cmake/Kokkos/KokkosConfig.cmake"
    "$cmake" -S "$folder" -B "$folder/build" -G Ninja -DKokkos_DIR="$folder/lib/cmake/Kokkos" | tee "$folder/log"
    grep -qE "headers in (folders-NOTFOUND)?[.]" "$folder/log"
    ;;
  build_tree)
    consume project -DTriDAP_DIR="$build"
    refused 'component tpetra: no MPI' -S "$source/tests/consumer/project" -B "$folder/without" -DTriDAP_DIR="$build" \
      -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
    ;;
  globalarrays)  # whose static libraries the install must name in their order
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    consume globalarrays -DCMAKE_PREFIX_PATH="$folder/prefix"
    ;;
  without_globalarrays)  # where they are not found, all else is built without them
    "$cmake" -S "$source" -B "$folder/build" "${as_before[@]}" -DTRIDAP_GA= -DTRIDAP_GA_INCLUDE_DIR= | tee "$folder/log"
    grep -qE 'globalarrays +off.*no Global Arrays' "$folder/log"
    [[ $(grep -cE '^--   (protocol|captures|mpi|kokkos|infer|plan|redistribute|ghosts|sparse|tool|dlpack|tpetra|solvers|python) +on' "$folder/log") == 14 ]]
    "$cmake" --build "$folder/build" --target {packages/{protocol,mpi,redistribute,tool},adapters/{dlpack,tpetra,solvers,python},examples}/all \
      {redistribute_metered,solvers}_mpi_tests
    if ninja -C "$folder/build" -t deps | grep -E '/(ga|ga-mpi|armci|macdecls)[.]h$'; then exit 1; fi
    ctest --test-dir "$folder/build" --output-on-failure -R '^(solvers|redistribute_metered|python)_np1$' | tee "$folder/log"
    grep -q 'out of 3$' "$folder/log"
    ;;
  hdf5)
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    cd "$folder"  # where the consumer's file is
    consume hdf5 -DCMAKE_PREFIX_PATH="$folder/prefix"
    ;;
  without_hdf5)
    "$cmake" -S "$source" -B "$folder/build" "${as_before[@]}" -DTRIDAP_HDF5_LIBRARY= -DTRIDAP_HDF5_INCLUDE_DIR= | tee "$folder/log"
    grep -qE 'hdf5 +off.*no HDF5' "$folder/log"
    "$cmake" --build "$folder/build" --target packages/mpi/all
    refused 'TRIDAP_HDF5=ON, but component hdf5 cannot be built: no HDF5' -S "$source" -B "$folder/on" \
      -DTRIDAP_HDF5_LIBRARY= -DTRIDAP_HDF5_INCLUDE_DIR= -DTRIDAP_HDF5=ON -DTRIDAP_TESTS=OFF
    ;;
  petsc)
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    consume petsc -DCMAKE_PREFIX_PATH="$folder/prefix"
    ;;
  petsc_complex)  # all tests of the adapter with the build of PETSc whose scalars are complex
    modules=(/usr/lib/petscdir/*/*-complex/lib/pkgconfig)
    PKG_CONFIG_PATH=${modules[0]} "$cmake" -S "$source" -B "$folder/build" "${as_before[@]}" \
      -DTRIDAP_KOKKOS=OFF -DTRIDAP_GLOBALARRAYS=OFF -DTRIDAP_SCALAPACK=OFF -DTRIDAP_PYTHON=OFF | tee "$folder/log"
    "$cmake" --build "$folder/build" --target tests/petsc/all
    ldd "$folder/build/tests/petsc/petsc_mpi_tests" | grep libpetsc_complex
    ctest --test-dir "$folder/build" --output-on-failure -R '^petsc.*_np[1234]' | tee "$folder/log"
    grep -qE 'tests passed.* out of (9|[1-9][0-9])$' "$folder/log"
    ;;
  without_petsc)
    "$cmake" -S "$source" -B "$folder/build" "${as_before[@]}" -DTRIDAP_PETSC_MODULE=not-a-module | tee "$folder/log"
    grep -qE 'petsc +off.*no PETSc' "$folder/log"
    "$cmake" --build "$folder/build" --target packages/mpi/all
    refused 'TRIDAP_PETSC=ON, but component petsc cannot be built: no PETSc' -S "$source" -B "$folder/on" \
      -DTRIDAP_PETSC_MODULE=not-a-module -DTRIDAP_PETSC=ON -DTRIDAP_TESTS=OFF
    ;;
  protocol_alone)  # as on a machine without MPI, Kokkos and Trilinos
    "$cmake" -S "$source" -B "$folder/build" "${as_before[@]}" -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON \
      -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON -DCMAKE_DISABLE_FIND_PACKAGE_Trilinos=ON | tee "$folder/log"
    grep -qE 'tpetra +off' "$folder/log"
    "$cmake" --build "$folder/build" --target {packages/{protocol,tool},adapters/dlpack}/all {protocol_metered,c_abi}_tests c_program
    ctest --test-dir "$folder/build" --output-on-failure --no-tests=error -R '^(protocol_metered|c_abi|c_program|cli_.*)$'
    ! ldd "$folder/build/tests/protocol/protocol_metered_tests" | grep -qE 'mpi|kokkos|trilinos'
    ;;
  missing_component)
    refused 'TRIDAP_TPETRA=ON, but component tpetra cannot be built: needs' -S "$source" -B "$folder/on" \
      -DCMAKE_DISABLE_FIND_PACKAGE_Trilinos=ON -DTRIDAP_KOKKOS=OFF -DTRIDAP_TPETRA=ON -DTRIDAP_TESTS=OFF
    "$cmake" -S "$source" -B "$folder/build" "${as_before[@]}" -DTRIDAP_MPI=OFF -DTRIDAP_KOKKOS=OFF -DTRIDAP_TESTS=OFF >/dev/null
    "$cmake" --build "$folder/build"
    refused 'component tpetra was not built' -S "$source/tests/consumer/project" -B "$folder/find" -DTriDAP_DIR="$folder/build"
    ;;
  numpy_2)  # whose types a pybind11 before 2.12 reads at the wrong place: a NumPy and a pybind11 that are but names
    mkdir -p "$folder"/{python/numpy,pybind11}
    printf '%s\n' '__version__ = "2.1.0"' 'def get_include(): return __file__.rpartition("/")[0]' >"$folder/python/numpy/__init__.py"
    mkdir "$folder/python/numpy/numpy" && touch "$folder/python/numpy/numpy/"{arrayobject,numpyconfig}.h
    touch "$folder/pybind11/pybind11Config.cmake"
    for version in 2.12.0 2.11.2; do
      echo "set(PACKAGE_VERSION $version)" >"$folder/pybind11/pybind11ConfigVersion.cmake"
      printf '%s\n' 'cmake_minimum_required(VERSION 3.24)' 'project(python_alone LANGUAGES CXX)' \
        "include($source/cmake/TriDAPForeign.cmake)" 'tridap_find_foreign(python found)' \
        'message(STATUS "found ${found}, why ${found_WHY}")' >"$folder/CMakeLists.txt"
      PYTHONPATH="$folder/python" "$cmake" -S "$folder" -B "$folder/$version" -G Ninja \
        -Dpybind11_DIR="$folder/pybind11" | tee -a "$folder/log"
    done
    grep -q 'found Python .*, pybind11 2.12.0, NumPy 2.1.0, why $' "$folder/log"
    PYTHONPATH="$folder/python" refused 'pybind11 2.11.2 misreads the element sizes of NumPy 2.1.0: install pybind11 2.12' \
      -S "$source" -B "$folder/build" -DTRIDAP_PYTHON=ON -DTRIDAP_TESTS=OFF -DTRIDAP_EXAMPLES=OFF -Dpybind11_DIR="$folder/pybind11"
    ;;
  wrong_direction)
    mkdir "$folder/copy"
    cp -r "$source"/{CMakeLists.txt,cmake,packages,adapters} "$folder/copy"
    sed -i '/tridap_component(mpi/,/)/ s/LINK protocol/LINK protocol tpetra/' "$folder/copy/packages/mpi/CMakeLists.txt"
    refused 'TriDAP::mpi links TriDAP::tpetra, which must be in a lower layer' -S "$folder/copy" -B "$folder/build" \
      -DTRIDAP_TESTS=OFF -DTRIDAP_EXAMPLES=OFF
    ;;
  readme)  # the ten lines of the README are a program that does what they say
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    cp -r "$source/tests/consumer/project" "$folder/project"
    {
      printf '#include <%s>\n' Tpetra_Core.hpp tridap/tpetra.hpp iostream
      cat <<'CODE'
int main(int argc, char** argv) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, processes = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &processes);
  const tridap::Index n = 7, start = n * rank / processes, stop = n * (rank + 1) / processes;
  const auto owner = std::make_shared<std::vector<double>>(stop - start, 1.0);
  double* const data = owner->data();
CODE
      sed -n '/^## Ten lines/,/^```$/p' "$source/README.md" | sed '/^```/d; /^##/d'
      echo '  for (tridap::Index i = 0; i < stop - start; ++i) if (data[i] != 2) MPI_Abort(comm, 1);'
      echo '}'
    } >"$folder/project/main.cpp"
    "$cmake" -S "$folder/project" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" >/dev/null
    "$cmake" --build "$folder/build"
    MPIEXEC_TIMEOUT=60 mpiexec -n 2 "$folder/build/consumer" | tee "$folder/out"
    grep -q 'shared, 0 bytes copied' "$folder/out"
    ;;
  sources_alone)  # and each source file of the libraries, though one build compiles several at a time
    "$cmake" -S "$source" -B "$folder/build" "${as_before[@]}" -DCMAKE_UNITY_BUILD=OFF -DTRIDAP_TESTS=OFF \
      -DTRIDAP_EXAMPLES=OFF -DTRIDAP_BENCHMARKS=OFF >/dev/null
    cd "$folder/build"
    commands=$(python3 -c 'import json, sys
known = {row["file"] for row in json.load(open(sys.argv[1]))}  # which the build compiles alone, too
print(*(row["command"] for row in json.load(open("compile_commands.json")) if row["file"] not in known
        and not row["file"].endswith(".f90")), sep="\n")' \
      "$build/compile_commands.json")  # sources in Fortran need modules of one another
    (($(wc -l <<<"$commands") > 100))
    sed 's/ -o [^ ]*//; s/$/ -fsyntax-only/' <<<"$commands" | tr '\n' '\0' | xargs -0 -P 2 -I '{}' bash -c '{} || exit 255'
    ;;
  headers_alone)  # each public header compiles by itself, and all of them together, with warnings as errors
    "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
    flags="-std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -x c++ -I$folder/prefix/include"
    flags+=" -isystem /usr/include/trilinos -isystem /usr/include/kokkos -DOMPI_SKIP_MPICXX"
    if [[ -d $folder/prefix/include/tridap/petsc ]]; then
      flags+=" $(pkg-config --cflags-only-I PETSc | sed 's/-I/-isystem /g')"
    fi
    if [[ -d $folder/prefix/include/tridap/hdf5 ]]; then
      flags+=" $(pkg-config --cflags-only-I hdf5-openmpi | sed 's/-I/-isystem /g')"
    fi
    alone() { echo "#include <$1>" | ${MPICXX:-mpicxx} $flags - || { echo "$1 does not compile alone"; exit 255; }; }
    export flags
    export -f alone
    (cd "$folder/prefix/include" && find tridap -name '*.hpp') | xargs -P 2 -I '{}' bash -c 'alone {}'
    (cd "$folder/prefix/include" && find tridap -name '*.hpp' -printf '#include <%p>\n') | ${MPICXX:-mpicxx} $flags -
    for language in "cc -std=c99 -x c" "c++ -std=c++17 -x c++"; do  # the C header needs nothing but a compiler
      echo '#include <tridap/dap.h>' | $language -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only \
        -I"$folder/prefix/include" - || { echo "tridap/dap.h does not compile with $language"; exit 1; }
    done
    ;;
esac
