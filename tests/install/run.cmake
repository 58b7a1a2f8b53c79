# Builds and runs the consumer beside this file, and checks that no flag of ours reaches it.
#   SCRATCH   a folder that may be emptied
#   BUILD     a build of onefold, which is installed into SCRATCH first; or
#   SOURCE    onefold's source, used as a subdirectory
#   COMPILER LAUNCHER GENERATOR FLAGS   as onefold was built
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
if(BUILD)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
  set(where -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)
else()
  set(where -DONEFOLD_SOURCE=${SOURCE})
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${SCRATCH}/build -G ${GENERATOR} ${where}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build --target consumer)
run(${SCRATCH}/build/consumer)

file(READ ${SCRATCH}/build/compile_commands.json commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
set(found FALSE)
foreach(i RANGE ${last})
  string(JSON file GET "${commands}" ${i} file)
  if(file STREQUAL "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
    set(found TRUE)
    string(JSON command GET "${commands}" ${i} command)
    string(REPLACE " ${FLAGS} " " " command "${command}")
    if(command MATCHES " (-[mfWO][^ ]*)")
      message(FATAL_ERROR "${CMAKE_MATCH_1} reaches those who use the library:\n${command}")
    endif()
  endif()
endforeach()
if(NOT found)
  message(FATAL_ERROR "main.cpp was not compiled")
endif()
if(BUILD)
  file(GLOB_RECURSE exported ${SCRATCH}/prefix/*.cmake)
  foreach(path IN LISTS exported)
    file(READ ${path} text)
    if(text MATCHES "INTERFACE_COMPILE_OPTIONS|-march|-ffast-math|onefold_flags")
      message(FATAL_ERROR "${path} exports ${CMAKE_MATCH_0}")
    endif()
  endforeach()
endif()
