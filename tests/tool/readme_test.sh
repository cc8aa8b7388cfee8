#!/usr/bin/env bash
# What the README shows of the tool is what the tool prints.    readme_test.sh README DAP FOLDER
set -euo pipefail
readme=$1 dap=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder/bin"
ln -s "$dap" "$folder/bin/dap"
sed -n '/^## Without a line of code/,/^## What is here/p' "$readme" | sed -n '/^```$/,/^```$/p' | sed '/^```$/d' >"$folder/shown"
grep -c '^\$ dap ' "$folder/shown" | grep -qx 4
cd "$folder"
while IFS= read -r line; do
  printf '%s\n' "$line"
  PATH=$folder/bin:$PATH bash -c "${line#\$ }"
done < <(grep '^\$ ' shown) >printed
diff shown printed
