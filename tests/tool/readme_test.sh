#!/usr/bin/env bash
# What the README shows of the tool is what the tool prints.    readme_test.sh README DAP FOLDER
set -euo pipefail
readme=$1 tridap=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder/bin"
ln -s "$tridap" "$folder/bin/tridap"
sed -n '/^## Without a line of code/,/^## What is here/p' "$readme" | sed -n '/^```$/,/^```$/p' | sed '/^```$/d' >"$folder/shown"
grep -c '^\$ tridap ' "$folder/shown" | grep -qx 4
cd "$folder"
while IFS= read -r line; do
  printf '%s\n' "$line"
  PATH=$folder/bin:$PATH bash -c "${line#\$ }"
done < <(grep '^\$ ' shown) >printed
diff shown printed
