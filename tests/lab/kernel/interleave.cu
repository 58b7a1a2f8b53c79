// Structures that blocks or warps share. Kernels that end in _apart do in two atomics what the others
// do in one, so they are wrong only if another thread comes between the two.

__device__ int look(int* p) { return atomicAdd(p, 0); }

// A lock: 0 free, 1 held.
__device__ int held;
__device__ void count(int* total) {
  __threadfence();
  total[0] += 1;
  __threadfence();
  atomicExch(&held, 0);
}
__global__ void spin_lock(int* total) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(&held, 0, 1) != 0) {
  }
  count(total);
}
__global__ void spin_lock_apart(int* total) {
  if (threadIdx.x % 32 != 0) return;
  for (;;) {
    if (look(&held) == 0) break;
  }
  atomicExch(&held, 1);
  count(total);
}

// A lock with numbers: each thread draws one, and waits until it is called.
__device__ int drawn, called;
__device__ void serve(int number, int* total) {
  while (look(&called) != number) {
  }
  __threadfence();
  total[0] += 1;
  __threadfence();
  atomicAdd(&called, 1);
}
__global__ void ticket_lock(int* total) {
  if (threadIdx.x == 0) serve(atomicAdd(&drawn, 1), total);
}
__global__ void ticket_lock_apart(int* total) {
  if (threadIdx.x != 0) return;
  const int number = look(&drawn);
  atomicAdd(&drawn, 1);
  serve(number, total);
}

// A list with room for 6 entries.
__device__ int length;
__global__ void bounded_list(int* list) {
  if (threadIdx.x % 32 != 0) return;
  const int at = atomicAdd(&length, 1);
  if (at < 6) list[at] = blockIdx.x + 1;
}
__global__ void bounded_list_apart(int* list) {
  if (threadIdx.x % 32 != 0) return;
  if (look(&length) >= 6) return;
  list[atomicAdd(&length, 1)] = blockIdx.x + 1;
}

// Blocks that take four items at a time until 32 are done.
__device__ int next_item;
__device__ void work(int at, int* done) {
  for (int k = at; k < at + 4; ++k) done[k] += 1;
}
__global__ void work_queue(int* done) {
  if (threadIdx.x != 0) return;
  for (int at; (at = atomicAdd(&next_item, 4)) < 32;) work(at, done);
}
__global__ void work_queue_apart(int* done) {
  if (threadIdx.x != 0) return;
  for (int at; (at = look(&next_item)) < 32;) {
    atomicExch(&next_item, at + 4);
    work(at, done);
  }
}

// A table that the first thread fills, and all read: 0 empty, 1 being filled, 2 full.
__device__ int state;
__device__ void fill(int* table) {
  for (int k = 0; k < 8; ++k) table[k] = k * k;
  __threadfence();
  atomicExch(&state, 2);
}
__global__ void fill_once(int* table, int* out) {
  if (threadIdx.x != 0) return;
  if (atomicCAS(&state, 0, 1) == 0) fill(table);
  while (look(&state) != 2) {
  }
  __threadfence();
  out[blockIdx.x] = table[7];
}
__global__ void fill_once_apart(int* table, int* out) {
  if (threadIdx.x != 0) return;
  if (look(&state) == 0) fill(table);
  while (look(&state) != 2) {
  }
  __threadfence();
  out[blockIdx.x] = table[7];
}

// A hash table with open addressing; the keys are from 1 on, and some collide.
__global__ void insert(int* keys) {
  if (threadIdx.x != 0) return;
  const int key = blockIdx.x + 1;
  for (int at = key % 3;; at = (at + 1) % 16) {
    const int there = atomicCAS(&keys[at], 0, key);
    if (there == 0 || there == key) return;
  }
}
__global__ void insert_apart(int* keys) {
  if (threadIdx.x != 0) return;
  const int key = blockIdx.x + 1;
  for (int at = key % 3;; at = (at + 1) % 16) {
    if (look(&keys[at]) != 0) continue;
    atomicExch(&keys[at], key);
    return;
  }
}

