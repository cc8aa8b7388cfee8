# Our components: one target TriDAP::<name> for each folder, and the rules of links between them.

include(TriDAPTable)
set(TRIDAP_COMPONENTS "" CACHE INTERNAL "")

# The layers: a component links only to components of a lower layer.
set(tridap_layer_protocol 0)
set(tridap_layer_captures 1)
set(tridap_layer_mpi 1)
set(tridap_layer_kokkos 1)
set(tridap_layer_plan 1)
set(tridap_layer_tool 2)
set(tridap_layer_infer 2)
set(tridap_layer_redistribute 2)
set(tridap_layer_sparse 2)
set(tridap_layer_ghosts 3)
set(tridap_layer_device 3)
set(tridap_layer_adapter 4)
set(tridap_layer_solvers 5)  # build on the tpetra adapter
set(tridap_layer_python 6)
set(tridap_layer_c 6)
set(tridap_layer_c_solvers 7)
set(tridap_layer_c_hdf5 7)
set(tridap_layer_c_scalapack 7)
set(tridap_layer_c_petsc 7)
set(tridap_layer_c_globalarrays 7)
set(tridap_layer_fortran 8)
set(tridap_layer_fortran_solvers 9)
set(tridap_layer_fortran_hdf5 9)
set(tridap_layer_fortran_scalapack 9)
set(tridap_layer_fortran_petsc 9)
set(tridap_layer_fortran_globalarrays 9)

# Warnings and sanitizers, for our own code only.
function(tridap_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-attributes>  # public classes may have members of hidden ones
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # GCC 12 reports false ones in variants
                         # Trilinos 16, which comes with newer compilers than Debian 12's, has a #warning in Epetra's headers.
                         # GCC reports it although they are system headers.
                         $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER:$<CXX_COMPILER_VERSION>,13>>:-Wno-error=cpp>)
  if(TRIDAP_SANITIZE)
    set(sanitizers -fsanitize=address,undefined)
    target_compile_options(${target} PRIVATE ${sanitizers} -fno-sanitize-recover=undefined -fno-omit-frame-pointer
                           $<$<BOOL:${TRIDAP_FUZZ}>:-fsanitize=fuzzer-no-link>
                           $<$<CXX_COMPILER_ID:Clang>:-D__SANITIZE_ADDRESS__=1>)  # GCC defines it itself
    target_link_options(${target} PUBLIC ${sanitizers})
  endif()
endfunction()

function(tridap_layer name result)
  if(DEFINED tridap_layer_${name})
    set(${result} ${tridap_layer_${name}} PARENT_SCOPE)
  else()
    set(${result} ${tridap_layer_adapter} PARENT_SCOPE)
  endif()
endfunction()

# tridap_wanted(<name> <result> [LINK our components ...]): finds the foreign library <name> and our components that
# component <name> needs, and sets <result> to TRUE if all are there. With TRIDAP_<NAME>=ON a missing one is an error; with
# OFF the component is not built.
macro(tridap_wanted name result)
  cmake_parse_arguments(wanted "" "" "LINK" ${ARGN})
  string(TOUPPER ${name} wanted_option)
  set(TRIDAP_${wanted_option} AUTO CACHE STRING "Component ${name}: AUTO, ON or OFF")
  set_property(CACHE TRIDAP_${wanted_option} PROPERTY STRINGS AUTO ON OFF)
  set(${result} FALSE)
  set(wanted_why "")
  if("${TRIDAP_${wanted_option}}" STREQUAL "OFF")
    set(wanted_why "TRIDAP_${wanted_option}=OFF")
  else()
    foreach(needed ${wanted_LINK})
      if(NOT TARGET TriDAP::${needed})
        set(wanted_why "needs ${needed}, which is off")
      endif()
    endforeach()
    if("${wanted_why}" STREQUAL "")
      tridap_find_foreign(${name} wanted_version)
      set(wanted_why "${wanted_version_WHY}")
    endif()
    if("${wanted_why}" STREQUAL "")
      set(${result} TRUE)
    elseif("${TRIDAP_${wanted_option}}" STREQUAL "ON")
      message(FATAL_ERROR "TRIDAP_${wanted_option}=ON, but component ${name} cannot be built: ${wanted_why}")
    endif()
  endif()
  if(${result})
    tridap_row(${name} on "${wanted_version}")
  else()
    tridap_row(${name} off "${wanted_why}")
  endif()
