# A project's own ops and accumulators in its build of Onefold. Include this file and call these
# before Onefold is added; docs/start/cpp.md has an example.
#   onefold_add_op(NAME file.hpp)            onefold::op::NAME_, as in onefold/core/op/
#   onefold_add_accumulator(NAME file.hpp)   as in onefold/core/accumulator/
#   onefold_add_pair(NAME file.hpp)          an accumulator of two arrays, as in onefold/core/pair/
# A build has its files as onefold/core/op/NAME.hpp, and installs them so.
function(onefold_add_op name file)
  onefold_add_entry(op "${name}" "${file}")
endfunction()
function(onefold_add_accumulator name file)
  onefold_add_entry(accumulator "${name}" "${file}")
endfunction()
function(onefold_add_pair name file)
  onefold_add_entry(pair "${name}" "${file}")
endfunction()

function(onefold_add_entry kind name file)
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "onefold_add_${kind}(${name}): a name has the letters a-z, 0-9 and _, and begins with a letter")
  endif()
  if(TARGET onefold)
    message(FATAL_ERROR "onefold_add_${kind}(${name}): call it before Onefold is added")
  endif()
  get_property(added GLOBAL PROPERTY ONEFOLD_ADDED_${kind})
  if(name IN_LIST added OR
     EXISTS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../onefold/core/${kind}/${name}.hpp")
    message(FATAL_ERROR "onefold_add_${kind}(${name}): there is one of this name")
  endif()
  get_filename_component(file "${file}" ABSOLUTE)
  if(NOT EXISTS "${file}" OR IS_DIRECTORY "${file}")
    message(FATAL_ERROR "onefold_add_${kind}(${name}): there is no file ${file}")
  endif()
  if(kind STREQUAL "op")
    set(struct "${name}_")
  else()
    set(struct "${name}")
  endif()
  file(STRINGS "${file}" found REGEX "struct ${struct}( |$|{)" LIMIT_COUNT 1)
  if(NOT found)
    message(FATAL_ERROR "onefold_add_${kind}(${name}): ${file} does not define `struct ${struct}`")
  endif()
  set_property(GLOBAL APPEND PROPERTY ONEFOLD_ADDED_${kind} "${name}")
  set_property(GLOBAL PROPERTY ONEFOLD_ADDED_${kind}_${name} "${file}")
endfunction()
