./dev fortran
cmake -G Ninja -S docs/start/fortran -B build/start/fortran -DTriDAP_DIR="$PWD/build/release"
cmake --build build/start/fortran
mpiexec -n 2 build/start/fortran/start
