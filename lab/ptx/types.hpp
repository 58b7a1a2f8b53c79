// The integer types of <cstdint>, which both compilers' preludes declare. They are those of the
// host, which names kernels by them.
#pragma once

#define ONEFOLD_LAB_TYPES                                                                    \
  "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"                \
  "typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;\n"  \
  "typedef unsigned int uint32_t; typedef unsigned long uint64_t;\n"                         \
  "typedef long intptr_t; typedef unsigned long uintptr_t; typedef long intmax_t;\n"         \
  "typedef unsigned long uintmax_t; typedef long ptrdiff_t; typedef long ssize_t;\n"         \
  "typedef int8_t int_least8_t, int_fast8_t; typedef uint8_t uint_least8_t, uint_fast8_t;\n" \
  "typedef int16_t int_least16_t; typedef uint16_t uint_least16_t;\n"                        \
  "typedef int32_t int_least32_t; typedef uint32_t uint_least32_t;\n"                        \
  "typedef int64_t int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t;\n"               \
  "typedef uint64_t uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t;\n"          \
  "typedef unsigned int uint; typedef unsigned char uchar; typedef unsigned short ushort;\n"
