#!/usr/bin/env bash
# little_memory_test.sh MPIEXEC PROGRAM: a plan where there is little shared memory, in mount namespaces of their own: it
# moves with what there is, and by messages where that is nothing, and never hangs. Needs the right to mount.
set -euo pipefail
mpiexec=$1 program=$2
export MPIEXEC_TIMEOUT=60

# expect PATTERN COMMAND...: what the command prints matches, with no reason for messages told twice.
expect() {
  local pattern=$1 out
  shift
  out=$("$@" 2>&1) || { printf '%s\n' "$*: failed or hung" "$out"; exit 1; }
  grep -qE "$pattern" <<<"$out" || { printf '%s\n' "$*: expected $pattern" "$out"; exit 1; }
  (($(grep -c 'All transfers are messages' <<<"$out") <= 1)) || { printf '%s\n' "$*: told twice" "$out"; exit 1; }
}

# everywhere PROCESSES MOUNTS PATTERN [ARGUMENT]: all processes have their /dev/shm from the commands MOUNTS.
everywhere() {
  expect "$3" unshare --mount bash -c "set -e; $2; exec '$mpiexec' -n $1 '$program' ${4-}"
}

# on_one PROCESSES MOUNTS PATTERN: the last process alone does; MPI itself sends by TCP, since its own shared memory
# takes one /dev/shm for granted.
on_one() {
  OMPI_MCA_btl=self,tcp expect "$3" "$mpiexec" -n $(($1 - 1)) "$program" : \
    -n 1 unshare --mount bash -c "set -e; $2; exec '$program'"
}

small() { echo "mount -t tmpfs -o size=$1 tmpfs /dev/shm"; }
read_only="mount -t tmpfs -o ro tmpfs /dev/shm"
messages='^moved[.] All transfers are messages, because there is no shared memory: '
for processes in 2 4; do
  everywhere $processes "$(small 4k)" "$messages.*/dev/shm has [0-9]+ bytes left"
  everywhere $processes "$(small 1m)" '^moved[.]'
  everywhere $processes "$(small 8m)" '^moved[.] $'  # what the plan makes is in ordinary memory
  everywhere $processes "$(small 16m)" '^moved[.] $'
  everywhere $processes "$(small 64m)" '^moved[.] $'
  everywhere $processes "$(small 64m)" '^allocated$' again
  everywhere $processes "$read_only" "$messages.*Read-only file system"
  for mounts in "$(small 4k)" "$(small 1m)" "$(small 16m)" "$(small 64m)" "$read_only"; do
    on_one $processes "$mounts" "$messages"
  done
done
everywhere 16 "$(small 64m)" '^moved[.] $'

# MPI's own folder may be elsewhere, and full.
few=$(mktemp -d)
trap 'rmdir "$few"' EXIT
export OMPI_MCA_mca_base_param_files=/dev/null OMPI_MCA_osc_sm_backing_directory=$few
everywhere 2 "mount -t tmpfs -o size=1m tmpfs '$few'" '^moved[.] $'
export OMPI_MCA_osc=^sm
everywhere 2 true '^moved[.] $'
