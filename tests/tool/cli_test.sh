#!/usr/bin/env bash
# The whole command line of tridap: what it prints, and how it ends.    cli_test.sh CASE PROGRAM MAN_PAGE DATA
set -uf  # words with * are no file names
export LC_ALL=C
unset NO_COLOR
case=$1 program=$2 page=$3 data=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  failures=$((failures + 1))
  printf '%s\n' "$*"
}

# gives STATUS ARGUMENT...: runs tridap; `out` and `err` hold what it printed. Nothing is ever a crash or a hang.
gives() {
  local wanted=$1 status
  shift
  timeout 60 "$program" "$@" >out 2>err
  status=$?
  ((status == wanted)) || fail "tridap $*: status $status, wanted $wanted: $(head -c 500 out err)"
  ((wanted != 2)) || [[ -s err ]] || [[ $* == *--json* ]] || fail "tridap $*: says nothing on standard error"
  ! grep -q 'terminate called\|Sanitizer\|runtime error' err || fail "tridap $*: $(head -c 2000 err)"
}

# says FILE PATTERN: a line of it matches.
says() { grep -qE -- "$2" "$1" || fail "no /$2/ in: $(head -c 800 "$1")"; }
silent() { ! grep -qE -- "$2" "$1" || fail "/$2/ in: $(head -c 800 "$1")"; }

# made FILE ARGUMENT...: a capture that is valid, without a warning.
made() {
  local file=$1
  shift
  gives 0 make "$@"
  cp out "$file"
  gives 0 check "$file"
  says out "^$file: valid: "
  silent out warning
}

json() {
  if command -v python3 >/dev/null; then
    python3 -m json.tool "$1" >/dev/null || fail "no JSON: $(head -c 500 "$1")"
  else  # tridap itself reads it: it is well-formed, and no capture
    local status=0
    timeout 60 "$program" check "$1" >read.out 2>read.err || status=$?
    [[ $status == 1 ]] || fail "no JSON: $(head -c 500 "$1")"
  fi
}

printf '[[0, 5], [7, -1, 3]]' >lists.json

case $case in
usage)
  gives 2
  gives 2 frobnicate
  says err "^tridap: 'frobnicate' is no command, must be one of check, show, make, where, diff, convert$"
  gives 2 chek a.json
  says err "'chek' is no command, .*: did you mean 'check'\?$"
  gives 2 wehre
  says err "did you mean 'where'"
  gives 2 --frobnicate
  for command in check show make where diff convert; do
    gives 2 "$command"
    gives 2 "$command" --frobnicate
    gives 0 "$command" --help
    says out 'Usage:|OPTIONS|Options'
    gives 0 "$command" -h
  done
  made a.json --shape 5x9 --dist b,c:2 --grid 2x2
  gives 2 show a.json a.json
  says err 'show takes one capture, but 2 are given: two are shown by --html'
  gives 2 show --html page.html a.json a.json a.json
  says err 'html takes one or two captures, but 3 are given'
  gives 2 show --html page.html
  gives 2 show --html page.html --slice :,: a.json
  gives 2 show --html page.html --svg a.svg a.json
  [[ ! -e page.html ]] || fail 'a page in spite of wrong usage'
  gives 2 where a.json
  gives 2 where a.json 1,2 3
  gives 2 diff a.json
  gives 2 diff a.json a.json a.json
  gives 2 convert a.json
  gives 2 convert --to 0.8.0 a.json
  says err 'must be 0.9 or 0.10'
  gives 2 convert --to 0.1 a.json
  gives 2 convert --to 10 a.json
  gives 2 make --shape 5
  gives 2 make --dist b
  gives 2 check a.json --colour sometimes
  gives 2 show a.json --columns 59
  gives 2 show a.json --lines 1
  gives 0 --help
  for word in check show make where diff convert --version 'Exit status'; do says out "$word"; done
  gives 0 --version
  says out '^tridap [0-9]+\.[0-9]+\.[0-9]+$'
  ;;

