# Completion of the command tridap for bash, version 4 and later: commands, options, their values, and file names.

# _tridap_files WORD [FILTER]: files and folders that begin with WORD.
_tridap_files() {
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
  compopt -o filenames 2>/dev/null  # bash quotes them, and writes a slash behind a folder
}

_tridap_words() { mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1"); }

# The values of an option. The status is 1 if the option has none.
_tridap_values() {
  case $1 in
    --colour | --color) _tridap_words "$2" 'auto always never' ;;
    --to | --version) _tridap_words "$2" '0.9 0.10' ;;
    --dtype) _tridap_words "$2" 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128' ;;
    --svg | --html) _tridap_files "$2" ;;
    --slice | --columns | --lines | --shape | --dist | --grid | --processes | --padding) COMPREPLY=() ;;
    *) return 1 ;;
  esac
}

_tridap() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} reading='--trust-extent' help='-h --help' options= i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _tridap_words "$word" "check show make where diff convert $help --version"
    return
  fi
  if [[ $word == = ]]; then  # bash divides --colour=auto into three words
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $command in
    check) options="--json --local --colour --color $reading $help" ;;
    show) options="--slice --svg --html --columns --lines --colour --color $reading $help" ;;
    make) options="--shape --dist --grid --processes --padding --periodic --version --dtype $help" ;;
    where | diff) options="$reading $help" ;;
    convert) options="--to $reading $help" ;;
    *) return ;;
  esac
  if [[ " $options " == *" $before "* ]] && _tridap_values "$before" "$word"; then return; fi
  if [[ $word == -* ]]; then
    _tridap_words "$word" "$options"
  elif [[ $command == where ]]; then  # its second argument is an index
    for ((i = 2; i < COMP_CWORD; ++i)); do [[ ${COMP_WORDS[i]} == -?* ]] || return; done
    _tridap_files "$word"
  elif [[ $command != make ]]; then
    _tridap_files "$word"
  fi
}

complete -F _tridap tridap
