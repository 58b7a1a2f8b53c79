// Words of bytes and halves, vectors of helper_math.h, and what main() asks of a kernel.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lab/kernel_verdict.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// Runs a kernel that counts in bad[0] what is wrong, for each compiler.
void expect_none_bad(const std::string& text, const std::string& launch) {
  for (const std::string& compiler : compilers()) {
    const Scratch file(text, ".cu");
    KernelOptions o = options(file.path, launch, "bad:i32[1]=zeros");
    o.compiler = compiler;
    o.expect = {"bad[0]==0"};
    const KernelResult r = run_kernel(o);
    EXPECT_EQ(verdict_of(r), Verdict::clean) << compiler << ": " << why(r);
  }
}

TEST(KernelVectors, OfBytesAndHalvesAreComputedByLanes) {
  std::string text =
      "template <class T, class F> __device__ unsigned lanes(unsigned x, unsigned y, F f) {\n"
      "  unsigned v = 0;\n  const int bits = 8 * sizeof(T);\n"
      "  for (int k = 0; k < 32; k += bits)\n"
      "    v |= ((unsigned)f((int)(T)(x >> k), (int)(T)(y >> k)) & (1u << bits) - 1) << k;\n"
      "  return v;\n}\n"
      "template <class T> __device__ unsigned sad(unsigned x, unsigned y) {\n  unsigned v = 0;\n"
      "  for (int k = 0; k < 32; k += 8 * sizeof(T))\n"
      "    v += abs((int)(T)(x >> k) - (int)(T)(y >> k));\n  return v;\n}\n"
      "#define SAME(a, b) if ((a) != (b)) atomicAdd(bad, 1);\n"
      "#define IS(name, s, e) \\\n"
      "  SAME(name##4(x, y), lanes<s char>(x, y, [](int a, int b) { return e; })) \\\n"
      "  SAME(name##2(x, y), lanes<s short>(x, y, [](int a, int b) { return e; }))\n"
      "__global__ void k(int* bad) {\n"
      "  unsigned i = threadIdx.x, x = i * 2654435761u, y = i * 2246822519u ^ x >> 7;\n"
      "  if (i == 0) x = 0x7f80ff01, y = 0x80807fff;\n";
  for (const char* is :
       {"__vabsdiffu, unsigned, a < b ? b - a : a - b", "__vadd, unsigned, a + b",
        "__vsub, unsigned, a - b", "__vhaddu, unsigned, (a + b) >> 1",
        "__vavgu, unsigned, (a + b + 1) >> 1", "__vavgs, signed, (a + b + (a + b >= 0)) >> 1",
        "__vmaxu, unsigned, max(a, b)", "__vmaxs, signed, max(a, b)",
        "__vminu, unsigned, min(a, b)", "__vmins, signed, min(a, b)",
        "__vabsdiffs, signed, a < b ? b - a : a - b", "__vsubus, unsigned, a > b ? a - b : 0",
        "__vcmpeq, unsigned, -(a == b)", "__vcmpgts, signed, -(a > b)",
        "__vsetleu, unsigned, a <= b"}) {
    text += std::string("  IS(") + is + ")\n";
  }
  text +=
      "  SAME(__vsadu4(x, y), sad<unsigned char>(x, y))\n"
      "  SAME(__vsads4(x, y), sad<signed char>(x, y))\n"
      "  SAME(__vsadu2(x, y), sad<unsigned short>(x, y))\n"
      "  SAME(__vsads2(x, y), sad<short>(x, y))\n"
      "  SAME(__vaddus4(x, y),\n"
      "       lanes<unsigned char>(x, y, [](int a, int b) { return min(a + b, 255); }))\n"
      "  SAME(__vaddss4(x, y), lanes<signed char>(x, y,\n"
      "       [](int a, int b) { return max(-128, min(a + b, 127)); }))\n"
      "  SAME(__vsubss2(x, y), lanes<short>(x, y,\n"
      "       [](int a, int b) { return max(-32768, min(a - b, 32767)); }))\n"
      "  SAME(__vneg4(x), __vsub4(0, x))\n"
      "  SAME(__vnegss4(x), lanes<signed char>(x, 0, [](int a, int) { return min(-a, 127); }))\n"
      "  SAME(__vabsss2(x),\n"
      "       lanes<short>(x, 0, [](int a, int) { return min(abs(a), 32767); }))\n"
      "  SAME(__vabsss4(0x80ff7f01), 0x7f017f01u)\n  SAME(__vnegss2(0x80000001), 0x7fffffffu)\n"
      "  SAME(__vabs2(x), lanes<short>(x, 0, [](int a, int) { return a < 0 ? -a : a; }))\n}\n";
  expect_none_bad(text, "k<<<1, 128>>>(bad)");
}