man_page)
  for command in check show make where diff convert; do
    says "$page" "\\\\fB$command( |\\\\fR)"
    gives 0 "$command" --help
    for option in $(grep -oE -- '--[a-z-]+' out | sort -u); do
      [[ $option == --help || $option == --color ]] || says "$page" "\\\\fB[^\\]*$option"
    done
  done
  for word in 'EXIT STATUS' CAPTURES dim_data '\\fB\*\\fR' 'b:0,3,5' 'u:' 'NO_COLOR'; do says "$page" "$word"; done
  if command -v groff >/dev/null; then
    groff -man -Tascii -ww -z "$page" 2>warnings || fail 'groff fails'
    [[ ! -s warnings ]] || fail "groff warns: $(cat warnings)"
  fi
  ;;

check)
  made a.json --shape 5x9 --dist b,c:2 --grid 2x2
  sed 's/"stop":3/"stop":4/' a.json >wrong.json
  sed 's/"rank":0/"rank":0,"host":"here"/' a.json >warned.json
  head -c 100 a.json >cut.json
  grep -v '"rank":1' a.json | sed '$!b' >part.json
  gives 0 check a.json
  says out '^a.json: valid: block x block-cyclic by 2 over 2 x 2 processes$'
  gives 1 check wrong.json
  says out '^wrong.json: invalid, [0-9]+ errors?$'
  says out '^axis 0 .rank 0.: .*\[[a-z_.]+\]: '
  gives 0 check warned.json
  says out '^warned.json: valid, 1 warning: '
  says out "^warning: .rank 0.: 'host' is \"here\".*\[extra.key\]"
  gives 2 check cut.json
  says err '^cut.json: parse error at line 2'
  gives 2 check nothing.json
  says err '^nothing.json: No such file'
  gives 2 check .
  says err '^\.: Is a directory'
  gives 2 check ''
  # several files: the worst; each is told of
  gives 1 check a.json wrong.json warned.json
  says out '^a.json: valid'
  says out '^wrong.json: invalid'
  says out '^warned.json: valid'
  for files in '. a.json wrong.json' 'a.json . wrong.json' 'wrong.json a.json nothing.json' 'cut.json wrong.json a.json'; do
    gives 2 check $files
    says out '^a.json: valid'
    says out '^wrong.json: invalid'
  done
  # part of the processes
  gives 1 check part.json
  says out 'capture.ranks'
  gives 0 check --local part.json
  says out '^part.json: valid, each process alone'
  gives 1 check --local wrong.json
  # standard input, and names that look like something else
  gives 0 check - <a.json
  says out '^-: valid'
  gives 2 check - </dev/null
  cp a.json show
  gives 0 check show
  cp a.json ./--json
  gives 0 check -- --json
  says out '^--json: valid'
  # for programs
  gives 2 check --json a.json wrong.json cut.json . warned.json
  json out
  [[ $(grep -c '"file": ' out) == 5 ]] || fail 'not one report for each file'
  says out '"file": "wrong.json", "status": "invalid", "report": \{"ok":false,"errors":'
  says out '"file": "cut.json", "status": "unreadable", "why": "cut.json: parse error'
  says out '"file": "\.", "status": "unreadable"'
  says out '"file": "warned.json", "status": "valid", "report": \{"ok":true,"errors":0,"warnings":1,"counts":\{"extra.key":1\}'
  cp a.json 'a"\
b.json'
  gives 0 check --json 'a"\
b.json'
  json out
  # colours
  gives 0 check a.json --colour always
  says out $'\033\\[1;32m'
  gives 0 check a.json --color never
  silent out $'\033'
  gives 0 check a.json
  silent out $'\033'
  NO_COLOR=1 gives 0 check a.json --colour always
  says out $'\033'
  # text from outside moves no cursor
  printf '{"processes": [], "\\u001b[2Jx\\n\\u0007y": "\\u001b[31m"}' >cursor.json
  gives 1 check cursor.json
  silent out $'\033|\a'
  gives 1 check --json cursor.json
  silent out $'\033|\a'
  json out
  # nor does a file's name, or a word of the command line
  name=$(printf 'x\033[2J\302\233y\342\200\256z\a')
  cp a.json "$name"
  cp wrong.json "w$name"
  cp cut.json "c$name"
  head -c 5 a.json >"u$name"
  for words in check 'check --json' 'check --local' show diff 'make --shape 4 --grid 2 --dist'; do
    for file in "$name" "w$name" "c$name" "nothing$name" "u:u$name" "u:nothing$name" "--$name"; do
      timeout 60 "$program" $words "$file" >out 2>err
      timeout 60 "$program" $words "$file" a.json >>out 2>>err
      timeout 60 "$program" $words a.json "$file" >>out 2>>err
      cat out err >both
      silent both $'\033|\a|\302\233|\342\200\256'
    done
  done
  for option in --slice --svg --columns --colour --dtype; do
    timeout 60 "$program" show "$option" "$name/x" a.json >both 2>&1
    silent both $'\033|\a|\302\233|\342\200\256'
  done
  gives 0 check --json "$name"
  json out
  says out '"file": "x.u001b\[2J.u009by.u202ez.u0007", "status": "valid"'
  gives 0 check "$name"
  says out '^x.+\[2J.+y.+z.+: valid'
  ;;

