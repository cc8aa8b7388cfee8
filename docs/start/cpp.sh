./dev demo
cmake -G Ninja -S docs/start/cpp -B build/start/cpp -DTriDAP_DIR="$PWD/build/release"
cmake --build build/start/cpp
mpiexec -n 2 build/start/cpp/start