TEST(KernelVectors, OfHalvesAndBytesAreMultipliedAndBitsAreFound) {
  expect_none_bad(
      "#define SAME(a, b) if ((a) != (b)) atomicAdd(bad, 1);\n__global__ void k(int* bad) {\n"
      "  SAME(__dp2a_lo((int)0xffff0003, (int)0x7fff02fe, 100), 100 - 2 - 6)\n"
      "  SAME(__dp2a_hi((int)0xffff0003, (int)0x7fff02fe, 100), 100 - 127 - 3)\n"
      "  SAME(__dp2a_lo(0xffff0003u, 0x7fff02feu, 1u), 1 + 2 * 65535u + 3 * 254)\n"
      "  SAME(__dp2a_hi(0xffff0003u, 0x7fff02feu, 1u), 1 + 127 * 65535u + 3 * 255)\n"
      "  SAME(__fns(0xa5u, 0, 2), 2u)\n  SAME(__fns(0xa5u, 7, -3), 2u)\n"
      "  SAME(__fns(0xa5u, 1, 0), ~0u)\n  SAME(__fns(0xa5u, 2, 0), 2u)\n"
      "  SAME(__fns(0xa5u, 0, 5), ~0u)\n}\n",
      "k<<<1, 1>>>(bad)");
}

TEST(KernelVectors, OfTwoWordsAreDivided) {
  expect_none_bad(
      "__global__ void k(int* bad) {\n  unsigned long long i = threadIdx.x + 1;\n"
      "  unsigned __int128 a = (unsigned __int128)(i * 0x9e3779b97f4a7c15) << 64 | i * i;\n"
      "  unsigned __int128 b = i % 3 == 0 ? a / 3 : i % 3 == 1 ? i * 2654435761u : ~a << 3;\n"
      "  if (a / b * b + a % b != a || a % b >= b) atomicAdd(bad, 1);\n"
      "  __int128 c = a, d = b, r = c % d, size = d < 0 ? -d : d;\n"
      "  if (c / d * d + r != c || (r < 0 ? -r : r) >= size) atomicAdd(bad, 1);\n"
      "  if (r != 0 && (r < 0) != (c < 0)) atomicAdd(bad, 1);\n}\n",
      "k<<<1, 64>>>(bad)");
}

