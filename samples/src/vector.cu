// Two small kernels: one plain, one from a template.
extern "C" __global__ void scale(float factor, float *data, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] = factor * data[i];
}

template <typename T>
__global__ void __launch_bounds__(256) fill(T *out, T value, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    out[i] = value;
}
template __global__ void fill<double>(double *, double, unsigned);
