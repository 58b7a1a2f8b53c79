# How our own code is compiled; nothing of this reaches a user of the library.
add_library(onefold_flags INTERFACE)
target_compile_options(onefold_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion
  # Exactness requires that every operation is rounded separately; g++ contracts even intrinsics.
  -ffp-contract=off -fno-fast-math
  # Highway vectors as template arguments and parameters.
  -Wno-ignored-attributes -Wno-psabi)