// A stack of nodes 1, 2, 3 (Treiber's). Each block pops two nodes and pushes them again. The upper half
// of the top counts the changes; without it a pop may be overtaken by another's pops and pushes that
// leave the same node on top, with another one below it (ABA).
__device__ unsigned long long top = 1;
__device__ int below[4] = {0, 2, 3, 0};
__device__ int owner[4];
template <bool counts>
__device__ int pop() {
  for (;;) {
    const unsigned long long old = atomicAdd(&top, 0ull);
    const unsigned node = static_cast<unsigned>(old);
    if (node == 0) return 0;
    const unsigned long long then = counts ? (old >> 32) + 1 : 0;
    if (atomicCAS(&top, old, then << 32 | look(&below[node])) == old) return node;
  }
}
template <bool counts>
__device__ void push(int node) {
  for (;;) {
    const unsigned long long old = atomicAdd(&top, 0ull);
    atomicExch(&below[node], static_cast<int>(old));
    const unsigned long long then = counts ? (old >> 32) + 1 : 0;
    if (atomicCAS(&top, old, then << 32 | node) == old) return;
  }
}
template <bool counts>
__device__ void use_two(int* twice) {
  const int a = pop<counts>(), b = pop<counts>();
  for (int node : {a, b}) {
    if (node != 0 && atomicExch(&owner[node], 1) != 0) atomicAdd(twice, 1);
  }
  for (int node : {a, b}) {
    if (node == 0) continue;
    atomicExch(&owner[node], 0);
    push<counts>(node);
  }
}
__global__ void stack(int* twice) {
  if (threadIdx.x == 0) use_two<true>(twice);
}
__global__ void stack_without_count(int* twice) {
  if (threadIdx.x == 0) use_two<false>(twice);
}
// Takes the top away without a comparison.
__global__ void stack_apart(int* twice) {
  if (threadIdx.x != 0) return;
  const unsigned node = static_cast<unsigned>(atomicAdd(&top, 0ull));
  if (node == 0) return;
  atomicExch(&top, static_cast<unsigned long long>(look(&below[node])));
  if (atomicExch(&owner[node], 1) != 0) atomicAdd(twice, 1);
}

// The last block adds what all have written.
__device__ int arrived;
__device__ void add_parts(const int* parts, int* sum) {
  __threadfence();
  for (unsigned k = 0; k < gridDim.x; ++k) sum[0] += parts[k];
}
__global__ void last_block(int* parts, int* sum) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  if (atomicAdd(&arrived, 1) + 1 == gridDim.x) add_parts(parts, sum);
}
__global__ void last_block_apart(int* parts, int* sum) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  atomicAdd(&arrived, 1);
  if (look(&arrived) == gridDim.x) add_parts(parts, sum);
}

// A barrier for all blocks, passed three times. The last one to come resets the count and then opens
// the next round; in the other order a block may be counted in the old round and lost.
__device__ int come, round_number;
template <bool resets_first>
__device__ void meet() {
  const int now = look(&round_number);
  if (atomicAdd(&come, 1) + 1 == gridDim.x) {
    if (resets_first) atomicExch(&come, 0);
    atomicAdd(&round_number, 1);
    if (!resets_first) atomicExch(&come, 0);
    return;
  }
  while (look(&round_number) == now) {
  }
}
__global__ void barrier(int* rounds) {
  if (threadIdx.x != 0) return;
  for (int k = 0; k < 3; ++k) meet<true>();
  atomicAdd(rounds, 1);
}
__global__ void barrier_late(int* rounds) {
  if (threadIdx.x != 0) return;
  for (int k = 0; k < 3; ++k) meet<false>();
  atomicAdd(rounds, 1);
}

// A pair whose halves are equal; readers try again until no writer came between (a seqlock).
__device__ volatile int version, left_half, right_half;
template <bool looks_again>
__device__ void read_pairs(int* torn) {
  for (int k = 0; k < 3; ++k) {
    int before, a, b;
    do {
      before = version;
      __threadfence();
      a = left_half;
      b = right_half;
      __threadfence();
    } while (looks_again && (before % 2 != 0 || version != before));
    if (a != b) atomicAdd(torn, 1);
  }
}
__device__ void write_pairs() {
  for (int k = 1; k < 3; ++k) {
    __threadfence();
    version = 2 * k - 1;
    __threadfence();
    left_half = k;
    right_half = k;
    __threadfence();
    version = 2 * k;
  }
}
__global__ void seqlock(int* torn) {
  if (threadIdx.x != 0) return;
  blockIdx.x == 0 ? write_pairs() : read_pairs<true>(torn);
}
__global__ void seqlock_once(int* torn) {
  if (threadIdx.x != 0) return;
  blockIdx.x == 0 ? write_pairs() : read_pairs<false>(torn);
}

// Right, though the order decides where an element stands, and how a sum is rounded.
__device__ int kept;
__global__ void compact(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] % 3 == 0) out[atomicAdd(&kept, 1)] = x[i];
}
__global__ void add_floats(const float* x, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && atomicAdd(sum, x[i]) < -1.0f) atomicAdd(sum, 1.0f);
}
