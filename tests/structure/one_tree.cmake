# Tests and the Python module are switched on in the tree that `make demo` has compiled: no command
# of the library, the program and the lab may change by that, else they are compiled twice.
#   SOURCE BUILD SCRATCH   the source tree, its build with tests, and a folder for one without
#   OPTIONS                how both are configured
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH} -G Ninja ${OPTIONS}
                  -DONEFOLD_TESTS=OFF -DONEFOLD_PYTHON=OFF -DONEFOLD_MPI=OFF
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
file(READ ${BUILD}/compile_commands.json all)
file(STRINGS ${SCRATCH}/compile_commands.json commands REGEX "\"command\":")
list(LENGTH commands count)
if(count LESS 100)
  message(FATAL_ERROR "${SCRATCH} compiles ${count} objects only")
endif()
foreach(command IN LISTS commands)
  string(REPLACE ${SCRATCH} ${BUILD} command "${command}")
  string(FIND "${all}" "${command}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "with tests and the Python module this is compiled differently:\n${command}")
  endif()
endforeach()
