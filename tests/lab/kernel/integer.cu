// Integers of every width.
#include <cstdint>
__global__ void k(int* y, unsigned* u, long long* l, unsigned long long* v, int a, int b) {
  int i = threadIdx.x;
  if (i) return;
  y[0] = a / b; y[1] = a % b; y[2] = a >> 3; y[3] = a << 3; y[4] = __popc(a); y[5] = __clz(a); y[6] = __ffs(a);
  y[7] = __brev(a); y[8] = __mulhi(a, b); y[9] = __byte_perm(a, b, 0x5410); y[10] = min(a, b); y[11] = max(a, b);
  y[12] = abs(a); y[13] = __sad(a, b, 5u); y[14] = __usad(a, b, 5u); y[15] = __funnelshift_l(a, b, 7);
  y[16] = __mul24(a, b); y[17] = __hadd(a, b); y[18] = __rhadd(a, b); y[19] = __dp4a(a, b, 3);
  u[0] = __umulhi(a, b); u[1] = (unsigned)a / (unsigned)b; u[2] = (unsigned)a % 7u; u[3] = __funnelshift_r(a, b, 9);
  l[0] = (long long)a * b; l[1] = ((long long)a << 33) / b; l[2] = ((long long)a << 33) % 1000003; l[3] = __mul64hi((long long)a << 40, (long long)b << 30);
  l[4] = __clzll(l[0]); l[5] = __popcll(l[0]); l[6] = __ffsll(l[1]); l[7] = __brevll(l[0]);
  v[0] = __umul64hi((unsigned long long)a << 40, (unsigned long long)b << 30);
  v[1] = ((unsigned long long)a << 30) / (unsigned)b; v[2] = (unsigned __int128)v[0] * v[1] >> 64;
  short s = (short)a; signed char c = (signed char)b; unsigned char d = (unsigned char)a;
  y[20] = s * c; y[21] = s + d; y[22] = (short)(s << 3); y[23] = (signed char)(c + d);
}