trust)
  made a.json --shape 9 --dist b --grid 3 --padding 1,1
  sed 's/0\.10\.0/0.9.0/' a.json >lie.json
  gives 1 check lie.json
  says out 'it would fit as version 0.10'
  gives 0 check --trust-extent lie.json
  says out 'warning: .*version.extent'
  gives 0 diff --trust-extent a.json lie.json
  gives 2 diff a.json lie.json
  gives 0 where --trust-extent lie.json 3
  gives 0 show --trust-extent lie.json
  gives 1 show lie.json
  gives 0 convert --trust-extent --to 0.10.0 lie.json
  cp out again.json
  gives 0 diff a.json again.json
  gives 1 convert --to 0.10.0 lie.json
  ;;

show)
  made a.json --shape 5x9 --dist b,c:2 --grid 2x2
  made three.json --shape 4x3x5 --dist b,*,c --grid 2x1x2
  gives 0 show a.json
  says out '^ 0 +0 0 1 1 0 0 1 1 0$'
  silent out $'\033'
  gives 0 show --colour always a.json
  says out $'\033\\['
  gives 0 show - <a.json
  gives 0 show three.json --slice :,2,:
  gives 0 show three.json --slice 3,:,:
  gives 0 show three.json --columns 60 --lines 20
  for slice in :,: :,:,:,: :,:,: 9,:,: :,x,: , '1.5,:,:'; do
    gives 2 show three.json --slice "$slice"
    says err slice
  done
  gives 0 show a.json --svg picture.svg
  [[ ! -s out ]] || fail 'a picture, and text too'
  says picture.svg '<svg'
  cp picture.svg before.svg
  gives 2 show a.json --svg picture.svg --slice 9,:
  cmp -s picture.svg before.svg || fail 'a picture is lost for a slice that does not fit'
  gives 2 show a.json --svg nowhere/picture.svg
  says err 'nowhere/picture.svg'
  gives 2 show a.json --svg .
  sed 's/"stop":3/"stop":4/' a.json >wrong.json
  # of an invalid capture: what each process states
  gives 1 show wrong.json
  says err 'wrong.json: invalid'
  says out '^  ranks 0 and 1 +############\.\.\.  start 0, stop 4$'
  says out '^  ranks 2 and 3 +\.\.\.\.\.\.\.\.\.######  start 3, stop 5$'
  says out '^  overlap \[3, 4\): ranks 0 to 3$'
  says out '^  no gap, no overlap$'
  gives 1 show --colour always wrong.json
  says out $'\033\\['
  gives 1 show wrong.json --svg wrong.svg
  says wrong.svg 'class="overlap"'
  sed 's/"stop":3/"stop":2/' a.json >hole.json
  gives 1 show hole.json
  says out '^  gap \[2, 3\): no process$'
  sed 's/"stop":3/"Stop":3/' a.json >misspelt.json
  gives 1 show misspelt.json
  says err "rename 'Stop' to 'stop'"
  says out '^  ranks 0 and 1 .* cannot be read$'
  gives 2 show nothing.json
  gives 2 show .
  made huge.json --shape 4611686018427387904x2 --dist b,c:4611686018427387904 --grid 2x1 --dtype int8
  gives 0 show huge.json
  gives 0 show huge.json --svg huge.svg
  ;;

