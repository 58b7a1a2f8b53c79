# Installs, and compiles main.c by what pkg-config says: with libonefold.so.1, and with libonefold.a.
#   BUILD SCRATCH CC FLAGS PKG_CONFIG LIBDIR
file(REMOVE_RECURSE ${SCRATCH})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/first OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${SCRATCH}/first ${SCRATCH}/prefix)  # an installed tree may be moved
set(ENV{PKG_CONFIG_PATH} ${SCRATCH}/prefix/${LIBDIR}/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${SCRATCH}/prefix/${LIBDIR})
foreach(kind IN ITEMS shared static)
  set(how --cflags --libs)
  if(kind STREQUAL static)
    list(APPEND how --static)
  endif()
  execute_process(COMMAND ${PKG_CONFIG} ${how} onefold OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  if(kind STREQUAL static)  # of the two libraries of that name, the archive
    string(REPLACE "-lonefold" "-l:libonefold.a" words "${words}")
  endif()
  separate_arguments(words UNIX_COMMAND "${FLAGS} ${words}")
  execute_process(COMMAND ${CC} -std=c99 -pedantic -Wall -Wextra -Werror ${CMAKE_CURRENT_LIST_DIR}/main.c
                  -o ${SCRATCH}/${kind} ${words} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${SCRATCH}/${kind} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
