# Refuses a folder whose name a tool that we need cannot take, by one line, before anything is configured. `dev` refuses the
# same characters, before it installs anything.
#   ;      separates the elements of CMake's lists
#   " \    end a text, and begin an escape, in the files that CMake writes for itself
#   |      is not taken by CMake's FindThreads
#   $      begins a variable in the settings of ccache
#   :      separates folders in PYTHONPATH and LD_LIBRARY_PATH
#   line feeds end the lines of Ninja's files
foreach(folder "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}")
  string(REGEX MATCH "[;\"\\|$:\n]" refused "${folder}")
  if(refused)
    message(FATAL_ERROR "The folder '${folder}' has a character in its name that CMake, ccache or Python cannot take: "
                        "move it to a folder whose name has none of ; \" \\ | $ : and no line feed")
  endif()
endforeach()

# The pattern of file(GLOB) that matches a folder alone: it reads [x] in a name as a pattern.
function(tridap_pattern_of result folder)
  string(REPLACE "[" "[[]" pattern "${folder}")
  set(${result} "${pattern}" PARENT_SCOPE)
endfunction()

# The name by which pytest finds a file from the folder in which CTest starts tests: it cuts a name at `[`, which a folder
# above both may have.
function(tridap_pytest_file result file)
  file(RELATIVE_PATH relative "${CMAKE_CURRENT_BINARY_DIR}" "${file}")
  set(${result} "${relative}" PARENT_SCOPE)
endfunction()
