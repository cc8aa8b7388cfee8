#!/usr/bin/env bash
# pack.sh [--into FOLDER BUILD] [PART...]: builds what the checks on a GPU need, in build/gpu, and runs them if this machine
# has a GPU. A part is the name of a check; without one, all are run. --into packs in another folder, from this build's
# target gpu_programs, and runs nothing. With the environment's TRIDAP_GPU_PROGRAMS, a folder, the programs *_tests in it
# are checks too: those of tests/kokkos, built with a Kokkos that has CUDA.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
pack=$root/build/gpu
build=$root/build/release
runs=yes
if [[ ${1:-} == --into ]]; then
  pack=$2 build=$3 runs=
fi
limit=64  # MiB, with the repository's own files
fail() { printf './dev gpu: %s\n' "$*" >&2; exit 1; }

nvcc=$(command -v nvcc || true)
[[ -n $nvcc ]] || nvcc=/usr/local/cuda/bin/nvcc
[[ -x $nvcc ]] || fail "no nvcc: install CUDA's compiler, or let PATH find it"

rm -rf "$pack"
mkdir -p "$pack"/{programs,mpi_programs,include,mpi/{bin,lib/openmpi/lib/openmpi3,include,etc/openmpi}}
cp "$root/tests/gpu/run.py" "$pack/run"
cp "$root"/tests/gpu/{refused_calls,test_python_gpu}.py "$pack/"
# The tests of sharded arrays: they read a page of the docs.
mkdir -p "$pack"/shards/{tests/python,docs}
cp "$root"/tests/python/{conftest,test_torch,test_jax,dtensors,jaxes,lines,producers,remedies}.py "$pack/shards/tests/python/"
cp "$root/docs/coming_from.md" "$pack/shards/docs/"
(cd "$root" && { git rev-parse --short=7 HEAD 2>/dev/null || echo unknown; }) > "$pack/commit"
tar -C "$root" -czf "$pack/sources.tar.gz" --exclude=__pycache__ CMakeLists.txt LICENSE cmake packages adapters

"$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p' > "$pack/compiler"

# A plain CUDA program: it finds the rest of C++, and the driver, where it runs. nvcc compiles it, because nvcc alone knows
# where its headers are: what PATH finds may be a script that calls it from elsewhere.
"$nvcc" -std=c++17 -O1 -I"$root/packages/protocol/include" -I"$root/packages/protocol/internal" \
  -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90] -cudart static \
  "$root/tests/gpu/driver_test.cpp" "$build/packages/protocol/libtridap_protocol.a" -ldl -o "$pack/programs/driver"
# The tests and rates of moves, and the image of their kernels.
cp "$build/tests/device/device_mpi_tests" "$pack/mpi_programs/moves"
cp "$build/tests/gpu/gpu_rates" "$pack/mpi_programs/rates"
cp "$build/tests/gpu/libgpu_real_driver.so" "$build/packages/device/kernels.fatbin" "$pack/"
if [[ -n ${TRIDAP_GPU_PROGRAMS:-} ]]; then
  find "$TRIDAP_GPU_PROGRAMS" -maxdepth 1 -type f -name '*_tests' -perm -u+x -exec cp {} "$pack/programs/" \;
fi

# Headers that the module's build needs, and Open MPI: its libraries, those that they need, and the plugins for one machine.
cp -r /usr/include/{nlohmann,dlpack} "$pack/include/"
mkdir -p "$pack/share/cmake"
cp -r /usr/share/cmake/nlohmann_json "$pack/share/cmake/"
lib=/usr/lib/x86_64-linux-gnu
cp -rL "$lib/openmpi/include/." "$pack/mpi/include/"
cp -L "$lib"/{libmpi.so.40,libopen-rte.so.40,libopen-pal.so.40,libmca_common_ompio.so.41,libmca_common_sm.so.40} "$pack/mpi/lib/"
cp -L "$lib"/{libevent_core-2.1.so.7,libevent_pthreads-2.1.so.7,libhwloc.so.15,libpmix.so.2,libmunge.so.2} "$pack/mpi/lib/"
mkdir "$pack/mpi/others"  # taken where the machine has none
ldd /usr/bin/orterun "$lib/libpmix.so.2" | awk '/lib(udev|z|cap)[.]/ {print $3}' | sort -u | xargs -I{} cp -L {} "$pack/mpi/others/"
for plugin in "$lib"/openmpi/lib/openmpi3/mca_*.so; do
  case $(basename "$plugin") in
    *ofi* | *openib* | *psm* | *ucx* | *monitoring* | *flux* | *slurm* | *jsm* | mca_memheap* | mca_scoll* | mca_spml* | \
    mca_sshmem* | mca_crs* | *gridengine* | *lockedfile* | *pessimist* | *treematch* | *netlink*) ;;
    *) cp -L "$plugin" "$pack/mpi/lib/openmpi/lib/openmpi3/" ;;
  esac
done
ln -s libmpi.so.40 "$pack/mpi/lib/libmpi.so"
cp -L /usr/bin/orterun "$pack/mpi/bin/mpiexec"
cp -L /usr/bin/orted "$pack/mpi/bin/orted"
cat > "$pack/mpi/bin/mpicxx" <<'TEXT'
#!/bin/sh
# Open MPI's own mpicxx has the folders of this machine in it.
mpi=$(dirname "$(dirname "$(readlink -f "$0")")")
compile="-I$mpi/include -I$mpi/include/openmpi" link="-L$mpi/lib -Wl,-rpath,$mpi/lib -Wl,-rpath-link,$mpi/lib -lmpi"
case ${1:-} in
  -showme:compile) echo "$compile" ;;
  -showme:link) echo "$link" ;;
  -show*) echo "c++ $compile $link" ;;
  *) exec c++ $compile "$@" $link ;;
esac
TEXT
chmod +x "$pack/mpi/bin/mpicxx"
cp /etc/openmpi/openmpi-mca-params.conf "$pack/mpi/etc/openmpi/"
mkdir -p "$pack/mpi/share/openmpi"
cp /usr/share/openmpi/*.txt "$pack/mpi/share/openmpi/"

mib=$(du -sm "$pack" | cut -f1)
((mib <= limit)) || fail "$pack has $mib MiB, must be $limit at most"
printf '== %s has %s MiB\n' "$pack" "$mib" >&2
[[ -n $runs ]] || exit 0
if nvidia-smi -L >/dev/null 2>&1; then
  exec python3 "$pack/run" "$@"
fi
echo "== this machine has no GPU; copy build/gpu to one that has, with Python, pybind11, CMake and a C++ compiler, and run: python3 build/gpu/run $*" >&2
