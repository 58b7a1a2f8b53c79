# A folder is a list: one file per entry, file stem = name.

# Writes generated/<prefix>/<name>.list (a line ONEFOLD_ENTRY(stem) per file) and, for headers,
# <name>.inl, which includes them all. Both change only when the folder does. More folders may follow,
# and files that a project has added (add_op.cmake) are in the list, too.
function(onefold_list name folder pattern prefix out)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE globs)
  list(TRANSFORM globs APPEND "/${pattern}")
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/${pattern}" ${globs})
  get_property(added GLOBAL PROPERTY ONEFOLD_ADDED_${name})
  foreach(entry IN LISTS added)
    get_property(file GLOBAL PROPERTY ONEFOLD_ADDED_${name}_${entry})
    set(copy "${PROJECT_BINARY_DIR}/include/${folder}/${entry}.hpp")
    configure_file("${file}" "${copy}" COPYONLY)
    list(APPEND files "${copy}")
  endforeach()
  list(SORT files COMPARE FILE_BASENAME)
  set(names "")
  set(includes "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM stem)
    if(NOT stem MATCHES "^[a-z][a-z0-9_]*$")
      message(FATAL_ERROR "${file}: the file stem is a C++ name: a-z, 0-9 and _")
    endif()
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    string(REGEX REPLACE "^.*/include/" "" path "${path}")
    string(APPEND names "ONEFOLD_ENTRY(${stem})\n")
    string(APPEND includes "#include \"${path}\"\n")
  endforeach()
  set(target "${PROJECT_BINARY_DIR}/${prefix}/${name}")
  file(CONFIGURE OUTPUT "${target}.list" CONTENT "${names}" @ONLY)
  if(pattern STREQUAL "*.hpp")
    file(CONFIGURE OUTPUT "${target}.inl" CONTENT "${includes}" @ONLY)
  endif()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# What the tops of onefold/core/op/*.hpp say of type, empty, NaN and exactness, for help() in
# Python: generated/op_facts.inl has a line ONEFOLD_OP_FACTS(stem, "...") per op.
function(onefold_op_facts)
  set(all "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM stem)
    file(STRINGS ${file} lines REGEX "^//   (type|empty|NaN|exact) ")
    set(text "")
    foreach(line IN LISTS lines)
      string(SUBSTRING "${line}" 5 -1 line)
      string(APPEND text "${line}\\n")
    endforeach()
    string(REPLACE "\"" "\\\"" text "${text}")
    string(APPEND all "ONEFOLD_OP_FACTS(${stem}, \"${text}\")\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/op_facts.inl CONTENT "${all}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()

# One translation unit per hot feed; Highway includes the generated file again for each
# instruction set.
function(onefold_feed_units out)
  set(units "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM stem)
    set(unit "${PROJECT_BINARY_DIR}/generated/feed/${stem}.cpp")
    file(CONFIGURE OUTPUT "${unit}" @ONLY CONTENT
"#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \"generated/feed/${stem}.cpp\"
#define ONEFOLD_FEED_NAME ${stem}
#define ONEFOLD_FEED_FILE \"onefold/cpu/feed/${stem}.inl\"
#include <hwy/foreach_target.h>
#include \"onefold/cpu/feed_unit.inl\"
")
    list(APPEND units "${unit}")
  endforeach()
  set(${out} "${units}" PARENT_SCOPE)
endfunction()

# One source that holds the texts of headers for run-time compilation, given by `function`.
function(onefold_embed function out)
  set(target "${PROJECT_BINARY_DIR}/generated/${function}.cpp")
  set(bases "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/include")
  add_custom_command(OUTPUT "${target}"
    DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${ARGN}" "-DBASES=${bases}" "-DFUNCTION=${function}"
            "-DOUT=${target}" "-DPLAIN=${ONEFOLD_EMBED_PLAIN}"
            -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
  set_source_files_properties("${target}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  set(${out} "${target}" PARENT_SCOPE)
endfunction()

# The headers of the library, and those that follow: of the lists.
function(onefold_embed_headers out)
  set(base "${PROJECT_SOURCE_DIR}")
  file(GLOB files CONFIGURE_DEPENDS ${base}/onefold/core/*.hpp ${base}/onefold/core/*.def
       ${base}/onefold/core/exact/*.hpp ${base}/onefold/core/exponential/*.hpp
       ${base}/onefold/core/quantile/*.hpp ${base}/onefold/core/layer_norm/*.hpp ${base}/onefold/core/layer_norm/*.inl
       ${base}/onefold/core/formula/*.hpp
       ${base}/onefold/core/exact/*.inl ${base}/onefold/core/exponential/*.inl ${base}/onefold/core/formula/*.inl ${base}/onefold/machine/machine.hpp ${base}/onefold/machine/*.cuh
       ${base}/onefold/cuda/kernel/*.hpp ${base}/onefold/cuda/kernel/*/*.hpp)
  list(APPEND files ${ARGN})
  set(lists "${PROJECT_BINARY_DIR}/include/onefold/generated")
  foreach(list accumulator pair op)
    list(APPEND files "${lists}/${list}.list" "${lists}/${list}.inl")
  endforeach()
  set(ONEFOLD_EMBED_PLAIN ON)  # nobody reads them
  onefold_embed(device_headers source ${files})
  set(${out} "${source}" PARENT_SCOPE)
endfunction()
