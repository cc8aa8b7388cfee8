#!/usr/bin/env bash
# any_order.sh libraries|modules COMMAND...: runs the command with each order of four.
# libraries: begun in this order, and ended in the same order or in its reverse; then PETSc or Tpetra begins MPI.
# modules: of Python, imported in this order.
set -euo pipefail
what=$1
shift
runs=0
run() {  # ORDER...
  "${command[@]}" "$@" || { echo "$*: failed"; exit 1; }
  runs=$((runs + 1))
}
command=("$@")
letters=(P K T G)
[[ $what == libraries ]] || letters=(M P T G)
for a in "${letters[@]}"; do for b in "${letters[@]}"; do for c in "${letters[@]}"; do for d in "${letters[@]}"; do
  order=$a$b$c$d
  [[ $(fold -w1 <<<"$order" | sort -u | wc -l) == 4 ]] || continue
  if [[ $what == modules ]]; then run "$order"
  else run "$order" "$order" && run "$order" "$d$c$b$a"; fi
done; done; done; done
if [[ $what == libraries ]]; then
  for order in pKTG pGTK pTGK tKPG tGPK; do run "$order" "$(rev <<<"$order")"; done
fi
echo "$runs orders"
