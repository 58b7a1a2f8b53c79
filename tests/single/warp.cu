// onefold_warp.cuh against ExactSum and ExactDot on the host: parts of warps of any size, hard data.
// nvcc compiles this file, NVRTC the part without the host, and the lab runs it.
#include "onefold_block.cuh"
#include "onefold_warp.cuh"

// Each `lanes` threads answer for a row; those without one leave before.
template <class T, int lanes>
__device__ void rows_of(const T* x, int rows, int columns, T* sums, T* norms) {
  const int thread = onefold::detail::thread_of_block();
  const int all = onefold::detail::threads_of_block();
  const int row = static_cast<int>(blockIdx.x) * (all / lanes) + thread / lanes;
  if (row >= rows) return;
  typename onefold::ThreadSum<T>::Limbs limbs;
  onefold::ThreadSum<T> sum(limbs);
  for (int i = thread % lanes; i < columns; i += lanes) sum.add(x[row * columns + i]);
  const onefold::WarpSum<T, lanes> warp;
  const T s = warp.value(sum), r = warp.norm(sum);
  if (thread % lanes == lanes - 1) sums[row] = s, norms[row] = r;
}
// Sums one element of each thread, of the first `valid` ones of each eight.
template <class T>
__device__ void eights_of(const T* x, int valid, T* sums) {
  const T s = onefold::WarpSum<T, 8>().value(x[threadIdx.x], valid);
  if (threadIdx.x % 8 == 5) sums[threadIdx.x / 8] = s;
}
template <class T>
__device__ void norm_of_block(const T* x, int n, T* norm) {
  using Block = onefold::BlockSum<T, 64>;
  __shared__ typename Block::TempStorage temp;
  typename onefold::ThreadSum<T>::Limbs limbs;
  onefold::ThreadSum<T> sum(limbs);
  for (int i = threadIdx.x; i < n; i += 64) sum.add(x[i]);
  const T r = Block(temp).norm(sum);
  if (threadIdx.x == 9) *norm = r;
}
#define ROWS(name, T, lanes)                                                     \
  extern "C" __global__ void __launch_bounds__(256, 4)                           \
      name##_rows##lanes(const T* x, int rows, int columns, T* sums, T* norms) { \
    rows_of<T, lanes>(x, rows, columns, sums, norms);                            \
  }
#define KERNELS(name, T)                               \
  ROWS(name, T, 32)                                    \
  ROWS(name, T, 16)                                    \
  ROWS(name, T, 1)                                     \
  extern "C" __global__ void __launch_bounds__(256, 4) \
      name##_eights(const T* x, int valid, T* sums) {  \
    eights_of(x, valid, sums);                         \
  }                                                    \
  extern "C" __global__ void name##_block(const T* x, int n, T* norm) { norm_of_block(x, n, norm); }
KERNELS(f32, float)
KERNELS(f64, double)
KERNELS(bf16, onefold::bfloat16)

#if !defined(__CUDACC_RTC__) && !defined(__HIP__)
#include "data.cuh"

template <class T>
using Rows = void (*)(const T*, int, int, T*, T*);

// Returns the norm of elements whose squares add up to the sum of x, which may be below 0.
template <class T>
T root_of_sum(const T* x, int n, T one) {
  onefold::ExactDot<T> d;
  for (int i = 0; i < n; ++i) d.add(x[i], one);
  return d.norm();
}
template <class T>
void check(const char* type, T one, Rows<T> r32, Rows<T> r16, Rows<T> r1,
           void (*eights)(const T*, int, T*), void (*block)(const T*, int, T*)) {
  constexpr int rows = 5, columns = 75, n = rows * columns;
  T *x, *sums, *norms;
  cudaMalloc(&x, n * sizeof *x);
  cudaMalloc(&sums, 16 * sizeof *sums);
  cudaMalloc(&norms, 16 * sizeof *norms);
  T s[16], r[16];
  for (int kind = 0; kind < kinds; ++kind) {
    const std::vector<T> h = data<T>(kind, n);
    cudaMemcpy(x, h.data(), h.size() * sizeof *x, cudaMemcpyHostToDevice);
    for (int way = 0; way < 3; ++way) {
      if (way == 0) r32<<<3, dim3(8, 8)>>>(x, rows, columns, sums, norms);  // one warp has no row
      if (way == 1) r16<<<2, 48>>>(x, rows, columns, sums, norms);
      if (way == 2) r1<<<5, 1>>>(x, rows, columns, sums, norms);
      cudaMemcpy(s, sums, rows * sizeof *s, cudaMemcpyDeviceToHost);
      cudaMemcpy(r, norms, rows * sizeof *r, cudaMemcpyDeviceToHost);
      for (int row = 0; row < rows; ++row) {
        const T* const from = h.data() + row * columns;
        onefold::ExactSum<T> expected;
        expected.add(from, columns);
        expect(same(s[row], expected.value()), type, kind, way);
        expect(same(r[row], root_of_sum(from, columns, one)), type, kind, 10 + way);
      }
    }
    for (const int valid : {0, 3, 8}) {
      eights<<<1, 128>>>(x, valid, sums);
      cudaMemcpy(s, sums, 16 * sizeof *s, cudaMemcpyDeviceToHost);
      for (int k = 0; k < 16; ++k) {
        onefold::ExactSum<T> expected;
        expected.add(h.data() + 8 * k, static_cast<onefold::Size>(valid));
        expect(same(s[k], expected.value()), type, kind, 20 + valid);
      }
    }
    block<<<1, 64>>>(x, n, norms);
    cudaMemcpy(r, norms, sizeof *r, cudaMemcpyDeviceToHost);
    expect(same(r[0], root_of_sum(h.data(), n, one)), type, kind, 30);
  }
  cudaFree(x);
  cudaFree(sums);
  cudaFree(norms);
}

int main() {
  check("f32", 1.0f, f32_rows32, f32_rows16, f32_rows1, f32_eights, f32_block);
  check("f64", 1.0, f64_rows32, f64_rows16, f64_rows1, f64_eights, f64_block);
  check("bf16", onefold::bfloat16{0x3f80}, bf16_rows32, bf16_rows16, bf16_rows1, bf16_eights,
        bf16_block);
  const cudaError_t error = cudaGetLastError();
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorString(error));
  return wrong == 0 && error == cudaSuccess ? 0 : 1;
}
#endif
