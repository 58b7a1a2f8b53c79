# Run as a script: writes the text of headers into a C++ source, for run-time compilation.
#   FILES  the headers; BASES  folders that their names are relative to; FUNCTION  that gives them,
#   and FUNCTION_digest, which gives the SHA-256 of all; OUT  the source
#   PLAIN  where it is on, lines of comments are left empty: a quarter of what headers are, packed
cmake_minimum_required(VERSION 3.25)
set(text "// Made by cmake/embed.cmake.\n#include \"onefold/system/jit/nvrtc.hpp\"\nnamespace onefold::jit {\nnamespace {\nconst Header headers[] = {\n")
foreach(file IN LISTS FILES)
  foreach(base IN LISTS BASES)
    cmake_path(IS_PREFIX base "${file}" inside)
    if(inside)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${base}" OUTPUT_VARIABLE name)
    endif()
  endforeach()
  file(READ "${file}" body)
  if(PLAIN)
    string(REGEX REPLACE "(^|\n)[ \t]*//[^\n]*" "\\1" body "${body}")
  endif()
  string(APPEND text "{\"${name}\", R\"embedded(${body})embedded\"},\n")
endforeach()
string(SHA256 digest "${text}")
string(APPEND text "};\n}\nstd::span<const Header> ${FUNCTION}() { return headers; }\n"
                   "const char* ${FUNCTION}_digest() { return \"${digest}\"; }\n}\n")
file(WRITE "${OUT}" "${text}")