page)
  made a.json --shape 5x9 --dist b,c:2 --grid 2x2
  made b.json --shape 5x9 --dist b,b --grid 3x1
  gives 0 show a.json --html page.html
  [[ ! -s out ]] || fail 'a page, and text too'
  says page.html '^<!DOCTYPE html>$'
  says page.html '<title>a.json</title>'
  says page.html '"grid":2,"periodic":false,"block":2,"first":0'
  silent page.html 'https?:|\{\{'
  gives 0 show --html page.html a.json b.json
  says page.html '"moves":\{"axes":\['
  gives 0 show --html page.html - b.json <a.json
  # a file that is no page is not replaced, such as a capture in place of the page's name
  cp a.json before.json
  gives 2 show --html a.json b.json
  says err "a.json: this file exists and is no HTML page, so it is not replaced: .*page.html"
  cmp -s a.json before.json || fail 'a capture is lost'
  : >empty
  gives 0 show --html empty a.json
  cp page.html before.html
  gives 2 show --html page.html nothing.json
  sed 's/"stop":3/"stop":4/' a.json >wrong.json
  gives 1 show --html page.html a.json wrong.json
  says err 'wrong.json: invalid'
  says page.html '^<!DOCTYPE html>$'
  says page.html '<h2>a.json: valid</h2>'
  says page.html '<h2>wrong.json: invalid, [0-9]+ errors?</h2>'
  says page.html 'overlap \[3, 4\): ranks 0 to 3'
  silent page.html '<script|https?://[^w]|\{\{'
  gives 1 show --html page.html wrong.json
  says page.html '\[block.tiling\]'
  gives 2 show --html nowhere/page.html a.json
  says err 'nowhere/page.html: cannot be written'
  gives 2 show --html . a.json
  # text from outside stays text
  name='script>alert(1)<!--&'
  cp a.json "<$name"
  gives 0 show --html page.html "<$name"
  [[ $(grep -o '<script' page.html | wc -l) == 2 && $(grep -o '</script' page.html | wc -l) == 2 ]] || fail 'a name became HTML'
  says page.html '"title":"<?\\u003cscript\\u003ealert'
  says page.html '<title>&lt;script&gt;alert'
  # the document is short, whatever the extents and the blocks are, and is made in no time
  for words in '--shape 4611686018427387904x2 --dist c:1000003,b --grid 2x2' '--shape 100000000000000 --dist c:999983 --grid 1000'; do
    made c.json $words --dtype int8
    made d.json ${words/c:/c:7} --dtype int8
    gives 0 show --html page.html c.json d.json
    (($(stat -c %s page.html) < 200000)) || fail "a page of $(stat -c %s page.html) bytes for $words"
    says page.html '"why":"What moves between them is not shown: axis 0 has too many blocks'
  done
  ;;

make)
  # SHAPE DIST GRID and more; `make` then `check` without a warning, in both versions
  while read -r shape dist grid more; do
    for version in 0.10.0 0.9.0; do
      made a.json --shape "$shape" --dist "$dist" --grid "$grid" $more --version "$version"
      says a.json "\"__version__\":\"$version\""
      [[ $version == 0.9.0 ]] || mv a.json b.json
    done
    gives 0 diff b.json a.json
  done <<'SPECS'
