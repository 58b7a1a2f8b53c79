// Stops programs that are not compiled as C++20 with one line. Only a missing file ends a
// compilation at once: after #error it goes on and prints an error for every concept and span.
#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#include <Onefold needs C++20: compile with -std=c++20>
#endif
