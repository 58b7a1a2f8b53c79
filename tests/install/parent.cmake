# Installs the project parent/, which has Onefold inside: nothing of Onefold goes with it, unless
# ONEFOLD_INSTALL asks for it, and then its licence stands in a folder of its own.
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

run(${configure} -DONEFOLD_INSTALL=ON)
file(READ ${SCRATCH}/build/onefold/cmake_install.cmake rules)
if(rules MATCHES "doc/parent" OR NOT rules MATCHES "share/doc/onefold[^\n]*LICENSE")
  message(FATAL_ERROR "Onefold's licence goes elsewhere:\n${rules}")
endif()
