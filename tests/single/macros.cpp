// clang-format off
// The file after macros that headers of platforms define, by the header that has them. The standard
// library's own headers come first, as some of these break them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>

#define small char  // windows.h (rpcndr.h), with its min, max, near, far, interface and others
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define interface struct
#define hyper __int64
#define cdecl __cdecl
#define pascal __stdcall
#define CONST const
#define IN
#define OUT
#define OPTIONAL
#define ERROR 0
#define DOMAIN 1
#define OVERFLOW 3
#define STRICT 1
#define TRUE 1
#define FALSE 0
#define Status int  // X11/Xlib.h
#define Bool int
#define True 1
#define False 0
#define None 0L  // X11/X.h
#define Always 2
#define Above 0
#define Below 1
#define Success 0
#define Unsorted 0
#define Complex 0
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x) - 0.5))  // Arduino.h
#define abs(x) ((x) > 0 ? (x) : -(x))
#define sq(x) ((x) * (x))
#define constrain(v, low, high) ((v) < (low) ? (low) : (v))
#define radians(d) ((d) * 0.01745)
#define degrees(r) ((r) * 57.29)
#define bit(b) (1UL << (b))
#define lowByte(w) ((w) & 0xff)
#define highByte(w) ((w) >> 8)
#define bitRead(value, b) (((value) >> (b)) & 1)
#define word(...) makeWord(__VA_ARGS__)
#define F(text) (text)
#define PI 3.14159
#define E 2.71828
#define HIGH 1
#define LOW 0
#define B1 1
#define DEFAULT 1
#define signals public  // Qt
#define slots
#define emit
#define foreach for
#define major gnu_dev_major  // sys/sysmacros.h, and GNU's own
#define minor gnu_dev_minor
#define unix 1
#define linux 1
#define I _Complex_I  // complex.h
#define complex _Complex
#define MIN(a, b) (a)
#define MAX(a, b) (b)
#define ABS(a) (a)
#define check(x) (x)  // AssertMacros.h of macOS
#define verify(x) (x)
#define require(x, label) (x)
#define nil 0  // objc.h
#define YES 1
#define NO 0

#include "instances.cpp"
