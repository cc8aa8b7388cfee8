#!/usr/bin/env bash
# The completion for bash knows the commands and options that --help lists.    completion_test.sh PROGRAM COMPLETION
set -u
program=$1 completion=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() {
  failures=$((failures + 1))
  printf '%s\n' "$*"
}
source "$completion"
[[ $(complete -p tridap) == 'complete -F _tridap tridap' ]] || fail "no completion of tridap: $(complete -p tridap)"

# offers WANTED WORD...: what is offered for the last word, sorted. Readline divides a word at `=`.
offered() {
  COMP_WORDS=(tridap "$@")
  COMP_CWORD=$#
  COMPREPLY=(left over)
  _tridap tridap "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>err
  [[ ! -s err ]] || fail "tridap $*: $(cat err)"
  ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
}
offers() {
  local wanted=$1 found
  shift
  found=$(offered "$@" | tr '\n' ' ')
  [[ ${found% } == "$wanted" ]] || fail "tridap $*: offers '${found% }', must offer '$wanted'"
}

# The commands and options that the program says.
options_of() {
  timeout 60 "$program" "$@" --help | sed -n '/^Options:/,/^$/s/^  \(-.*\)/\1/p' | sed 's/   *.*//' | tr ', ' '\n\n' | grep '^-' |
    LC_ALL=C sort | tr '\n' ' '
}
commands=$(timeout 60 "$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | LC_ALL=C sort | tr '\n' ' ')
(($(wc -w <<<"$commands") > 5)) || fail "no commands in tridap --help: '$commands'"
options=$(options_of)
[[ $options == *--version* ]] || fail "no options in tridap --help: '$options'"
[[ $(offered '' | grep -v '^-' | tr '\n' ' ') == "$commands" ]] || fail "offers the commands $(offered ''), must offer $commands"
offers "${options% }" -
for command in $commands; do
  options=$(options_of "$command")
  [[ $options == *--help* ]] || fail "no options in tridap $command --help: '$options'"
  offers "${options% }" "$command" -
  for option in $options; do offers "$option" "$command" "$option"; done
done

# Commands, options and values from their first letters.
offers 'check convert' c
offers 'show' sh
offers '' x
offers '--shape' make --sh
offers 'always auto never' show --colour ''
offers 'always auto' check --color a
offers 'always auto never' show --colour = ''
offers 'always auto' show --colour = a
offers 'always auto never' show --colour =
offers '0.10 0.9' convert --to ''
offers '0.10 0.9' make --version 0
offers 'float32 float64' make --dtype f
offers '' make --shape ''
offers '' make ''
offers '' frobnicate ''
# each value that the program takes, and none that it refuses
for type in $(offered make --dtype ''); do
  timeout 60 "$program" make --shape 4 --dist b --dtype "$type" >out || fail "tridap make refuses the type $type"
done
for version in $(offered convert --to ''); do
  timeout 60 "$program" convert --to "$version" out >again || fail "tridap convert refuses the version $version"
done
for when in $(offered show --colour ''); do
  timeout 60 "$program" show --colour "$when" out >again || fail "tridap show refuses --colour $when"
done
rm out again err

# File names, also with blanks.
mkdir folder
touch a.json 'a b.json' other.json
: >err
offers 'a b.json a.json' check a
offers 'a b.json a.json err folder other.json' check ''
offers 'a b.json a.json' check other.json a
offers 'a.json' show --html a.
offers 'a.json' convert --to 0.9 a.
offers 'other.json' diff a.json o
offers 'folder' show --svg = f
offers 'a.json' where a.
offers 'a.json' where --trust-extent a.
offers '' where a.json ''
exit $((failures > 0))
