// What the lanes of a warp do together.
__global__ void k(int* y, unsigned* u) {
  int t = threadIdx.x; unsigned all = ~0u;
  int s = 0;
  s += __shfl_sync(all, t, 3); s += __shfl_up_sync(all, t, 1); s += __shfl_down_sync(all, t, 2, 16); s += __shfl_xor_sync(all, t, 5);
  s += (int)__shfl_sync(all, (double)t, 9); s += (int)__shfl_xor_sync(all, (long long)t, 1); s += (int)__shfl_down_sync(all, 1.5f * t, 4);
  y[t] = s;
  u[t] = __ballot_sync(all, t & 1) ^ __match_any_sync(all, t / 4) ^ (__any_sync(all, t == 9) << 3) ^ (__all_sync(all, t < 40) << 5);
  int pred; unsigned m = __match_all_sync(all, 7, &pred);
  u[32 + t] = m + pred + __reduce_add_sync(all, t) + __reduce_max_sync(all, t) + __reduce_xor_sync(all, t) + __reduce_min_sync(all, -t) ;
  if (t < 10) u[64 + t] = __activemask();
  __syncwarp();
  y[32 + t] = __syncthreads_count(t & 1) + 100 * __syncthreads_and(t < 99) + 1000 * __syncthreads_or(t == 77);
  unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); y[64 + t] = lane;
  __nanosleep(100);
  y[96 + t] = (int)(clock64() > 0) + (clock() != 0);
  if (t % 2) { y[128 + t] = __shfl_sync(0xaaaaaaaa, t, 1); } else y[128 + t] = __shfl_sync(0x55555555, t, 0);
}
