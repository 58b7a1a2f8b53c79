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

# Words that are no names in C++ or Python.
set(ONEFOLD_KEYWORDS alignas alignof and and_eq as asm assert async auto await bitand bitor bool
    break case catch char char16_t char32_t char8_t class co_await co_return co_yield compl
    concept const const_cast consteval constexpr constinit continue decltype def default del
    delete do double dynamic_cast elif else enum except explicit export extern false finally float
    for friend from global goto if import in inline int is lambda long mutable namespace new
    noexcept nonlocal not not_eq nullptr operator or or_eq pass private protected public raise
    register reinterpret_cast requires return short signed sizeof static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename union unsigned
    using virtual void volatile wchar_t while with xor xor_eq yield)

# The file in which a function of C++, a verb of the program or a name of Python's package is called
# `name` already, below Onefold's folder; empty: no file has one.
function(onefold_function_of out name)
  set(root "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..")
  file(GLOB places RELATIVE "${root}" "${root}/onefold/*.hpp" "${root}/cli/verb/*.cpp"
       "${root}/python/onefold/__init__.py" "${root}/python/onefold/${name}.py" "${root}/python/onefold/${name}/__init__.py")
  set(words_of_hpp "^[a-zA-Z].*[ &*]${name}\\(|^(namespace|class|struct|using) ${name}[ ;{]")
  set(words_of_cpp "^const Verb ${name}_verb")
  set(words_of_py "\"${name}\"|def ${name}\\(")
  foreach(place IN LISTS places)
    cmake_path(GET place EXTENSION LAST_ONLY kind)
    string(REPLACE "." "words_of_" kind "${kind}")
    file(STRINGS "${root}/${place}" found REGEX "${${kind}}" LIMIT_COUNT 1)
    if(found OR place MATCHES "^python/onefold/${name}(\\.py|/__init__\\.py)$")
      set(${out} "${place}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

function(onefold_add_entry kind name file)
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "onefold_add_${kind}(${name}): a name has the letters a-z, 0-9 and _, and begins with a letter")
  endif()
  if(name IN_LIST ONEFOLD_KEYWORDS)
    message(FATAL_ERROR "onefold_add_${kind}(${name}): the name is a keyword of C++ or Python")
  endif()
  if(TARGET onefold)
    message(FATAL_ERROR "onefold_add_${kind}(${name}): call it before Onefold is added")
  endif()
  get_property(added GLOBAL PROPERTY ONEFOLD_ADDED_${kind})
  if(name IN_LIST added OR
     EXISTS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../onefold/core/${kind}/${name}.hpp")
    message(FATAL_ERROR "onefold_add_${kind}(${name}): there is one of this name")
  endif()
  if(kind STREQUAL "op")
    onefold_function_of(place "${name}")
    if(place)
      message(FATAL_ERROR "onefold_add_op(${name}): ${place} has this name already")
    endif()
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
