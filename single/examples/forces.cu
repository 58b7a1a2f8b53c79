// Forces of particles: each pair adds to both of its particles, in any order. Without exact sums
// each run of a simulation ends elsewhere; with them all runs have the same bits.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../onefold_cells.cuh"

struct Pair {
  int i, j;
};
__global__ void add_pairs(onefold::Cells<float> forces, const float3* at, const Pair* pairs,
                          int n) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    const Pair p = pairs[k];
    const float3 a = at[p.i], b = at[p.j];
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    const float r2 = x * x + y * y + z * z, s2 = 0.01f / r2, s6 = s2 * s2 * s2;
    const float f = 24 * s6 * (2 * s6 - 1) / r2;  // of a Lennard-Jones potential
    const float component[3] = {f * x, f * y, f * z};
    for (int c = 0; c < 3; ++c) {
      onefold::exact_add(forces, static_cast<onefold::Size>(3 * p.i + c), component[c]);
      onefold::exact_add(forces, static_cast<onefold::Size>(3 * p.j + c), -component[c]);
    }
  }
}
__global__ void round_forces(onefold::Cells<float> forces, float* f) {
  onefold::round_cells(forces, f);
}

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 40;
  constexpr unsigned entries = 4096;
  std::vector<float3> at;
  std::vector<Pair> pairs;
  unsigned state = 1;
  const auto draw = [&] {
    state = state * 1664525 + 1013904223;
    return state >> 8;
  };
  int side = 1;  // of a cubic lattice
  while (side * side * side < n) ++side;
  for (int i = 0; i < n; ++i) {
    const auto x = [&](int k) {
      return 0.12f * static_cast<float>(k % side) + 0.01f * static_cast<float>(draw()) * 0x1p-24f;
    };
    at.push_back({x(i), x(i / side), x(i / side / side)});
    for (int j = 0; j < i; ++j) pairs.push_back({i, j});
  }
  const auto components = static_cast<onefold::Size>(3 * n);
  float3* x;
  Pair* p;
  float* f;
  void* memory;
  cudaMalloc(&x, at.size() * sizeof *x);
  cudaMalloc(&p, pairs.size() * sizeof *p);
  cudaMalloc(&f, components * sizeof *f);
  cudaMalloc(&memory, onefold::Cells<float>::bytes(components, entries));
  cudaMemcpy(x, at.data(), at.size() * sizeof *x, cudaMemcpyHostToDevice);

  std::vector<float> first(components), second(components);
  unsigned status = 0, listed = 0;
  for (auto* result : {&first, &second}) {
    if (result == &second) {  // the same pairs in another order
      for (std::size_t k = pairs.size(); k > 1; --k) std::swap(pairs[k - 1], pairs[draw() % k]);
    }
    cudaMemcpy(p, pairs.data(), pairs.size() * sizeof *p, cudaMemcpyHostToDevice);
    cudaMemset(memory, 0, onefold::Cells<float>::bytes(components, entries));
    // Most forces are below 2^6; greater ones go to the list.
    const int unit = onefold::Cells<float>::unit_below(6);
    const onefold::Cells<float> forces(memory, components, entries, unit);
    add_pairs<<<result == &first ? 4 : 3, 64>>>(forces, x, p, static_cast<int>(pairs.size()));
    round_forces<<<1, 64>>>(forces, f);
    cudaMemcpy(result->data(), f, components * sizeof *f, cudaMemcpyDeviceToHost);
    status |= onefold::state_of(forces).status;
    listed = onefold::state_of(forces).listed;
  }
  const bool same = std::memcmp(first.data(), second.data(), components * sizeof(float)) == 0;
  std::printf(
      "forces: particle 0 gets %.9g; pairs in two orders give %s bits; status %u, %u listed\n",
      static_cast<double>(first[0]), same ? "the same" : "OTHER", status, listed);
  cudaFree(x);
  cudaFree(p);
  cudaFree(f);
  cudaFree(memory);
  return same && status == 0 ? 0 : 1;
}
