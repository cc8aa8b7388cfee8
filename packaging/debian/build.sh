#!/usr/bin/env bash
# build.sh OUTPUT: builds the Debian packages of the commit that is checked out, and checks them by lintian.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
output=$(mkdir -p "$1" && cd "$1" && pwd)
version=$(sed -n 's/^project(TriDAP VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
tree=$output/tridap-$version
rm -rf "$tree"
git -C "$root" archive --prefix="tridap-$version/" HEAD | tar -x -C "$output"
tar -C "$output" -czf "$output/tridap_$version.orig.tar.gz" --exclude="tridap-$version/packaging" "tridap-$version"
mv "$tree/packaging/debian" "$tree/debian"
rm -rf "$tree/packaging"
cd "$tree"
export CCACHE_DIR=${CCACHE_DIR:-$HOME/.cache/ccache}  # debhelper sets another HOME
dpkg-buildpackage --build=binary --unsigned-changes --no-pre-clean
lintian --fail-on error "$output"/*.changes
