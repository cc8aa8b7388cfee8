#!/bin/bash
# says_once.sh TEXT BEGINNING -- COMMAND...: the command fails, and prints TEXT once, in a line that begins so.
text=$1 beginning=$2
shift 3
said=$("$@" 2>&1) && { echo "it has not failed: $said"; exit 1; }
lines=$(grep -F "$text" <<<"$said")
[[ $(grep -cF "$text" <<<"$said") == 1 && $lines == "$beginning"* ]] ||
  { printf 'it does not say "%s...%s" once:\n%s\n' "$beginning" "$text" "$said"; exit 1; }
