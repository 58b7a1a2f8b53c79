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

// What kernels use most of C++'s library, of which NVRTC has nothing.
#define ONEFOLD_LAB_STD                                                                       \
  "namespace std {\n"                                                                         \
  "using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::int16_t; using ::int32_t;\n"    \
  "using ::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;\n" \
  "template <class T, T v> struct integral_constant { static constexpr T value = v; };\n"     \
  "using true_type = integral_constant<bool, true>;\n"                                        \
  "using false_type = integral_constant<bool, false>;\n"                                      \
  "template <class A, class B> struct is_same : false_type {};\n"                             \
  "template <class A> struct is_same<A, A> : true_type {};\n"                                 \
  "template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;\n"     \
  "template <bool, class T = void> struct enable_if {};\n"                                    \
  "template <class T> struct enable_if<true, T> { using type = T; };\n"                       \
  "template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;\n"   \
  "template <bool, class A, class B> struct conditional { using type = A; };\n"               \
  "template <class A, class B> struct conditional<false, A, B> { using type = B; };\n"        \
  "template <bool b, class A, class B>\n"                                                     \
  "using conditional_t = typename conditional<b, A, B>::type;\n"                              \
  "template <class T> T&& declval(); template <class T> T onefold_value(const T&);\n"         \
  "template <class A, class B> struct common_type {\n"                                        \
  "  using type = decltype(onefold_value(true ? declval<A>() : declval<B>())); };\n"          \
  "template <class A, class B> using common_type_t = typename common_type<A, B>::type;\n"     \
  "}\n"
