# Fails where a library calls a function of Global Arrays that has a twin of 64 bits: the other one cuts off silently what
# is more than 2^31.
#
#   cmake -DHEADER=ga.h -DLIBRARY=libtridap_globalarrays.a -DNM=nm -P calls_of_64_bits.cmake

cmake_minimum_required(VERSION 3.24)

file(STRINGS ${HEADER} lines REGEX "64\\(")
string(REGEX MATCHALL "[A-Za-z_]+64\\(" twins "${lines}")
execute_process(COMMAND ${NM} -u ${LIBRARY} OUTPUT_VARIABLE called COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[A-Za-z_]*GA_[A-Za-z_0-9]+" called "${called}")
list(REMOVE_DUPLICATES called)
set(found 0)
foreach(name IN LISTS called)
  if("${name}(" IN_LIST twins)
    math(EXPR found "${found} + 1")
  endif()
  if("${name}64(" IN_LIST twins)
    message(SEND_ERROR "${LIBRARY} calls ${name}, and not ${name}64")
  endif()
endforeach()
if(found EQUAL 0)
  message(SEND_ERROR "${LIBRARY} calls nothing of 64 bits: ${HEADER} or ${NM} was not understood")
endif()
