// onefold_block.cuh against ExactSum on the host: hard data, any grid and block. nvcc compiles this
// file, NVRTC the part without the host, and the lab runs it on its simulated GPU.
#include "onefold_block.cuh"

// Each thread adds what it reads, one by one or in batches; the last block answers.
template <class T, int threads>
__device__ void sum_of(const T* x, onefold::Size n, onefold::Cell<T>* cell, T* answer) {
  using Block = onefold::BlockSum<T, threads>;
  __shared__ typename Block::TempStorage temp;
  typename onefold::ThreadSum<T>::Limbs limbs;
  onefold::ThreadSum<T> sum(limbs);
  onefold::add_array<2>(sum, x, n);
  Block block(temp);
  block.add_to(cell, sum);
  if (block.is_last_block(cell) && threadIdx.x == 0 && threadIdx.y == 0) *answer = cell->value();
}
// Each block answers for its own row.
template <class T, int threads>
__device__ void sums_of_rows(const T* x, int columns, T* answers) {
  using Block = onefold::BlockSum<T, threads>;
  __shared__ typename Block::TempStorage temp;
  typename onefold::ThreadSum<T>::Limbs limbs;
  onefold::ThreadSum<T> sum(limbs);
  for (int i = threadIdx.x; i < columns; i += threads) sum.add(x[blockIdx.x * columns + i]);
  const T s = Block(temp).value(sum);
  if (threadIdx.x == threads - 1) answers[blockIdx.x] = s;
}
#define KERNELS(name, T)                                                                    \
  extern "C" __global__ void name##_32(const T* x, onefold::Size n, onefold::Cell<T>* cell, \
                                       T* answer) {                                         \
    sum_of<T, 32>(x, n, cell, answer);                                                      \
  }                                                                                         \
  extern "C" __global__ void name##_80(const T* x, onefold::Size n, onefold::Cell<T>* cell, \
                                       T* answer) {                                         \
    sum_of<T, 80>(x, n, cell, answer);                                                      \
  }                                                                                         \
  extern "C" __global__ void __launch_bounds__(256, 4)                                      \
      name##_256(const T* x, onefold::Size n, onefold::Cell<T>* cell, T* answer) {          \
    sum_of<T, 256>(x, n, cell, answer);                                                     \
  }                                                                                         \
  extern "C" __global__ void name##_rows(const T* x, int columns, T* answers) {             \
    sums_of_rows<T, 64>(x, columns, answers);                                               \
  }
KERNELS(f32, float)
KERNELS(f64, double)
KERNELS(bf16, onefold::bfloat16)

#if !defined(__CUDACC_RTC__) && !defined(__HIP__)
#include "data.cuh"

template <class T>
using Kernel = void (*)(const T*, onefold::Size, onefold::Cell<T>*, T*);
template <class T>
void check(const char* type, Kernel<T> k32, Kernel<T> k80, Kernel<T> k256,
           void (*rows)(const T*, int, T*)) {
  constexpr int most = 20000;
  T *x, *answer;
  onefold::Cell<T>* cell;
  cudaMalloc(&x, most * sizeof *x);
  cudaMalloc(&answer, 8 * sizeof *answer);
  cudaMalloc(&cell, sizeof *cell);
  for (int kind = 0; kind < kinds; ++kind) {
    for (const int n : {0, 1, 777, kind == near_one ? most : 5000}) {
      const std::vector<T> h = data<T>(kind, n);
      cudaMemcpy(x, h.data(), h.size() * sizeof *x, cudaMemcpyHostToDevice);
      onefold::ExactSum<T> expected;
      expected.add(h.data(), h.size());
      const onefold::Size third = h.size() / 3;
      for (int way = 0; way < (n < 1000 ? 3 : 5); ++way) {
        cudaMemset(cell, 0, sizeof *cell);
        if (way == 0) k32<<<3, 32>>>(x, h.size(), cell, answer);
        if (way == 1) k80<<<2, dim3(16, 5)>>>(x, h.size(), cell, answer);
        if (way == 2) {  // two launches, the second from any address
          k80<<<2, dim3(80)>>>(x, third, cell, answer);
          k32<<<3, 32>>>(x + third, h.size() - third, cell, answer);
        }
        if (way == 3) k256<<<1, 256>>>(x, h.size(), cell, answer);
        if (way == 4) k32<<<1, 32>>>(x, h.size(), cell, answer);
        onefold::Cell<T> seen;
        T a;
        cudaMemcpy(&seen, cell, sizeof seen, cudaMemcpyDeviceToHost);
        cudaMemcpy(&a, answer, sizeof a, cudaMemcpyDeviceToHost);
        expect(seen.sum() == expected, type, kind, way);
        expect(same(a, expected.value()) && same(seen.value(), a), type, kind, 10 + way);
      }
      if (n != 777) continue;
      rows<<<7, 64>>>(x, 111, answer);
      T a[7];
      cudaMemcpy(a, answer, sizeof a, cudaMemcpyDeviceToHost);
      for (int k = 0; k < 7; ++k) {
        onefold::ExactSum<T> row;
        row.add(h.data() + 111 * k, 111);
        expect(same(a[k], row.value()), type, kind, 20 + k);
      }
    }
  }
  cudaFree(x);
  cudaFree(answer);
  cudaFree(cell);
}

int main() {
  check("f32", f32_32, f32_80, f32_256, f32_rows);
  check("f64", f64_32, f64_80, f64_256, f64_rows);
  check("bf16", bf16_32, bf16_80, bf16_256, bf16_rows);
  const cudaError_t error = cudaGetLastError();
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorString(error));
  return wrong == 0 && error == cudaSuccess ? 0 : 1;
}
#endif
