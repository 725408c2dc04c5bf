// One kernel for each resource that a cubin records in its own way.
struct Large { // with the pointer: more than 4 KB of parameters
  int value[1200];
};

__global__ void no_parameters() {}

__global__ void large_parameters(Large large, int *out) {
  *out = large.value[threadIdx.x];
}

__global__ void dynamic_shared(int *out) {
  extern __shared__ int cells[];
  cells[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[0] = cells[7];
}

__global__ void private_array(int *out) {
  int cells[64];
  for (int i = 0; i < 64; ++i)
    cells[i] = out[i];
  for (int i = 0; i < out[64]; ++i)
    cells[out[65 + i] & 63] += i;
  out[0] = cells[out[1] & 63];
}

__global__ void three_barriers(int *out) {
  asm volatile("bar.sync 1, 64; bar.sync 2, 64;");
  *out = 1;
}

__global__ void __launch_bounds__(192, 2) bounded(int *out) { *out = 2; }

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__global__ void recursive(int *out) { *out = ackermann(out[0], out[1]); }

#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clustered(int *out) { *out = 3; }
#endif
