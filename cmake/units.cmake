# Several files are compiled as one object: most of a file's time goes into the headers that it shares with its
# neighbours. -DONEFOLD_UNITS=OFF compiles each alone, which shows whether it includes what it needs.
option(ONEFOLD_UNITS "Compile several files of a folder as one object" ON)

# Sets OUT to whether a file must stay alone: Highway compiles it again for each instruction set, or its name or that of
# its folder is one of ALONE.
function(onefold_is_alone out file)  # ALONE ...
  file(STRINGS ${file} again REGEX "foreach_target.h" LIMIT_COUNT 1)
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  cmake_path(GET file STEM stem)
  if(again OR name IN_LIST ARGN OR stem IN_LIST ARGN)
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Joins the files of a target: at most SIZE neighbours of a folder. Alone stay files with options of their
# own, those that Highway compiles again for each instruction set, and those of ALONE, by their
# names or those of their folders: lists, whose files define the same names.
function(onefold_units target size)  # ALONE ...
  if(NOT ONEFOLD_UNITS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  foreach(file IN LISTS sources)
    get_property(options SOURCE ${file} PROPERTY COMPILE_OPTIONS)
    get_property(definitions SOURCE ${file} PROPERTY COMPILE_DEFINITIONS)
    get_property(made SOURCE ${file} PROPERTY GENERATED)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    set(alone ${made})
    if(NOT made)
      onefold_is_alone(alone ${file} ${ARGN})
    endif()
    if(options OR definitions OR alone)
      set_property(SOURCE ${file} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" room)
    if(NOT DEFINED count_${room})
      set(count_${room} 0)
    endif()
    math(EXPR unit "${count_${room}} / ${size}")
    math(EXPR count_${room} "${count_${room}} + 1")
    set_property(SOURCE ${file} PROPERTY UNITY_GROUP "${name}_${unit}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID ONEFOLD_FILE)
endfunction()