5x9 b,c:2 2x2
5 b 1
5 b 5
5 b 9
0 b 3
0 c:2 3
1 c:2@2 3
12 c:5@1 2
12 c 4
5 b:0,3,5 3
5 b:0,0,5 3
5x9 b:0,3,c:2@1 2x2
9x5 c:2,b:0,1,2 2x3
5 u:lists.json 2
5x3 u:lists.json,* 2x1
7 * 1
7x7x7 *,b,c 1x2x3
9 b 3 --padding 1,1
9 b 3 --padding 0,0
9 b 1 --padding 2,1
9 b 3 --padding 1,1 --periodic
9 b 1 --padding 1,1 --periodic
9 b 3 --periodic
9x9 b,b 3x1 --padding 1,1x0,0
9x9 b,b 3x1 --padding 1,1x2,1
9x9 b,c 3x2 --padding 1,1
9x9 b,c 3x2 --padding 1,1x0,0 --periodic
2x2x2x2x2x2x2x2x2x2 b,c,*,b,c,*,b,c,*,b 2x2x1x2x1x1x1x1x1x1
SPECS
  made scalar.json --shape '' --dist ''
  says scalar.json '"dim_data":\[\]'
  gives 0 where scalar.json ''
  says out '^process 0 at .., local index ..$'
  gives 0 show scalar.json
  made typed.json --shape 5 --dist b --dtype '>f8'
  says typed.json '"dtype":">f8"'
  # exactly what the boundaries, the first coordinate and the lists say
  gives 0 make --shape 6 --dist b:0,1,5 --grid 3
  says out '"start":1,"stop":5'
  gives 0 make --shape 6 --dist c:2@1 --grid 3
  says out '"proc_grid_rank":1,"start":0,"block_size":2'
  says out '"proc_grid_rank":0,"start":4,"block_size":2'
  gives 0 make --shape 5 --dist u:lists.json --grid 2
  says out '"indices":\[7,-1,3\]'
  gives 0 make --shape 9 --dist b --grid 3 --padding 1,1 --periodic --version 0.9.0
  says out '"size":7,.*"start":2,"stop":5,"padding":\[1,1\],"periodic":true'
  # a grid as square as can be
  gives 0 make --shape 9x9 --dist b,c --processes 6
  says out '"proc_grid_size":3,.*"proc_grid_size":2,'
  [[ $(grep -c '"rank"' out) == 6 ]] || fail 'not 6 processes'
  gives 0 make --shape 9x9 --dist b,c
  [[ $(grep -c '"rank"' out) == 1 ]] || fail 'not one process'
  # no such distribution
  gives 1 make --shape -5 --dist b
  gives 1 make --shape 5 --dist b --grid 0
  gives 1 make --shape 5 --dist '*' --grid 2
  gives 1 make --shape 5 --dist c:0 --grid 2
  gives 1 make --shape 5 --dist c:-1 --grid 2
  gives 1 make --shape 5 --dist c:2@2 --grid 2
  gives 1 make --shape 5 --dist b:1,3 --grid 2
  gives 1 make --shape 5 --dist b:0,6 --grid 2
  gives 1 make --shape 5 --dist b:0,4,3 --grid 3
  gives 1 make --shape 5 --dist b:0,3 --grid 3
  gives 1 make --shape 4 --dist u:lists.json --grid 2
  gives 1 make --shape 5 --dist u:lists.json --grid 3
  gives 1 make --shape 5 --dist b --grid 2 --padding 1,2
  says err block.padding.neighbour
  gives 1 make --shape 5 --dist b --grid 5 --padding 2,2
  says err block.padding.owned
  gives 1 make --shape 5 --dist b --grid 1 --padding -1,0
  gives 1 make --shape 5 --dist b --grid 1 --padding 2,2 --periodic
  says err block.periodic
  gives 1 make --shape 5 --dist b --grid 1 --padding 4611686018427387904,4611686018427387904
  gives 1 make --shape 9 --dist b --grid 9 --padding 1,1 --periodic --version 0.9.0
  gives 1 make --shape 4611686018427387904x4611686018427387904 --dist b,c --grid 2x1
  gives 1 make --shape 4611686018427387904 --dist b --grid 2 --dtype float64
  # words that mean nothing
  for words in '--shape 5,9 --dist b,b' '--shape 5x --dist b,b' '--shape x --dist b' '--shape 1.5 --dist b' \
    '--shape 99999999999999999999 --dist b' '--shape 5 --dist d' '--shape 5 --dist B' '--shape 5 --dist b:' \
    '--shape 5 --dist b:0,x' '--shape 5 --dist c:' '--shape 5 --dist c:x' '--shape 5 --dist c:1@' '--shape 5 --dist c:1@0@0' \
    '--shape 5 --dist u:' '--shape 5 --dist u:nothing.json' '--shape 5 --dist u:.' '--shape 5 --dist b,' \
    '--shape 5x9 --dist b' '--shape 5 --dist b,b' '--shape 5 --dist b --grid 2x2' '--shape 5 --dist b --grid 2x' \
    '--shape 5 --dist b --grid 2 --processes 2' '--shape 5 --dist b --processes 0' '--shape 5 --dist b --processes x' \
    '--shape 5 --dist b --padding 1' '--shape 5 --dist b --padding 1,1,1' '--shape 5 --dist b --padding 1,x' \
    '--shape 5x5 --dist b,b --padding 1,1x1,1x1,1' '--shape 5x5 --dist b,c --grid 1x1 --padding 1,1x1,1' \
    '--shape 5 --dist c --padding 1,1' '--shape 5 --dist c --periodic' '--shape 5 --dist b --version 0.8.0' \
    '--shape 5 --dist b --version 0.1' '--shape 5 --dist b --version' '--shape 5 --dist b --dtype float63' \
    '--shape 5 --dist b --grid 4611686018427387904' '--shape 5 --dist b --grid 4611686018427387904 --padding 1,1' \
    '--shape 5x5 --dist b,b --grid 4611686018427387904x4611686018427387904' '--shape 5 --dist b --processes 4611686018427387904'; do
    gives 2 make $words
  done
  for lists in '' '[' '{}' '[]' '[1]' '[[1.0]]' '[[true], [1]]' '5' '[[9223372036854775808]]'; do
    printf '%s' "$lists" >bad.json
    gives 2 make --shape 1 --dist u:bad.json --grid 1
    says err bad.json
  done
  ;;

