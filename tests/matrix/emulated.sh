#!/usr/bin/env bash
# emulated.sh ROOT PROCESSOR COMMAND...: runs a command, in which Linux gives the programs of another processor to
# qemu-user. The interpreter is registered in a user namespace of its own, and ends with it. Linux 6.7 and later have
# that. On an older Linux, the machine's own register must have it.
set -euo pipefail
root=$1 processor=$2
shift 2
qemu=$(command -v "qemu-$processor-static") || {
  echo "./dev matrix: qemu-$processor-static is missing: apt-get install qemu-user-static" >&2
  exit 1
}
case $processor in
  aarch64)
    magic='\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    ;;
  *)
    echo "./dev matrix: the processor '$processor' is unknown, must be aarch64" >&2
    exit 1
    ;;
esac
if grep -qs '^enabled' "/proc/sys/fs/binfmt_misc/qemu-$processor"; then exec "$@"; fi
# F: the interpreter is opened now, and so need not be in the chroot.
exec unshare --user --map-root-user --mount bash -c '
  register=$1/proc/sys/fs/binfmt_misc line=$2
  shift 2
  mount -t binfmt_misc binfmt_misc "$register" && printf "%s" "$line" >"$register/register" || {
    echo "./dev matrix: Linux refuses an interpreter for programs of another processor in a namespace, which needs" \
      "Linux 6.7: register it for the machine (apt-get install qemu-user-static binfmt-support)" >&2
    exit 1
  }
  exec "$@"' in "$root" ":qemu-$processor:M::$magic:$mask:$qemu:F" "$@"
