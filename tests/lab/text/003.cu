// Text 003: notes on reduce. Four kernels, all named reduce_kernel there; each has a name here.
typedef int real;

__global__ void interleaved_global(real *input, real *output, const int N)
{
    int tid = threadIdx.x;
    int bid = blockIdx.x;
    int col = bid*blockDim.x;
    for (int offset = blockDim.x>>1; offset>0; offset>>=1)
    {
        if (tid<offset)
            input[tid+col] += input[tid+col+offset];
        __syncthreads();
    }
    if (tid==0)
        output[bid] = input[tid+col];
}

template <int BLOCK_SIZE>
__global__ void interleaved_shared(real *input, real *output, const int N)
{
    int tid = threadIdx.x;
    int bid = blockIdx.x;
    int col = bid*blockDim.x;
    __shared__ real sa[BLOCK_SIZE];
    sa[tid] = tid+col<N? input[tid+col]: 0.0;
    __syncthreads();
    for (int offset = blockDim.x>>1; offset>0; offset>>=1)
    {
        if (tid<offset)
            sa[tid] += sa[tid+offset];
        __syncthreads();
    }
    if (tid==0)
        output[bid] = sa[0];
}

template <int BLOCK_SIZE>
__global__ void neighbored_shared(real *input, real *output, const int N)
{
    int tid = threadIdx.x;
    int bid = blockIdx.x;
    int col = bid*blockDim.x;
    __shared__ real sa[BLOCK_SIZE];
    sa[tid] = tid+col<N? input[tid+col]: 0.0;
    __syncthreads();
    for (int stride = 1; stride<blockDim.x; stride*=2)
    {
        if (tid%(2*stride)==0)
            sa[tid] += sa[tid+stride];
        __syncthreads();
    }
    if (tid==0)
        output[bid] = sa[0];
}

template <int BLOCK_SIZE>
__global__ void shuffle_two_level(real *input, real *output, const int N)
{
    int tid = threadIdx.x;
    int bid = blockIdx.x;
    int col = bid*blockDim.x;
    __shared__ real sa[BLOCK_SIZE];
    __shared__ real sum[BLOCK_SIZE/32];
    sa[tid] = tid+col<N? input[tid+col]: 0.0;
    real tmp = sa[tid];
    for (int mask = 32>>1; mask>0; mask>>=1)
    {
        tmp += __shfl_down_sync(0xffffffff, tmp, mask);
    }
    if (tid%32==0)
        sum[tid/32] = tmp;
    __syncthreads();
    if (tid<BLOCK_SIZE/32)
    {
        tmp = sum[tid];
        for (int mask = BLOCK_SIZE/32>>1; mask>0; mask>>=1)
        {
            tmp += __shfl_down_sync(0xffffffff, tmp, mask);
        }
    }
    if (tid==0)
        output[bid] = tmp;
}