where)
  made a.json --shape 5x9 --dist b,c:2 --grid 2x2
  gives 0 where a.json 3,4
  says out '^process 2 at .1, 0., local index .0, 2.$'
  gives 0 where a.json 0,0
  gives 1 where a.json 5,0
  says out 'no process owns .5, 0.'
  for index in -1,2 2,-1 -1,-1 -9223372036854775808,0; do
    gives 1 where a.json "$index"
    says out "no process owns"
  done
  gives 0 where a.json -- 3,4
  gives 1 where -- a.json -3,4
  made listed.json --shape 5 --dist u:lists.json --grid 2
  gives 0 where listed.json -1
  says out '^process 1 at .1,., local index .1,.$'
  gives 1 where listed.json -2
  gives 1 where listed.json 4
  printf '[[4, 1], [1, 9]]' >shared.json
  made shared_lists.json --shape 4 --dist u:shared.json --grid 2
  gives 0 where shared_lists.json 1
  [[ $(grep -c '^process' out) == 2 ]] || fail 'not both owners'
  for index in 1 1,2,3 x 1.5,2 , '' 1, 99999999999999999999,0; do gives 2 where a.json "$index"; done
  gives 2 where nothing.json 1,2
  gives 2 where . 1,2
  sed 's/"stop":3/"stop":4/' a.json >wrong.json
  gives 2 where wrong.json 1,2
  says out '^1 process owns .1, 2., but the array is invalid$'
  says out '^process 1, local index .1, 0.$'
  gives 2 where wrong.json 3,4
  says out '^overlap: 2 processes own .3, 4.$'
  [[ $(grep -c '^process' out) == 2 ]] || fail 'not both processes'
  sed 's/"stop":3/"stop":2/' a.json >hole.json
  gives 2 where hole.json 2,4
  says out '^gap: no process owns .2, 4.$'
  gives 0 where - 3,4 <a.json
  ;;

