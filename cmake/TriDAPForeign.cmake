# The libraries of others, each as one imported target with system include directories. Used by the build and by an
# install alike; every difference between their versions' CMake files stands here.
#
#   tridap_find_foreign(<mpi|kokkos|tpetra|solvers> <result>)
#
# makes TriDAP::foreign_<name> and sets <result> to its version; where the library is missing, <result> is empty and
# <result>_WHY says what was not found.

include_guard()

macro(tridap_foreign_target name)
  if(NOT TARGET TriDAP::foreign_${name})
    add_library(TriDAP::foreign_${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(TriDAP::foreign_${name} INTERFACE ${ARGN})
  endif()
endmacro()

# A macro: find_package must set its imported targets and variables where the caller sees them.
macro(tridap_find_foreign name result)
  set(${result} "")
  set(${result}_WHY "")
  if("${name}" STREQUAL "mpi")
    set(MPI_CXX_SKIP_MPICXX TRUE)  # the C++ bindings that MPI itself gave up
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)
      set(${result} "MPI ${MPI_CXX_VERSION}")
      tridap_foreign_target(mpi MPI::MPI_CXX)
    else()
      set(${result}_WHY "no MPI compiler")
    endif()
  elseif("${name}" STREQUAL "kokkos")
    find_package(Kokkos QUIET)
    if(Kokkos_FOUND)
      set(${result} "Kokkos ${Kokkos_VERSION}")
      if(Kokkos_INCLUDE_DIRS)  # Trilinos 13's Kokkos names a directory that is not there
        set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Kokkos_INCLUDE_DIRS}"
                              INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${Kokkos_INCLUDE_DIRS}")
      endif()
      tridap_foreign_target(kokkos Kokkos::kokkos)
    else()
      set(${result}_WHY "no Kokkos")
    endif()
  elseif("${name}" STREQUAL "tpetra")
    tridap_find_trilinos(tpetra ${result} Tpetra)
  elseif("${name}" STREQUAL "solvers")
    tridap_find_trilinos(solvers ${result} Tpetra Belos Ifpack2 MueLu)
    set(${result}_HAS_MUELU TRUE)
    if(NOT ${result})
      tridap_find_trilinos(solvers ${result} Tpetra Belos Ifpack2)
      set(${result}_HAS_MUELU FALSE)
    endif()
  endif()
endmacro()

macro(tridap_find_trilinos name result)
  find_package(Trilinos QUIET COMPONENTS ${ARGN})
  if(Trilinos_FOUND)
    set(${result} "Trilinos ${Trilinos_VERSION}")
    if(TARGET Tpetra::all_libs)  # 14 and later: one namespaced target for each package
      set(tridap_trilinos_libs "")
      foreach(package ${ARGN})
        list(APPEND tridap_trilinos_libs ${package}::all_libs)
      endforeach()
      tridap_foreign_target(${name} ${tridap_trilinos_libs} TriDAP::foreign_mpi)
    else()
      tridap_foreign_target(${name} ${Trilinos_LIBRARIES} TriDAP::foreign_mpi)
      target_include_directories(TriDAP::foreign_${name} SYSTEM INTERFACE ${Trilinos_INCLUDE_DIRS})
    endif()
  else()
    string(REPLACE ";" " " ${result}_WHY "no Trilinos with ${ARGN}")
  endif()
endmacro()
