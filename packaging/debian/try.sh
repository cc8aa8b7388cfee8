#!/usr/bin/env bash
# try.sh OUTPUT: installs the packages that build.sh left in OUTPUT into a fresh Debian, a chroot in OUTPUT/chroot, and runs
# the tests of debian/tests/control there. Before a test only its Depends are installed, without recommended packages; the
# packages of the tests before it stay. As root. Needs 1.5 GB of disk. TRIDAP_MIRROR names another mirror.
set -euo pipefail
output=$(cd "$1" && pwd)
mirror=${TRIDAP_MIRROR:-http://deb.debian.org/debian}
chroot=$output/chroot
version=$(sed -n 's/^Version: //p' "$output"/tridap_*.changes)
source=$output/tridap-${version%-*}
fail() { printf 'try.sh: %s\n' "$*" >&2; exit 1; }
((EUID == 0)) || fail "a chroot is made by root; sudo ./dev package debian OUTPUT --try"
[[ -d $source ]] || fail "$source is missing: run build.sh $output first"

# inside COMMAND: in the chroot, in the source tree; what it mounts and starts ends with it.
inside() {
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    mount --rbind /dev "$1/dev"
    mount -t tmpfs -o size=2g tmpfs "$1/dev/shm"
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount --bind -o ro "$2" "$1/source"
    exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive bash -ec "cd /source; $3"' inside "$chroot" "$source" "$1" </dev/null
}

rm -rf --one-file-system "$chroot"
printf '\n== a fresh Debian in %s\n' "$chroot"
debootstrap --variant=minbase bookworm "$chroot" "$mirror" >"$output/debootstrap.log" || fail "debootstrap failed: $output/debootstrap.log"
printf '%s\n' 'APT::Install-Recommends "false";' 'Acquire::Languages "none";' >"$chroot/etc/apt/apt.conf.d/90tridap"
printf '#!/bin/sh\nexit 101\n' >"$chroot/usr/sbin/policy-rc.d"  # packages start no services
chmod 755 "$chroot/usr/sbin/policy-rc.d"
echo force-unsafe-io >"$chroot/etc/dpkg/dpkg.cfg.d/90tridap"
mkdir "$chroot"/{source,packages}

# The packages as an archive, so that apt installs those that a test names and what they depend on.
cp "$output"/*_"$version"_*.deb "$chroot/packages"
(cd "$chroot/packages" && dpkg-scanpackages --multiversion . >Packages 2>/dev/null)
echo 'deb [trusted=yes] file:/packages ./' >>"$chroot/etc/apt/sources.list"
inside 'apt-get update -qq'

count=0
while IFS=$'\t' read -r test depends; do
  printf '\n== %s: installing %s\n' "$test" "$depends"
  inside "apt-get install -y -qq ${depends//,/ } >/tmp/apt.log 2>&1 || { tail -n 30 /tmp/apt.log; exit 1; }; apt-get clean"
  printf '== %s\n' "$test"
  inside "AUTOPKGTEST_TMP=\$(mktemp -d) timeout 1200 sh debian/tests/$test" || fail "the test $test failed"
  count=$((count + 1))
done < <(awk '/^Tests:/ {name = $2; depends = ""; list = 0}
              /^Depends:/ {list = 1; sub("^Depends:", "")}
              /^[A-Z][A-Za-z-]*:/ {list = 0}
              list {depends = depends $0}
              /^$/ {if (name) print name "\t" depends; name = ""}
              END {if (name) print name "\t" depends}' "$source/debian/tests/control")
((count >= 6)) || fail "debian/tests/control has $count tests, must be 6 or more"
printf '\n== %d tests passed on packages of %s; the chroot has %s\n' "$count" "$version" "$(du -sh "$chroot" | cut -f1)"
