// Two arrays into one. y[i] is the sum of a[i] and b[i]; each thread has one i.
__global__ void solve(const int* a, const int* b, int* y) {
  int i = threadIdx.x;
  y[i] = a[i] + b[i];
}
