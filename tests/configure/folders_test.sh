#!/usr/bin/env bash
# folders_test.sh SOURCE CMAKE SCRATCH [PYTHON]: folders that some tool cannot take are refused by one line, in CMake and in
# ./dev; all others are taken. (tests/first builds in such a folder.)
set -euo pipefail
source=$1 cmake=$2 scratch=$3 python=${4:-python3} failed=0
rm -rf "$scratch"
wrong() { printf '%s\n' "$*" >&2; failed=1; }

for name in 'a;b' 'a"b' 'a\b' 'a|b' 'a$b' 'a:b' $'a\nb'; do
  folder=$scratch/$name
  mkdir -p "$folder/cmake"
  cp "$source/CMakeLists.txt" "$source/dev" "$folder/"
  cp "$source/cmake/TriDAPFolder.cmake" "$folder/cmake/"
  rm -rf "$scratch/build"
  said=$("$cmake" -S "$folder" -B "$scratch/build" 2>&1) && wrong "CMake takes the folder $name"
  [[ $name == *\\* && $said == *"does not exist"* ]] ||  # CMake takes \ for a separator of folders
    [[ $(tr -s ' \n' ' ' <<<"$said") == *"has a character in its name that CMake, ccache or Python cannot take: move it to"* ]] ||
    wrong "CMake says in the folder $name: $said"
  said=$("$folder/dev" demo 2>&1) && wrong "./dev takes the folder $name"
  [[ $said == "./dev: the folder '$folder' has a character in its name that CMake, ccache or Python cannot take: move it to "* &&
    $(wc -l <<<"$said") == $(wc -l <<<"$name") ]] || wrong "./dev says in the folder $name: $said"
done
said=$("$cmake" -S "$source" -B "$scratch/a;b" 2>&1) && wrong "CMake takes a build folder a;b"
[[ $(tr -s ' \n' ' ' <<<"$said") == *"The folder '$scratch/a;b' has a character in its name that"* ]] ||
  wrong "CMake says for a build folder a;b: $said"

for name in 'a b' ü '[x]' "it's" '[' ']' 'a#b' 'a&b' 'a%b' 'a@b@c' '(a' 'a*b?' 'a,b=c' '<a>' 'a`b' '!a' '{a' '~a' '^a+b'; do
  printf 'set(CMAKE_CURRENT_SOURCE_DIR [==[%s]==])\nset(CMAKE_CURRENT_BINARY_DIR [==[%s]==])\ninclude("%s")\n%s\n%s\n%s\n' \
    "$scratch/$name" "$scratch/$name/build" "$source/cmake/TriDAPFolder.cmake" \
    'tridap_pattern_of(here "${CMAKE_CURRENT_SOURCE_DIR}")' \
    'tridap_pytest_file(file "${CMAKE_CURRENT_SOURCE_DIR}/test_it.py")' \
    'file(GLOB found RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${here}/*ev")
message("found: ${found}; ${file}")' >"$scratch/takes.cmake"
  mkdir -p "$scratch/$name/build"
  cp "$source/dev" "$scratch/$name/"
  said=$("$cmake" -P "$scratch/takes.cmake" 2>&1) || wrong "CMake refuses the folder $name"
  [[ $said == "found: dev; "* ]] || wrong "files of the folder $name: $said"
  printf 'def test_it():\n    pass\n' >"$scratch/$name/test_it.py"
  printf '[pytest]\n' >"$scratch/$name/pytest.ini"
  if "$python" -c 'import pytest' 2>/dev/null; then
    said=$(cd "$scratch/$name/build" && "$python" -m pytest -q -p no:cacheprovider -c "$scratch/$name/pytest.ini" \
      "${said#found: dev; }" 2>&1) || true
    [[ $said == *"1 passed"* ]] || wrong "pytest says in the folder $name: $said"
  fi
  said=$("$scratch/$name/dev" fuzz 2>&1) || true  # which says that it needs a number
  [[ $said == "./dev: fuzz needs "* ]] || wrong "./dev says in the folder $name: $said"
done
exit $failed
