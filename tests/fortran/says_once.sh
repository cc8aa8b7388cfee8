#!/bin/bash
# says_once.sh TEXT -- COMMAND...: the command fails, and prints TEXT once.
text=$1
shift 2
said=$("$@" 2>&1) && { echo "it has not failed: $said"; exit 1; }
number=$(grep -cF "$text" <<<"$said")
[[ $number == 1 ]] || { printf 'it says "%s" %s times:\n%s\n' "$text" "$number" "$said"; exit 1; }
