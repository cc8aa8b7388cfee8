# docs/start.md: the commands and the program of each tab.
if(Python3_FOUND AND NOT TRIDAP_SANITIZE)
  set(start_targets_cpp tridap_tpetra)
  set(start_targets_python tridap_core)
  set(start_targets_c tridap_protocol)
  set(start_targets_fortran tridap_fortran)
  set(start_targets_command tridap)
  foreach(tab cpp python c fortran command)
    if(TARGET ${start_targets_${tab}})
      tridap_add_run(docs_start_${tab} MPI TIMEOUT 900 TARGETS ${start_targets_${tab}}
                     COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/start_test.py ${tab}
                             ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/start_${tab})
    endif()
  endforeach()
endif()