diff)
  # SAME or NOT, and two ways to say an array
  while read -r status here and there; do
    gives 0 make $(tr + ' ' <<<"$here")
    cp out here.json
    gives 0 make $(tr + ' ' <<<"$there")
    cp out there.json
    gives "$status" diff here.json there.json
    ((status == 0)) && says out '^the same owners' || { says out '^here: '; says out '^there: '; }
    gives "$status" diff there.json here.json
  done <<'PAIRS'
0 --shape+8+--dist+b+--grid+2 and --shape+8+--dist+c:4+--grid+2
0 --shape+8+--dist+b+--grid+2 and --shape+8+--dist+b:0,4+--grid+2
0 --shape+8+--dist+b+--grid+2 and --shape+8+--dist+b+--grid+2+--version+0.9.0
0 --shape+8+--dist+b+--grid+2+--padding+1,1 and --shape+8+--dist+b+--grid+2+--padding+1,1+--version+0.9.0
0 --shape+8+--dist+c:4+--grid+1 and --shape+8+--dist+*+--grid+1
0 --shape+8+--dist+c:9@1+--grid+2 and --shape+8+--dist+b:0,0+--grid+2
0 --shape+8+--dist+b+--grid+2 and --shape+8+--dist+b+--grid+2+--dtype+int8
1 --shape+8+--dist+b+--grid+2 and --shape+9+--dist+b+--grid+2
1 --shape+8+--dist+b+--grid+2 and --shape+8+--dist+c+--grid+2
1 --shape+8+--dist+b+--grid+2 and --shape+8+--dist+b:0,3+--grid+2
1 --shape+8+--dist+b+--grid+2 and --shape+8x1+--dist+b,*+--grid+2x1
1 --shape+8+--dist+c:2+--grid+2 and --shape+8+--dist+c:2@1+--grid+2
PAIRS
  gives 0 diff here.json here.json
  gives 2 diff here.json nothing.json
  gives 2 diff nothing.json here.json
  gives 2 diff . here.json
  sed 's/"size":8/"size":9/' there.json >wrong.json
  gives 2 diff here.json wrong.json
  says err 'wrong.json: invalid'
  gives 0 diff - here.json <here.json
  ;;

convert)
  mapfile -t files < <(find "$data/valid" "$data/examples" -name '*.json' -not -path '*as_printed*' | sort | sed -n '1~9p')
  for file in "${files[@]}"; do
    gives 0 convert --to 0.10.0 "$file"
    cp out new.json
    gives 0 check new.json
    gives 0 diff "$file" new.json
    timeout 60 "$program" convert --to 0.9.0 "$file" >old.json 2>err
    case $? in
    0)
      gives 0 check old.json
      gives 0 diff "$file" old.json
      gives 0 convert --to 0.10.0 old.json
      cmp -s out new.json || fail "$file: there and back is another text"
      ;;
    1) says err '\[conversion\]' ;;
    *) fail "$file: $(cat err)" ;;
    esac
  done
  made a.json --shape 9 --dist b --grid 3 --padding 1,1
  sed 's/"rank":0/"rank":0,"host":"here"/; s/^\]}/], "note": [1e2, 100000000000000000000]}/' a.json >noted.json
  gives 0 convert --to 0.9.0 - <noted.json
  says out '"host":"here"'
  says out '"note": \[100.0,100000000000000000000\]'
  sed 's/"stop":4/"stop":3/' a.json >wrong.json
  gives 1 convert --to 0.9.0 wrong.json
  [[ ! -s out ]] || fail 'half a capture of what is wrong'
  # a version is spelled with or without its patch number, and so wherever one stands
  for minor in 9 10; do
    gives 0 convert --to 0.$minor.0 a.json
    cp out long.json
    gives 0 convert --to 0.$minor a.json
    cmp -s out long.json || fail "0.$minor is not 0.$minor.0"
    sed "s/0\.$minor\.0/0.$minor/" long.json >short.json
    gives 0 check short.json
    silent out warning
    gives 0 diff long.json short.json
    gives 0 make --shape 5 --dist b --version 0.$minor
    says out "\"__version__\":\"0\.$minor\.0\""
  done
  gives 2 convert --to 0.9.0 nothing.json
  says err nothing.json
  gives 2 convert --to 0.9.0 .
  ;;

