// A fused softmax of rows: the greatest element, the exact sum of the exponentials, the quotients.
// A row's bits do not depend on how many threads share it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../onefold_block.cuh"

template <int threads>
__global__ void softmax(const float* x, float* y, int columns) {
  using Block = onefold::BlockSum<float, threads>;
  __shared__ typename Block::TempStorage temp;
  __shared__ float greatest[threads];
  const float* const row = x + blockIdx.x * columns;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += threads) m = fmaxf(m, row[i]);
  greatest[threadIdx.x] = m;
  for (int some = threads / 2; some > 0; some /= 2) {
    __syncthreads();
    if (threadIdx.x < some) {
      greatest[threadIdx.x] = fmaxf(greatest[threadIdx.x], greatest[threadIdx.x + some]);
    }
  }
  __syncthreads();
  m = greatest[0];

  onefold::ThreadSum<float>::Limbs limbs;
  onefold::ThreadSum<float> sum(limbs);
  for (int i = threadIdx.x; i < columns; i += threads) sum.add(expf(row[i] - m));
  const float denominator = Block(temp).value(sum);
  for (int i = threadIdx.x; i < columns; i += threads) {
    y[blockIdx.x * columns + i] = expf(row[i] - m) / denominator;
  }
}

int main(int count, char** words) {
  const int rows = 3, columns = count > 1 ? std::atoi(words[1]) : 1000, n = rows * columns;
  std::vector<float> h;
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525 + 1013904223;
    h.push_back(static_cast<float>(state >> 8) * 0x1p-20f);  // 0 to 16
  }
  float *x, *y;
  const std::size_t bytes = h.size() * sizeof(float);
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemcpy(x, h.data(), bytes, cudaMemcpyHostToDevice);
  std::vector<float> first(h.size()), second(h.size());
  softmax<32><<<rows, 32>>>(x, y, columns);
  cudaMemcpy(first.data(), y, bytes, cudaMemcpyDeviceToHost);
  softmax<256><<<rows, 256>>>(x, y, columns);
  cudaMemcpy(second.data(), y, bytes, cudaMemcpyDeviceToHost);
  const bool same = std::memcmp(first.data(), second.data(), bytes) == 0;
  std::printf("softmax: y[0] is %.9g; blocks of 32 and 256 threads give %s bits\n",
              static_cast<double>(first[0]), same ? "the same" : "OTHER");
  cudaFree(x);
  cudaFree(y);
  return same && first[0] == first[0] ? 0 : 1;
}
