// OpenCL: argument names and types, address spaces, hints, hidden arguments and
// private memory.
__kernel __attribute__((reqd_work_group_size(32, 2, 1))) void
blend(__global const float *restrict source, __global volatile float *target,
      __local float *cache, __constant float *table, float4 color, uint count) {
  size_t i = __builtin_amdgcn_workitem_id_x();
  __constant char *hidden = (__constant char *)__builtin_amdgcn_implicitarg_ptr();
  if (i < count)
    target[i] = source[i] * color.x + cache[i] + table[i] + hidden[0];
}

__kernel __attribute__((work_group_size_hint(16, 4, 1))) void
shuffle(__global int *cells) {
  volatile __private int copy[48];
  for (int i = 0; i < 48; ++i)
    copy[i] = cells[i];
  cells[0] = copy[cells[1] % 48];
}