unwritable)
  [[ -w /dev/full ]] || exit 0
  made a.json --shape 5x9 --dist b,c:2 --grid 2x2
  for words in '--help' '--version' 'check --help' 'check a.json' 'check --json a.json' 'show a.json' \
    'show a.json --svg /dev/full' 'show a.json --html /dev/full' 'make --shape 5 --dist b' 'where a.json 1,1' 'diff a.json a.json' \
    'convert --to 0.9.0 a.json'; do
    timeout 60 "$program" $words >/dev/full 2>err
    status=$?
    ((status == 2)) || fail "tridap $words: status $status for a full disk"
    [[ -s err ]] || fail "tridap $words: says nothing of a full disk"
  done
  # a reader that goes away ends the writer
  timeout 60 "$program" make --shape 20000 --dist b --grid 20000 | head -n 1 >/dev/null
  status=${PIPESTATUS[0]}
  ((status == 141 || status == 0)) || fail "a closed pipe: status $status"
  ;;

hostile)
  # What only states its size costs nothing, and what is deep or long is read or refused in no time.
  big=4611686018427387904
  printf '{"processes": [{"rank": 0, "__version__": "0.10.0", "dim_data": [{"dist_type": "c", "size": %s,
    "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "block_size": %s}], "buffer": {"dtype": "V%s", "shape": [%s]}}]}' \
    $big $big 999999999 $big >a.json
  gives 1 check a.json
  for grid in 2 1000000 $big 9223372036854775807; do
    sed "s/\"proc_grid_size\": 1/\"proc_grid_size\": $grid/; s/V999999999/int8/" a.json >b.json
    for words in 'check' 'check --local' 'show' 'convert --to 0.9.0'; do
      timeout 60 "$program" $words b.json >out 2>err
      (($? < 3)) || fail "$words with a grid of $grid: $(head -c 500 err)"
    done
  done
  head -c 1000000 /dev/zero | tr '\0' '[' >deep.json
  gives 2 check deep.json
  says err 'deeper than 64'
  head -c 1000000 /dev/zero >zeros.json
  gives 2 check zeros.json
  head -c 100000 /dev/urandom >noise.json
  gives 2 check noise.json
  dims=$(printf '{},%.0s' {1..100000}) ones=$(printf '1,%.0s' {1..100000})
  printf '{"processes": [{"rank": 0, "__version__": "0.10.0", "dim_data": [%s], "buffer": {"dtype": "int8", "shape": [%s]}}]}' \
    "${dims%,}" "${ones%,}" >axes.json
  gives 0 check axes.json
  sed 's/{}/3/g' axes.json >threes.json
  gives 1 check --json threes.json
  says out '"counts":\{"type.structure":100000\}'
  json out
  gives 0 make --shape 5000 --dist b --grid 5000
  cp out many.json
  gives 0 check many.json
  gives 0 where many.json 2345
  says out '^process 2345 '
  gives 0 show many.json
  ;;

*) fail "no case $case" ;;
esac
exit $((failures > 0))