endmacro()

# Internal headers are in internal/ beside include/. They are shared by components, and are neither installed nor exported.
# A component includes its own and those of the components that it links. A test links TriDAP::<name>_internal.
function(tridap_internal_headers name)
  set(folders "")
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/internal)
    list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/internal)
  endif()
  foreach(other ${ARGN})
    get_target_property(theirs tridap_${other}_internal INTERFACE_INCLUDE_DIRECTORIES)
    if(theirs)
      list(APPEND folders ${theirs})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  add_library(tridap_${name}_internal INTERFACE)
  add_library(TriDAP::${name}_internal ALIAS tridap_${name}_internal)
  target_link_libraries(tridap_${name}_internal INTERFACE TriDAP::${name})
  target_include_directories(tridap_${name}_internal INTERFACE ${folders})
  get_target_property(type tridap_${name} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    target_include_directories(tridap_${name} PRIVATE ${folders})
  endif()
endfunction()

# tridap_component(<name> [STATIC] [NAMED symbol] [SOURCES ...] [LINK our components ...] [FOREIGN their targets ...] [HEADERS ...])
# STATIC: also with BUILD_SHARED_LIBS. NAMED: a symbol that what links the component names, so that no linker leaves it out. HEADERS: those that are the component's, if another one has the same folder.
function(tridap_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "NAMED" "SOURCES;LINK;FOREIGN;HEADERS")
  tridap_layer(${name} own)
  foreach(other ${arg_LINK})
    tridap_layer(${other} theirs)
    if(NOT theirs LESS own)
      message(FATAL_ERROR "TriDAP::${name} links TriDAP::${other}, which must be in a lower layer; the layers are: "
                          "protocol < captures, mpi, kokkos, plan < tool, infer, redistribute, sparse < ghosts, device < adapters < "
                          "solvers < c, python < c_solvers and others < fortran")
    endif()
  endforeach()
  if(arg_SOURCES)
    set(scope PUBLIC)
    set(kind "")
    if(arg_STATIC)
      set(kind STATIC)
    endif()
    add_library(tridap_${name} ${kind} ${arg_SOURCES})
    tridap_options(tridap_${name})
    if(UNIX AND NOT APPLE)
      target_link_options(tridap_${name} PRIVATE
                          $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map>)
    endif()
    # DEFINE_SYMBOL: the objects are the same for static and shared libraries. SOVERSION: before 1.0, a minor version may
    # change the ABI.
    set_target_properties(tridap_${name} PROPERTIES VERSION ${PROJECT_VERSION} DEFINE_SYMBOL ""
                          SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  else()
    set(scope INTERFACE)
    add_library(tridap_${name} INTERFACE)
  endif()
  add_library(TriDAP::${name} ALIAS tridap_${name})
  set_target_properties(tridap_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(tridap_${name} ${scope} cxx_std_17)
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include)
    target_include_directories(tridap_${name} ${scope} $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endif()
  tridap_internal_headers(${name} ${arg_LINK})
  list(TRANSFORM arg_LINK PREPEND TriDAP::)
  target_link_libraries(tridap_${name} ${scope} ${arg_LINK} ${arg_FOREIGN})
  if(arg_NAMED)  # by a source of who links it: an option of the linker does not keep a shared library
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/src/linked.cpp)
    set(installed ${CMAKE_INSTALL_DATADIR}/tridap)
    target_sources(tridap_${name} INTERFACE $<BUILD_INTERFACE:${source}>
                                            $<INSTALL_INTERFACE:${installed}/${name}_linked.cpp>)
    install(FILES ${source} DESTINATION ${installed} RENAME ${name}_linked.cpp)
  endif()
  install(TARGETS tridap_${name} EXPORT TriDAPTargets)
  tridap_pkg_config(${name} "${arg_SOURCES}" "${arg_LINK}" "${arg_FOREIGN}" "${arg_NAMED}")
  list(TRANSFORM arg_HEADERS PREPEND "PATTERN;" OUTPUT_VARIABLE patterns)
  if(patterns)
    list(PREPEND patterns FILES_MATCHING)
  endif()
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include)
    install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${patterns})
  endif()
  set(TRIDAP_COMPONENTS ${TRIDAP_COMPONENTS} ${name} CACHE INTERNAL "")
