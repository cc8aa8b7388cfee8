# The lines of Fortran in docs/coming_from.md and in README.md, in test programs.
if(NOT TARGET TriDAP::fortran)
  return()
endif()
enable_language(Fortran)
write_lines(cart_lines fortran "tridap_distribution_of_cart(")
write_lines(blocks_lines fortran "function blocks")
write_lines(pencil_lines fortran "x_to_y%move(")
write_lines(desc_lines fortran "tridap_distribution_of_desc(")
write_lines(globalarrays_lines fortran "nga_access(")

set(page_text "${text}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)
file(READ ${PROJECT_SOURCE_DIR}/README.md text)
write_lines(readme_lines fortran "call tridap_update_padding(u)")
set(text "${page_text}")

function(tridap_docs_fortran test)
  add_executable(docs_${test} ${test}_test.f90 $<TARGET_OBJECTS:tests_fortran>)
  target_compile_options(docs_${test} PRIVATE -Wall -Wextra $<$<Fortran_COMPILER_ID:GNU>:-std=f2018 -g -O1
                         -Wno-maybe-uninitialized -Wno-uninitialized -Wno-compare-reals>)
  target_include_directories(docs_${test} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(docs_${test} PRIVATE tests_fortran ${ARGN})
  tridap_add_mpi_run(docs_${test} RANKS 4 ALL 1 2 3 6 COMMAND $<TARGET_FILE:docs_${test}> TARGETS docs_${test})
endfunction()
tridap_docs_fortran(fortran)
if(TARGET TriDAP::scalapack)
  tridap_docs_fortran(fortran_desc TriDAP::foreign_scalapack)
endif()
if(TARGET TriDAP::globalarrays)
  tridap_docs_fortran(fortran_globalarrays TriDAP::foreign_globalarrays)
endif()
set_source_files_properties(fortran_globalarrays_test.f90 PROPERTIES COMPILE_OPTIONS
                            "$<$<Fortran_COMPILER_ID:GNU>:-std=gnu>")  # the memory of Global Arrays is a common block
add_executable(docs_howto_fortran howto.f90 $<TARGET_OBJECTS:tests_fortran>)
target_compile_options(docs_howto_fortran PRIVATE -Wall -Wextra $<$<Fortran_COMPILER_ID:GNU>:-std=f2018 -fcheck=all -g -O1
                       -Wno-maybe-uninitialized -Wno-uninitialized -Wno-compare-reals>)
target_link_libraries(docs_howto_fortran PRIVATE tests_fortran)
tridap_add_mpi_run(docs_howto_fortran RANKS 4 ALL 1 6 COMMAND $<TARGET_FILE:docs_howto_fortran> TARGETS docs_howto_fortran)
