#!/usr/bin/env bash
# says.sh PATTERN... -- COMMAND ARGUMENT...: the command fails, and a line of what it prints matches each pattern of grep -E.
set -euo pipefail
patterns=()
while [[ $1 != -- ]]; do
  patterns+=("$1")
  shift
done
shift
status=0 missing=0
said=$("$@" 2>&1) || status=$?
for pattern in "${patterns[@]}"; do
  grep -qE -e "$pattern" <<<"$said" || { printf 'no line matches %s\n' "$pattern"; missing=1; }
done
((status != 0)) || echo 'the command has not failed'
((status != 0 && !missing)) || { printf '%s\n' "$said"; exit 1; }