// Vector instructions of PTX that compilers may write, with signs, saturation and a sum.
TEST(KernelVectors, OfPtxSaturateAndAddUp) {
  const auto with = [](const std::string& op, const std::string& x, const std::string& y,
                       const std::string& z, const std::string& v) {
    return "  { unsigned v; asm(\"" + op + " %0, %1, %2, %3;\" : \"=r\"(v) : \"r\"(" + x +
           "), \"r\"(" + y + "), \"r\"(" + z + ")); if (v != " + v + ") atomicAdd(bad, 1); }\n";
  };
  expect_none_bad(
      "__global__ void k(int* bad) {\n" +
          with("vadd4.u32.u32.u32", "0xff018002u", "0x02010103u", "0", "0x01028105u") +
          with("vadd4.u32.u32.u32.sat", "0xff018002u", "0x02010103u", "0", "0xff028105u") +
          with("vsub2.s32.s32.s32.sat", "0x80000005u", "0x00010007u", "0", "0x8000fffeu") +
          with("vsub4.u32.u32.u32.sat", "0x05000201u", "0x01010102u", "0", "0x04000100u") +
          with("vabsdiff4.u32.u32.u32.add", "0x01020304u", "0x04030201u", "100", "108u") +
          with("vavrg4.s32.s32.s32", "0xff0003feu", "0xfe0104ffu", "0", "0xfe0104feu") +
          with("vmin2.s32.s32.s32", "0xffff0001u", "0x00010000u", "0", "0xffff0000u") +
          with("vmax4.u32.u32.u32", "0xff000102u", "0x01ff0201u", "0", "0xffff0202u") + "}\n",
      "k<<<1, 1>>>(bad)");
}

const char* const vectors =
    "  float3 a = make_float3(1, 2, 3), b = make_float3(2.0f);\n"
    "  a += b * 2.0f;\n  a = a - make_float3(1, 1, 1) / 2.0f;\n  a.x -= 0.5f;\n"
    "  ok = ok && dot(a, b) == 32 && length(make_float3(2, 3, 6)) == 7;\n"
    "  int4 i = make_int4(1, -2, 3, 4) + make_int4(5);\n  i -= make_int4(1, 1, 1, 1);\n  i *= 2;\n"
    "  ok = ok && i.x == 10 && i.y == 4 && i.z == 14 && dot(i, make_int4(1)) == 44;\n"
    "  int2 m = max(make_int2(1, 7), make_int2(3, 2)) - 1;\n  ok = ok && m.x == 2 && m.y == 6;\n"
    "  float2 h = -fminf(make_float2(1, 5), make_float2(4, 2));\n"
    "  ok = ok && h.x == -1 && h.y == -2 && lerp(h, make_float2(1, 2), 0.5f).x == 0;\n"
    "  float4 f = make_float4(make_int4(1, 2, 3, 4));\n  f /= 2.0f;\n"
    "  ok = ok && f.w == 2 && (1.0f / f).x == 2 && clamp(f, 1.0f, 1.5f).z == 1.5f;\n"
    "  ok = ok && smoothstep(2.0f, 4.0f, 3.0f) == 0.5f && smoothstep(0.0f, 1.0f, 7.0f) == 1;\n"
    "  ok = ok && smoothstep(make_float3(0.0f), make_float3(16.0f), a).x == 0.15625f;\n"
    "  ok = ok && clamp(make_int3(-5, 3, 9), 0, 7).z == 7 && clamp(i, i, i - 1).x == i.x;\n"
    "  float3 c = cross(make_float3(1, 0, 0), make_float3(0, 1, 0));\n"
    "  ok = ok && c.z == 1 && normalize(c * 5.0f).z == 1 && make_uint3(make_uint2(1, 2), 3).z == "
    "3;\n";

TEST(KernelVectors, OfHelperMathAreAddedAndMultiplied) {
  expect_none_bad("#include \"helper_math.h\"\n__global__ void k(int* bad) {\n  bool ok = true;\n" +
                      std::string(vectors) + "  if (!ok) atomicAdd(bad, 1);\n}\n",
                  "k<<<1, 1>>>(bad)");
}

