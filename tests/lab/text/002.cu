// Text 002: optimising for the hardware (GTX 280). The kernels as printed, what the scan misreads
// mended; implementations 2 to 7 print what differs from the one before, and are put together here.
__global__ void reduce1(int *v) {
  extern __shared__ int sv[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*blockDim.x + threadIdx.x;
  sv[tid] = v[i];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2*s) == 0)
      sv[tid] += sv[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    v[blockIdx.x] = sv[0];
}

__global__ void reduce2(int *v) {
  extern __shared__ int sv[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*blockDim.x + threadIdx.x;
  sv[tid] = v[i];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    int index = 2 * s * tid;
    if (index < blockDim.x)
      sv[index] += sv[index + s];
    __syncthreads();
  }
  if (tid == 0)
    v[blockIdx.x] = sv[0];
}

__global__ void reduce3(int *v) {
  extern __shared__ int sv[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*blockDim.x + threadIdx.x;
  sv[tid] = v[i];
  __syncthreads();
  for (unsigned int s = blockDim.x/2; s > 0; s >>= 1) {
    if (tid < s)
      sv[tid] += sv[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    v[blockIdx.x] = sv[0];
}

__global__ void reduce4(int *v) {
  extern __shared__ int sv[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*(blockDim.x*2) + threadIdx.x;
  sv[tid] = v[i] + v[i+blockDim.x];
  __syncthreads();
  for (unsigned int s = blockDim.x/2; s > 0; s >>= 1) {
    if (tid < s)
      sv[tid] += sv[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    v[blockIdx.x] = sv[0];
}

__global__ void reduce5(int *v) {
  extern __shared__ int sv[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*(blockDim.x*2) + threadIdx.x;
  sv[tid] = v[i] + v[i+blockDim.x];
  __syncthreads();
  for (unsigned int s = blockDim.x/2; s > 32; s >>= 1) {
    if (tid < s)
      sv[tid] += sv[tid + s];
    __syncthreads();
  }
  if (tid < 32) {
    sv[tid] += sv[tid + 32];
    sv[tid] += sv[tid + 16];
    sv[tid] += sv[tid + 8];
    sv[tid] += sv[tid + 4];
    sv[tid] += sv[tid + 2];
    sv[tid] += sv[tid + 1];
  }
  if (tid == 0)
    v[blockIdx.x] = sv[0];
}

template <unsigned int blockSize>
__global__ void reduce6(int *v) {
  extern __shared__ int sv[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*(blockDim.x*2) + threadIdx.x;
  sv[tid] = v[i] + v[i+blockDim.x];
  __syncthreads();
  if (blockSize >= 512) {
    if (tid < 256)
      sv[tid] += sv[tid + 256];
    __syncthreads();
  }
  if (blockSize >= 256) {
    if (tid < 128)
      sv[tid] += sv[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64)
      sv[tid] += sv[tid + 64];
    __syncthreads();
  }
  if (tid < 32) {
    if (blockSize >= 64) sv[tid] += sv[tid + 32];
    if (blockSize >= 32) sv[tid] += sv[tid + 16];
    if (blockSize >= 16) sv[tid] += sv[tid + 8];
    if (blockSize >= 8) sv[tid] += sv[tid + 4];
    if (blockSize >= 4) sv[tid] += sv[tid + 2];
    if (blockSize >= 2) sv[tid] += sv[tid + 1];
  }
  if (tid == 0)
    v[blockIdx.x] = sv[0];
}

template <unsigned int blockSize>
__global__ void reduce7(int *v, unsigned int n) {
  extern __shared__ int sv[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x*(blockSize*2) + threadIdx.x;
  unsigned int gridSize = blockSize*2*gridDim.x;
  sv[tid] = 0;
  while (i < n) {
    sv[tid] += v[i] + v[i+blockSize];
    i += gridSize;
  }
  __syncthreads();
  if (blockSize >= 512) {
    if (tid < 256)
      sv[tid] += sv[tid + 256];
    __syncthreads();
  }
  if (blockSize >= 256) {
    if (tid < 128)
      sv[tid] += sv[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64)
      sv[tid] += sv[tid + 64];
    __syncthreads();
  }
  if (tid < 32) {
    if (blockSize >= 64) sv[tid] += sv[tid + 32];
    if (blockSize >= 32) sv[tid] += sv[tid + 16];
    if (blockSize >= 16) sv[tid] += sv[tid + 8];
    if (blockSize >= 8) sv[tid] += sv[tid + 4];
    if (blockSize >= 4) sv[tid] += sv[tid + 2];
    if (blockSize >= 2) sv[tid] += sv[tid + 1];
  }
  if (tid == 0)
    v[blockIdx.x] = sv[0];
}

__global__ void mtran(float *odata, float* idata, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  odata[x*n + y] = idata[y*n + x];
}

// "We change the transposition into a copy", then "approach idata with strides too".
__global__ void mtran_copy(float *odata, float* idata, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  odata[y*n + x] = idata[y*n + x];
}

__global__ void mtran_both_strided(float *odata, float* idata, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  odata[x*n + y] = idata[x*n + y];
}

#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void mtran_coalesced(float *odata, float *idata, int n) {
  __shared__ float tile[TILE_DIM][TILE_DIM];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index_in = x + y*n;

  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  int index_out = x + y*n;

  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    tile[threadIdx.y+i][threadIdx.x] = idata[index_in+i*n];

  __syncthreads();

  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    odata[index_out+i*n] = tile[threadIdx.x][threadIdx.y+i];
}

// "If we only copy within the blocks", and what the text calls padding.
__global__ void mtran_block_copy(float *odata, float *idata, int n) {
  __shared__ float tile[TILE_DIM][TILE_DIM];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index = x + y*n;

  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    tile[threadIdx.y+i][threadIdx.x] = idata[index+i*n];

  __syncthreads();

  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    odata[index+i*n] = tile[threadIdx.y+i][threadIdx.x];
}

__global__ void mtran_padded(float *odata, float *idata, int n) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index_in = x + y*n;

  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  int index_out = x + y*n;

  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    tile[threadIdx.y+i][threadIdx.x] = idata[index_in+i*n];

  __syncthreads();

  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    odata[index_out+i*n] = tile[threadIdx.x][threadIdx.y+i];
}
