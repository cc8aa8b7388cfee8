#!/usr/bin/env bash
# little_memory_test.sh MPIEXEC PROGRAM: a plan where there is little shared memory, in a mount namespace of its own: it
# moves with what there is, and by messages where that is nothing, and never hangs. Needs the right to mount.
set -euo pipefail
mpiexec=$1 program=$2

# within MOUNTS EXPECTED: the program on 2 and 3 processes after the commands MOUNTS; what it prints matches EXPECTED.
within() {
  local mounts=$1 expected=$2 processes out
  for processes in 2 4; do
    out=$(unshare --mount bash -c "set -e; $mounts; exec '$mpiexec' -n $processes --timeout 60 '$program'" 2>&1) ||
      { printf '%s\n' "$mounts on $processes: failed or hung" "$out"; exit 1; }
    grep -qE "$expected" <<<"$out" || { printf '%s\n' "$mounts on $processes: expected $expected" "$out"; exit 1; }
  done
}

small() { echo "mount -t tmpfs -o size=$1 tmpfs /dev/shm"; }
messages='^moved[.] Everything is a message, since there is no shared memory: .* left'
within "$(small 4k)" "$messages"
within "$(small 1m)" "$messages"
within "$(small 8m)" '^moved[.] $'  # what the plan makes is in ordinary memory
within "$(small 64m)" '^moved[.] $'
few=$(mktemp -d)
trap 'rmdir "$few"' EXIT
read_only="mount -t tmpfs -o ro tmpfs /dev/shm"
for size in 10m 20m; do
  within "$read_only; mount -t tmpfs -o size=$size tmpfs '$few'; export TMPDIR='$few'" '^moved[.]'
done
within "$read_only" '^moved[.] $'  # among Open MPI's temporary files