TEST(KernelVectors, OfHelperMathAreThoseOfMain) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <helper_math.h>\n__global__ void k(float3* y) { y[0] = 2.0f * y[0] + y[1]; }\n"
      "int main() {\n  bool ok = true;\n" +
      std::string(vectors) +
      "  float3 *d, v[2] = {make_float3(1, 2, 3), make_float3(4.0f)};\n  cudaMalloc(&d, sizeof "
      "v);\n"
      "  cudaMemcpy(d, v, sizeof v, cudaMemcpyHostToDevice);\n  k<<<1, 1>>>(d);\n"
      "  cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost);\n  cudaFree(d);\n"
      "  return !ok || dot(v[0], make_float3(1, 10, 100)) != 1086;\n}\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(KernelVectors, AreThoseOfTheUsersOwnHelperMath) {
  const Scratch own("", ".folder");
  std::remove(own.path.c_str());
  std::filesystem::create_directory(own.path);
  const std::string header = own.path + "/helper_math.h", main = own.path + "/k.cu";
  std::ofstream(header) << "inline __device__ int mine() { return 5; }\n";
  std::ofstream(main) << "#include \"helper_math.h\"\n"
                         "__global__ void k(int* y) { *y = mine(); }\n";
  for (const std::string& compiler : compilers()) {
    KernelOptions o = options(main, "k<<<1, 1>>>(y)", "y:i32[1]");
    o.compiler = compiler;
    o.expect = {"y[0]==5"};
    EXPECT_EQ(verdict_of(run_kernel(o)), Verdict::clean) << compiler;
  }
  std::filesystem::remove_all(own.path);
}

TEST(KernelFacts, AreToldToMain) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "__constant__ float w[3] = {1, 2, 3};\n"
      "__global__ void __launch_bounds__(256) k(float* y) {\n  __shared__ float s[32];\n"
      "  s[threadIdx.x % 32] = w[threadIdx.x % 3];\n  __syncthreads();\n"
      "  y[threadIdx.x] = s[0];\n}\n"
      "int main() {\n  cudaFuncAttributes a;\n"
      "  if (cudaFuncGetAttributes(&a, k) != cudaSuccess) return 1;\n"
      "  if (a.sharedSizeBytes != 128 || a.maxThreadsPerBlock != 256 || a.numRegs < 1) return 2;\n"
      "  if (a.constSizeBytes < 12 || a.maxDynamicSharedSizeBytes != 49152 - 128) return 3;\n"
      "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);\n"
      "  cudaFuncGetAttributes(&a, (const void*)k);\n"
      "  float* y;\n  cudaMalloc(&y, 128);\n  k<<<1, 32>>>(y);\n  cudaFree(y);\n"
      "  return a.maxDynamicSharedSizeBytes == 60000 ? 0 : 4;\n}\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
  for (const char* call : {"cudaFuncGetAttributes(nullptr, k)", "cudaGetDeviceCount(nullptr)",
                           "cudaGetDeviceProperties(nullptr, 0)", "cudaMalloc((int**)nullptr, 4)",
                           "cudaStreamCreate(nullptr)", "cudaEventCreate(nullptr)"}) {
    const RanMain nothing = run_text(
        "__global__ void k() {}\nint main() {\n  k<<<1, 1>>>();\n"
        "  cudaDeviceSynchronize();\n  return " +
        std::string(call) + " != cudaErrorInvalidValue;\n}\n");
    EXPECT_EQ(verdict_of(nothing.result), Verdict::flaw) << call;
    EXPECT_TRUE(nothing.result.expectations[0].holds) << call;
  }
  const RanMain wrong = run_text(
      "__global__ void k() {}\nint main() {\n  k<<<1, 1>>>();\n  cudaDeviceSynchronize();\n"
      "  cudaFuncAttributes a;\n  int x;\n  return cudaFuncGetAttributes(&a, &x) != 98;\n}\n");
  EXPECT_EQ(verdict_of(wrong.result), Verdict::flaw) << why(wrong.result);
}

