# Builds the project beside this file with the example, runs it, and compares what it prints.
#   SOURCE    onefold's source; SCRATCH a folder that may be emptied
#   BUILD     a build of onefold, of which the file is installed; or nothing: the source is fetched
#   COMPILER GENERATOR   as onefold was built
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
if(BUILD)
  run(${CMAKE_COMMAND} --install ${BUILD} --component exact --prefix ${SCRATCH}/prefix)
  set(where -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)
else()
  set(where -DONEFOLD_SOURCE=${SOURCE})
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${SCRATCH}/build -G ${GENERATOR} ${where}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DEXAMPLE=${SOURCE}/single/example.cpp)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)
if(NOT output STREQUAL [[
sum   1.1000000000000001
begin 10000000000000000
mean  5, var 4.57142878, std of the population 2
state 680 bytes
]])
  message(FATAL_ERROR "the example prints\n${output}")
endif()
