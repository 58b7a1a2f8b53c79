# Installs the project parent/, which has Onefold inside: nothing of Onefold goes with it, unless
# ONEFOLD_INSTALL asks for it, and then its licence stands in a folder of its own. Its own op is in
# the lists of ops, of C++ and of kernels.
#   SCRATCH SOURCE COMPILER GENERATOR   as run.cmake has them
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/parent -B ${SCRATCH}/build -G ${GENERATOR}
    -DONEFOLD_SOURCE=${SOURCE} -DCMAKE_CXX_COMPILER=${COMPILER})
file(REMOVE_RECURSE ${SCRATCH})
run(${configure})
run(${CMAKE_COMMAND} --install ${SCRATCH}/build --prefix ${SCRATCH}/prefix)
file(GLOB_RECURSE installed RELATIVE ${SCRATCH}/prefix ${SCRATCH}/prefix/*)
if(NOT installed STREQUAL "share/doc/parent/LICENSE")
  message(FATAL_ERROR "the parent installs ${installed}")
endif()
file(READ ${SCRATCH}/prefix/share/doc/parent/LICENSE licence)
if(NOT licence MATCHES "parent's own")
  message(FATAL_ERROR "the parent's licence is now\n${licence}")
endif()

foreach(list IN ITEMS op.list op.inl)
  file(READ ${SCRATCH}/build/onefold/include/onefold/generated/${list} text)
  if(NOT text MATCHES "share_zero")
    message(FATAL_ERROR "${list} lacks the parent's op")
  endif()
endforeach()
run(${CMAKE_COMMAND} --build ${SCRATCH}/build --target onefold/generated/device_headers.cpp)
file(READ ${SCRATCH}/build/onefold/generated/device_headers.cpp text)
if(NOT text MATCHES "share_zero_")
  message(FATAL_ERROR "kernels lack the parent's op")
endif()
foreach(name IN ITEMS sum share_zero)
  execute_process(COMMAND ${configure} -DPARENT_OP=${name} RESULT_VARIABLE result OUTPUT_QUIET
                  ERROR_VARIABLE output)
  if(result EQUAL 0 OR NOT output MATCHES "onefold_add_op\\(${name}\\): there is one of this name")
    message(FATAL_ERROR "a second ${name} is taken:\n${output}")
  endif()
endforeach()

run(${configure} -DPARENT_OP= -DONEFOLD_INSTALL=ON)
file(READ ${SCRATCH}/build/onefold/cmake_install.cmake rules)
if(rules MATCHES "doc/parent" OR NOT rules MATCHES "share/doc/onefold[^\n]*LICENSE")
  message(FATAL_ERROR "Onefold's licence goes elsewhere:\n${rules}")
endif()
