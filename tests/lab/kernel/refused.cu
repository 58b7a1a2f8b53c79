// What is refused, by its name and line.
__global__ void k(int* y) {
  __shared__ unsigned long long b;
  unsigned at = (unsigned)__cvta_generic_to_shared(&b);
#if defined(MBARRIER)
  asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at));
#elif defined(BULK)
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%1], [%0], 16;" ::"r"(at), "l"(y));
#elif defined(MMA)
  float d[4] = {};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(at));
  y[0] = d[0];
#elif defined(CLUSTER)
  asm volatile("barrier.cluster.arrive.aligned;");
#elif defined(LDMATRIX)
  unsigned r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at));
  y[0] = r;
#elif defined(PROXY)
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
}
