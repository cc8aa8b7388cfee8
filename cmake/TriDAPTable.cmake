# The table that configure prints: what is on, what is off, and why. A row's texts come from other libraries and from the
# user, so they may hold any characters: a row is a global property, and never an element of a CMake list.

# A later row of the same name replaces an earlier one. The name has no semicolon.
function(tridap_row name state why)
  get_property(names GLOBAL PROPERTY TRIDAP_ROWS)
  list(REMOVE_ITEM names "${name}")
  list(APPEND names "${name}")
  string(REGEX REPLACE "[ \t\r\n]+" " " why "${why}")
  set_property(GLOBAL PROPERTY TRIDAP_ROWS "${names}")
  set_property(GLOBAL PROPERTY "TRIDAP_ROW_${name}" "${state}|${why}")
endfunction()

# Why a component is off, or empty: the reason of the component that it needs, if that is off too.
function(tridap_why_off name result)
  get_property(row GLOBAL PROPERTY "TRIDAP_ROW_${name}")
  set(why "")
  if("${row}" MATCHES "^off[|](.*)$")
    set(why "${CMAKE_MATCH_1}")
    if("${why}" MATCHES "^needs ([a-z0-9]+), which is off$")
      tridap_why_off(${CMAKE_MATCH_1} why)
    endif()
  endif()
  set(${result} "${why}" PARENT_SCOPE)
endfunction()

# The rows so far as lines `name|state|why`, of which only `why` may contain another `|`.
function(tridap_table_lines result)
  get_property(names GLOBAL PROPERTY TRIDAP_ROWS)
  set(lines "")
  foreach(name IN LISTS names)
    get_property(row GLOBAL PROPERTY "TRIDAP_ROW_${name}")
    string(APPEND lines "${name}|${row}\n")
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# A text as a string literal of C++.
function(tridap_literal text result)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

# A row as it is printed.
function(tridap_table_line name result)
  get_property(row GLOBAL PROPERTY "TRIDAP_ROW_${name}")
  string(FIND "${row}" "|" end)
  string(SUBSTRING "${row}" 0 ${end} state)
  math(EXPR begin "${end} + 1")
  string(SUBSTRING "${row}" ${begin} -1 why)
  string(LENGTH "${name}" length)
  math(EXPR gap "14 - ${length}")
  if(gap LESS 1)
    set(gap 1)
  endif()
  string(REPEAT " " ${gap} gap)
  set(${result} "  ${name}${gap}${state}\t${why}" PARENT_SCOPE)
endfunction()

# Prints the table, and writes its rows to components.txt in the build folder.
function(tridap_print_table)
  tridap_table_lines(lines)
  file(WRITE "${PROJECT_BINARY_DIR}/components.txt" "${lines}")
  message(STATUS "TriDAP ${PROJECT_VERSION}")
  get_property(names GLOBAL PROPERTY TRIDAP_ROWS)
  foreach(name IN LISTS names)
    tridap_table_line("${name}" line)
    message(STATUS "${line}")
  endforeach()
endfunction()

# Writes built_with.hpp: the compiler, its flags and the rows of components, for library_build(). It has no dates and no folders, so
# that a build can be repeated: why a component is off may name a folder, and is left out.
function(tridap_write_built_with folder)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(REPLACE " " ";" flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  list(FILTER flags EXCLUDE REGEX "/|^$")
  list(JOIN flags " " flags)
  if(flags)
    set(flags ", ${flags}")
  endif()
  set(lines "compiler: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}${flags}\n")
  if(BUILD_SHARED_LIBS)
    string(APPEND lines "libraries: shared\n")
  else()
    string(APPEND lines "libraries: static\n")
  endif()
  set(also "")
  set(without "")
  get_property(names GLOBAL PROPERTY TRIDAP_ROWS)
  foreach(name IN LISTS names)
    string(TOUPPER "TRIDAP_${name}" option)
    get_property(choices CACHE "${option}" PROPERTY STRINGS)  # those of an optional component
    if(name IN_LIST TRIDAP_COMPONENTS OR "${choices}" STREQUAL "AUTO;ON;OFF")
      get_property(row GLOBAL PROPERTY "TRIDAP_ROW_${name}")
      if(row MATCHES "^off[|]")
        list(APPEND without ${name})
      elseif(row MATCHES "^on[|](.+)$")
        string(APPEND lines "${name}: ${CMAKE_MATCH_1}\n")
      else()
        list(APPEND also ${name})
      endif()
    endif()
  endforeach()
  foreach(list also without)
    if(${list})
      list(JOIN ${list} ", " joined)
      string(APPEND lines "${list}: ${joined}\n")
    endif()
  endforeach()
  tridap_literal("${lines}" text)
  file(CONFIGURE OUTPUT "${folder}/built_with.hpp" @ONLY CONTENT "#pragma once

namespace tridap::built_with {

inline constexpr const char* text = @text@;

}  // namespace tridap::built_with
")
endfunction()
