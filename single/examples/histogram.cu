// A histogram of weights: bin k gets the exact sum of its events' weights, rounded once.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../onefold_cells.cuh"

__global__ void fill(onefold::Cells<float> bins, const float* energy, const float* weight, int n) {
  const int bin_count = static_cast<int>(bins.size());
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = static_cast<int>(energy[i] * static_cast<float>(bin_count));
    onefold::exact_add(bins, static_cast<onefold::Size>(bin), weight[i]);
  }
}
__global__ void round_bins(onefold::Cells<float> bins, float* sums) {
  onefold::round_cells(bins, sums);
}

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 3000;
  constexpr onefold::Size bin_count = 20;
  constexpr unsigned entries = 1024;
  std::vector<float> energy, weight;
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525 + 1013904223;
    energy.push_back(static_cast<float>(state >> 8) * 0x1p-24f);
    state = state * 1664525 + 1013904223;
    const float w = static_cast<float>(state >> 8) * 0x1p-24f - 0.25f;  // some are negative
    weight.push_back(i % 100 == 0 ? 1000 * w : w);
  }
  const std::size_t bytes = energy.size() * sizeof(float);
  float *e, *w, *sums;
  void* memory;
  cudaMalloc(&e, bytes);
  cudaMalloc(&w, bytes);
  cudaMalloc(&sums, bin_count * sizeof(float));
  cudaMalloc(&memory, onefold::Cells<float>::bytes(bin_count, entries));
  cudaMemcpy(e, energy.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(w, weight.data(), bytes, cudaMemcpyHostToDevice);

  const int unit = onefold::unit_of_data(w, weight.size());
  std::vector<float> first(bin_count), second(bin_count);
  unsigned status = 0;
  for (auto* result : {&first, &second}) {
    cudaMemset(memory, 0, onefold::Cells<float>::bytes(bin_count, entries));
    const onefold::Cells<float> bins(memory, bin_count, entries, unit);
    if (result == &first) fill<<<4, 128>>>(bins, e, w, n);
    if (result == &second) fill<<<3, 32>>>(bins, e, w, n);
    round_bins<<<1, 32>>>(bins, sums);
    cudaMemcpy(result->data(), sums, bin_count * sizeof(float), cudaMemcpyDeviceToHost);
    status |= onefold::state_of(bins).status;
  }
  const bool same = std::memcmp(first.data(), second.data(), bin_count * sizeof(float)) == 0;
  std::printf("histogram: bin 7 is %.9g; two grids give %s bits; status %u\n",
              static_cast<double>(first[7]), same ? "the same" : "OTHER", status);
  cudaFree(e);
  cudaFree(w);
  cudaFree(sums);
  cudaFree(memory);
  return same && status == 0 ? 0 : 1;
}
