// f16 and bf16, one or two to a register.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(float* y, const float* x) {
  if (threadIdx.x) return;
  __half a = __float2half(x[0]), b = __float2half(x[1]);
  y[0] = __half2float(a + b); y[1] = __half2float(a * b); y[2] = __half2float(a / b); y[3] = __half2float(__hfma(a, b, a)); y[4] = __hlt(a, b); y[5] = __half2float(hsqrt(a)); y[6] = __half2float(hexp(b)); y[7] = __half2float(-a); y[8] = __half2float(__hmax(a, b)); y[9] = __half2float(__habs(-b));
  __half2 p = __halves2half2(a, b), q = __hadd2(p, p), r = __hmul2(p, q), s = __hfma2(p, q, r);
  y[10] = __low2float(q); y[11] = __high2float(r); y[12] = __low2float(s); y[13] = __half2float(__hadd_sat(a, b)); y[14] = __half2int_rn(b); y[15] = __hgt2(p, q).x; y[16] = __hbeq2(p, p); y[17] = __half2float(htrunc(b)); y[18] = __half2float(hsin(a)); y[19] = __half2float(hlog(b));
  __nv_bfloat16 c = __float2bfloat16(x[0]), d = __float2bfloat16(x[1]);
  y[20] = __bfloat162float(c + d); y[21] = __bfloat162float(c * d); y[22] = __bfloat162float(__hfma(c, d, c)); y[23] = __bfloat162float(c / d); y[24] = c < d; y[25] = __bfloat162float(hexp(d)); y[26] = __bfloat162float(__hmax(c, d));
  __nv_bfloat162 e = __halves2bfloat162(c, d); e = __hadd2(e, e); e = __hfma2(e, e, e); y[27] = __low2float(e); y[28] = __high2float(e);
  y[29] = __half2float(__float2half_rz(x[2])); y[30] = __half2float(__float2half_ru(x[2])); y[31] = __bfloat162float(__float2bfloat16_rd(x[2]));
  y[32] = __half2float(__short2half_rn(7)); y[33] = __half2float(__uint2half_rn(70000u)); y[34] = __half2float(h2rcp(p).x); y[35] = __half2float(hrcp(b)); y[36] = __hisnan(a); y[37] = __half2float(hcos(a)); y[38] = __half2float(h2exp2(p).y); y[39]=__half2float(htanh(b));
}
__global__ void at(__half* h, __half2* h2, __nv_bfloat16* b) { atomicAdd(h, __float2half(1.f)); atomicAdd(h2, __floats2half2_rn(1.f, 2.f)); atomicAdd(b, __float2bfloat16(1.f)); }
