# The table of the configuration prints any text as it is.    cmake -DSOURCE=... -DFOLDER=... -P table_test.cmake
set(PROJECT_BINARY_DIR "${FOLDER}")
set(PROJECT_VERSION 1.2.3)
file(REMOVE_RECURSE "${FOLDER}")
include("${SOURCE}/cmake/TriDAPTable.cmake")

function(expect what found wanted)
  if(NOT "${found}" STREQUAL "${wanted}")
    message(SEND_ERROR "${what}: found\n${found}\nwanted\n${wanted}")
  endif()
endfunction()

set(number 0)
foreach(text "no PETSc (PETSc;petsc)" "a|b||c" "[x" "x]" "[x;y]" "[[a]]" "\"quoted\"" "it's" "a  b " "ü" "\\" "\\\;" "\$ENV{HOME}"
             "@why@" "a#b" ";" "a;;b;" "|" ")~\"" "-- a" "")
  tridap_row(row${number} off "${text}")
  tridap_why_off(row${number} why)
  string(REGEX REPLACE "[ ]+" " " wanted "${text}")
  expect("the reason of row ${number}" "${why}" "${wanted}")
  tridap_table_line(row${number} line)
  string(LENGTH row${number} length)
  math(EXPR gap "14 - ${length}")
  string(REPEAT " " ${gap} gap)
  expect("the line of row ${number}" "${line}" "  row${number}${gap}off\t${wanted}")
  string(APPEND lines "row${number}|off|${wanted}\n")
  math(EXPR number "${number} + 1")
endforeach()
tridap_row(lines off "two\nlines;and\ttabs")
string(APPEND lines "lines|off|two lines;and tabs\n")
tridap_row(again off "first")
tridap_row(again on "then; [this")
string(APPEND lines "again|on|then; [this\n")
tridap_row(needing off "needs again, which is off")
tridap_row(needing2 off "needs needing, which is off")
string(APPEND lines "needing|off|needs again, which is off\nneeding2|off|needs needing, which is off\n")
tridap_table_lines(found)
expect("the lines" "${found}" "${lines}")
tridap_why_off(again why)
expect("the reason of what is on" "${why}" "")
tridap_row(again off "gone;")
tridap_why_off(needing2 why)
expect("the reason of the component that is needed" "${why}" "gone;")
tridap_row(again on "then; [this")
tridap_table_lines(lines)

tridap_print_table()
file(READ "${FOLDER}/components.txt" found)
expect("components.txt" "${found}" "${lines}")

tridap_literal("a\"b\\n
c;d|[" found)
expect("a literal" "${found}" "\"a\\\"b\\\\n\\nc;d|[\"")

include("${SOURCE}/cmake/TriDAPForeign.cmake")

# The MPI that a library names, whatever its ABI; objdump is a program that prints the file.
file(WRITE "${FOLDER}/objdump" "#!/bin/sh\nexec cat \"$2\"\n")
file(CHMOD "${FOLDER}/objdump" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(CMAKE_OBJDUMP "${FOLDER}/objdump")
file(WRITE "${FOLDER}/library" "  NEEDED               libmpi_abi.so.0\n  NEEDED               libmpi_mpifh.so.40\n"
     "  NEEDED               libmpich.so.12\n  SONAME               libmpi.so.40\n  NEEDED               libm.so.6\n")
tridap_mpi_names(found "${FOLDER}/library" NEEDED)
expect("the MPIs that a library needs" "${found}" "libmpi_abi.so.0;libmpich.so.12")
tridap_mpi_names(found "${FOLDER}/library" SONAME)
expect("the name of an MPI" "${found}" "libmpi.so.40")

# What mpicxx -show prints: folders of headers that do not exist are missing headers, unless another one exists.
foreach(shown "g++ -L/opt/x-Intel/lib -lmpi" "g++ -I/ -lmpi" "g++ -I\"${SOURCE}\"" "g++ -I /" "g++ -lmpi" ""
              "g++ -I/no/folder -I/ -lmpi\n")
  tridap_mpi_without_headers(missing "${shown}")
  expect("folders without headers in '${shown}'" "${missing}" "")
endforeach()
tridap_mpi_without_headers(missing "g++ -I/no/folder -pthread -I\"/no/other folder\" -L/opt/x-Intel/lib -lmpi\n")
expect("folders without headers" "${missing}" "/no/folder and /no/other folder")