endfunction()

# Writes tridap-<name>.pc, for builds without CMake, if the component and those that it links need no foreign library except MPI.
# MPI's own compilers link MPI. The other foreign libraries have no .pc file that tridap-<name>.pc could require.
# More folders of the include folder may follow.
function(tridap_pkg_config name sources link foreign named)
  list(REMOVE_ITEM foreign TriDAP::foreign_mpi)
  get_property(written GLOBAL PROPERTY tridap_pkg_config_written)
  list(TRANSFORM link REPLACE "TriDAP::" "" OUTPUT_VARIABLE missing)
  list(REMOVE_ITEM missing ${written})
  if(foreign OR missing)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tridap_pkg_config_written ${name})
  set(where ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH prefix /${where} /)
  string(REGEX REPLACE "/$" "" prefix "${prefix}")
  list(TRANSFORM link REPLACE "TriDAP::" "tridap-")
  list(JOIN link ", " requires)
  set(more "")
  foreach(folder ${ARGN})
    string(APPEND more " -I\${includedir}/${folder}")
  endforeach()
  set(libraries "")
  if(sources)
    set(libraries "-L\${libdir} -ltridap_${name}")
    if(named)
      set(libraries "-Wl,--undefined=${named} -L\${libdir} -Wl,--push-state,--no-as-needed -ltridap_${name} -Wl,--pop-state")
    endif()
  endif()
  if(name STREQUAL "protocol" AND NOT BUILD_SHARED_LIBS)  # the C++ runtime, for C's linker; a shared library names it
    set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
    list(REMOVE_DUPLICATES runtime)
    list(TRANSFORM runtime PREPEND "-l")
    list(JOIN runtime " " runtime)
    string(APPEND libraries " ${runtime}")
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pkgconfig/tridap-${name}.pc @ONLY CONTENT
"prefix=\${pcfiledir}/@prefix@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: tridap-@name@
Description: @PROJECT_DESCRIPTION@: @name@
Version: @PROJECT_VERSION@
Requires: @requires@
Libs: @libraries@
Cflags: -I\${includedir}@more@
")
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/tridap-${name}.pc DESTINATION ${where})
endfunction()

# The package files, both for an install and for this build tree.
function(tridap_install)
  include(CMakePackageConfigHelpers)
  set(where ${CMAKE_INSTALL_LIBDIR}/cmake/TriDAP)
  tridap_tribits_all_libs()
  tridap_tribits_config(TRIDAP_TRIBITS_CONFIG folder)
  configure_package_config_file(cmake/TriDAPConfig.cmake.in ${folder}/TriDAPConfig.cmake INSTALL_DESTINATION ${where})
  write_basic_package_version_file(${folder}/TriDAPConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  configure_file(cmake/TriDAPForeign.cmake ${folder}/TriDAPForeign.cmake COPYONLY)
  install(FILES ${folder}/TriDAPConfig.cmake ${folder}/TriDAPConfigVersion.cmake cmake/TriDAPForeign.cmake DESTINATION ${where})
  install(DIRECTORY tests/smoke DESTINATION ${CMAKE_INSTALL_DATADIR}/tridap OPTIONAL)
  install(EXPORT TriDAPTargets NAMESPACE TriDAP:: DESTINATION ${where})
  export(EXPORT TriDAPTargets NAMESPACE TriDAP:: FILE ${folder}/TriDAPTargets.cmake)
endfunction()
