// The norm of a residual b - A x, A = tridiag(-1, 2, -1): a solver that stops by it stops at the
// same step on any chip and grid. r^2 is added as p + (r^2 - p), so the sum of the squares of the r
// that are computed is exact, for |r| from 1e-140 to 1e150 or 0. Its root is rounded once.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../onefold_block.cuh"

template <int threads>
__global__ void squares(const double* x, const double* b, int n, onefold::Cell<double>* cell,
                        double* norm) {
  using Block = onefold::BlockSum<double, threads>;
  __shared__ typename Block::TempStorage temp;
  onefold::ThreadSum<double>::Limbs limbs;
  onefold::ThreadSum<double> sum(limbs);
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    const double left = i > 0 ? x[i - 1] : 0, right = i + 1 < n ? x[i + 1] : 0;
    const double r = b[i] - (2 * x[i] - left - right), p = r * r;
    const double both[2] = {p, fma(r, r, -p)};
    sum.add(both);
  }
  Block block(temp);
  block.add_to(cell, sum);
  if (block.is_last_block(cell) && threadIdx.x == 0) {
    *norm = cell->norm();
    cell->clear();  // for the next step
  }
}

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 2000;
  std::vector<double> hx, hb;
  for (int i = 0; i < n; ++i) {
    const double t = (i + 1.0) / (n + 1);
    hx.push_back(t * (1 - t) / 2 + 1e-9 * (i % 7));
    hb.push_back(1.0 / (n + 1) / (n + 1));
  }
  const std::size_t bytes = hx.size() * sizeof(double);
  double *x, *b, *norm;
  onefold::Cell<double>* cell;
  cudaMalloc(&x, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&norm, sizeof *norm);
  cudaMalloc(&cell, sizeof *cell);
  cudaMemset(cell, 0, sizeof *cell);
  cudaMemcpy(x, hx.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, hb.data(), bytes, cudaMemcpyHostToDevice);
  double first, second;
  squares<128><<<5, 128>>>(x, b, n, cell, norm);
  cudaMemcpy(&first, norm, sizeof first, cudaMemcpyDeviceToHost);
  squares<64><<<1, 64>>>(x, b, n, cell, norm);
  cudaMemcpy(&second, norm, sizeof second, cudaMemcpyDeviceToHost);
  const bool same = std::memcmp(&first, &second, sizeof first) == 0;
  std::printf("residual: its norm is %.17g; two grids give %s bits\n", first,
              same ? "the same" : "OTHER");
  cudaFree(x);
  cudaFree(b);
  cudaFree(norm);
  cudaFree(cell);
  return same && first > 0 ? 0 : 1;
}
