// f32 and f64 with each rounding, the library, conversions.
__global__ void k(float* y, double* d, int* q, float a, float b, double x) {
  if (threadIdx.x) return;
  y[0] = a / b; y[1] = sqrtf(a); y[2] = rsqrtf(a); y[3] = __fdividef(a, b); y[4] = fmaf(a, b, 1.f); y[5] = __fadd_rd(a, b); y[6] = __fmul_ru(a, b);
  y[7] = __fsqrt_rz(a); y[8] = __frcp_rn(b); y[9] = sinf(a); y[10] = cosf(a); y[11] = tanf(a); y[12] = expf(b); y[13] = logf(a); y[14] = powf(a, b);
  y[15] = __sinf(b); y[16] = __expf(b); y[17] = __logf(a); y[18] = __powf(a, b); y[19] = tanhf(b); y[20] = erff(b); y[21] = floorf(a); y[22] = ceilf(a); y[23] = roundf(a);
  y[24] = truncf(a); y[25] = rintf(a); y[26] = fmodf(a, b); y[27] = fminf(a, b); y[28] = fmaxf(a, b); y[29] = fabsf(-a); y[30] = copysignf(a, -b); y[31] = __saturatef(a);
  y[32] = cbrtf(a); y[33] = exp2f(b); y[34] = log2f(a); y[35] = log10f(a); y[36] = hypotf(a, b); y[37] = atan2f(a, b); y[38] = ldexpf(a, 3); y[39] = lgammaf(a);
  y[41] = norm3df(a, b, 1.f); y[42] = erfcf(b); y[43] = __tanf(b); y[44] = asinf(b); y[45] = acosf(b); y[46]=atanf(a); y[47] = sinhf(b);
  d[0] = x / 3.0; d[1] = sqrt(x); d[2] = sin(x); d[3] = exp(x); d[4] = log(x); d[5] = pow(x, 2.5); d[6] = fma(x, x, 1.0); d[7] = __dadd_rd(x, 1e-20); d[8] = rsqrt(x); d[9] = floor(x); d[10] = fmod(x, 0.7); d[11] = tgamma(x); d[12] = erf(x); d[13] = cbrt(x); d[14] = tanh(x); d[15] = atan2(x, 2.);
  q[1] = __float2int_rn(a); q[2] = __float2int_rz(a); q[3] = (int)x; q[4] = __float_as_int(a); q[5] = __double2int_rd(x); q[6] = isnan(a / 0.f - a / 0.f); q[7] = isinf(a / 0.f); q[8] = (a < b) + 2 * (a != b); q[9] = __double2hiint(x); q[10] = signbit(-a); q[11] = (int)(unsigned char)(a);
  y[48] = __int2float_rn(q[1]); y[49] = (float)x; y[50] = __ull2float_rn(1ull << 60 | 1); y[51] = __uint2float_rz(0xffffffffu);
}
