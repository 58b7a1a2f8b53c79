//: 9 rows become columns
//: args x:i32[{n}*{n}]=rand, y:i32[{n}*{n}], n={n}
//: launch solve<<<(({n}+31)/32, ({n}+31)/32), (32, 8)>>>(x, y, n)
//: wants turned sectors=200 wavefronts=80 most=100 picture=3,3,9
//: Lanes of a warp that write a column touch 32 sectors. Rows of x and rows of y are both quick.
//: Load rows of a tile into shared memory, and after a barrier store rows of y: columns of the tile.
//: __shared__ int s[32][33]: with 32 words a row a column lies in one bank.
// Rows become columns. x and y are n x n; y[c][r] is x[r][c]. A block of 32 x 8 threads has a tile of
// 32 x 32, of which each thread takes four elements. Loads and stores are to be of whole sectors.
__global__ void solve(const int* x, int* y, int n) {
  int c = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    int r = blockIdx.y * 32 + k;
    if (r < n && c < n) y[c * n + r] = x[r * n + c];
  }
}
