// The kernels of vector.cu for HIP, without any header, so that no ROCm is
// needed to compile them.
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#ifndef NAME
#define NAME(x) x
#endif
struct dim3 {
  unsigned x, y, z;
};
extern "C" int __hipPushCallConfiguration(dim3, dim3, __SIZE_TYPE__ = 0,
                                          void * = 0);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, __SIZE_TYPE__ *,
                                         void **);
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, __SIZE_TYPE__,
                               void *);

extern "C" __global__ void NAME(scale)(float factor, float *data, int count) {
  int i = __builtin_amdgcn_workitem_id_x();
  if (i < count)
    data[i] = factor * data[i];
}

template <typename T>
__global__ void __attribute__((amdgpu_flat_work_group_size(1, 256)))
NAME(fill)(T *out, T value, unsigned count) {
  for (unsigned i = __builtin_amdgcn_workitem_id_x(); i < count; i += 256)
    out[i] = value;
}
template __global__ void NAME(fill)<double>(double *, double, unsigned);