TEST(HostMemory, IsFilledByRowsInAStream) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "int main() {\n  char *d, h[1024];\n  size_t pitch;\n  cudaStream_t s;\n"
      "  cudaStreamCreate(&s);\n  cudaMallocPitch(&d, &pitch, 100, 2);\n"
      "  cudaMemset(d, 1, 2 * pitch);\n  cudaMemset2DAsync(d, pitch, 7, 3, 2, s);\n"
      "  cudaStreamSynchronize(s);\n  cudaMemcpy(h, d, 1024, cudaMemcpyDeviceToHost);\n"
      "  cudaFree(d);\n  cudaStreamDestroy(s);\n"
      "  return h[2] != 7 || h[3] != 1 || h[514] != 7 || h[515] != 1;\n}\n");
  EXPECT_EQ(r.result.expected(), true) << why(r.result);
}

TEST(HostMemory, IsCopiedFromAndToVariables) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "__constant__ float w[4];\n__device__ float d[4];\n"
      "__global__ void k(float* y) { y[threadIdx.x] = w[threadIdx.x] + d[threadIdx.x]; }\n"
      "int main() {\n  float h[4] = {1, 2, 3, 4}, g[4], *y;\n  cudaMalloc(&y, 16);\n"
      "  if (cudaMemcpyToSymbol(w, h, 16, 0, cudaMemcpyDefault)) return 1;\n"
      "  cudaMemcpy(y, h, 16, cudaMemcpyHostToDevice);\n"
      "  if (cudaMemcpyToSymbol(d, y, 12, 4, cudaMemcpyDeviceToDevice)) return 2;\n"
      "  k<<<1, 4>>>(y);\n  if (cudaMemcpyFromSymbol(g, d, 16)) return 3;\n"
      "  if (g[1] != 1 || g[3] != 3) return 4;\n"
      "  if (cudaMemcpyFromSymbol(y, d, 8, 4, cudaMemcpyDeviceToDevice)) return 5;\n"
      "  cudaMemcpy(g, y, 16, cudaMemcpyDeviceToHost);\n  cudaFree(y);\n"
      "  return g[0] != 1 || g[1] != 2 || g[3] != 7;\n}\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(HostMemory, IsFilledAndCopiedByBoxes) {
  NEEDS_CLANG();
  const auto text = [](const std::string& fill, const std::string& copy) {
    return "int main() {\n  cudaPitchedPtr d;\n  char h[24] = {};\n  cudaStream_t s;\n"
           "  cudaStreamCreate(&s);\n  cudaMalloc3D(&d, make_cudaExtent(4, 3, 2));\n"
           "  cudaMemset(d.ptr, 1, 6 * d.pitch);\n  cudaDeviceSynchronize();\n"
           "  if (" +
           fill +
           ") return 9;\n  cudaMemcpy3DParms p = {};\n  p.srcPtr = d;\n"
           "  p.dstPtr = make_cudaPitchedPtr(h, 4, 4, 3);\n"
           "  p.extent = make_cudaExtent(4, 3, 2);\n  p.kind = cudaMemcpyDeviceToHost;\n  " +
           copy +
           "\n  cudaFree(d.ptr);\n  cudaStreamDestroy(s);\n  for (int k = 0; k < 24; ++k) {\n"
           "    if (h[k] != (k % 4 < 3 && k / 4 % 3 < 2 ? 7 : 1)) return k + 10;\n  }\n"
           "  return 0;\n}\n";
  };
  const RanMain waits = run_text(
      text("cudaMemset3D(d, 7, make_cudaExtent(3, 2, 2)) != cudaSuccess", "cudaMemcpy3D(&p);"));
  EXPECT_EQ(waits.result.expected(), true) << why(waits.result);
  const RanMain queued =
      run_text(text("cudaMemset3DAsync(d, 7, make_cudaExtent(3, 2, 2), s) != cudaSuccess",
                    "cudaMemcpy3DAsync(&p, s);\n  cudaStreamSynchronize(s);"));
  EXPECT_EQ(queued.result.expected(), true) << why(queued.result);
  const RanMain longer = run_text(
      text("cudaMemset3D(d, 7, make_cudaExtent(513, 2, 2)) != cudaErrorInvalidValue", "return 0;"));
  EXPECT_EQ(longer.result.expected(), true) << why(longer.result);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
