// The kernel of reduce.cu for HIP: 512 bytes of LDS, one barrier, a structure
// passed by value.
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
struct dim3 {
  unsigned x, y, z;
};
extern "C" int __hipPushCallConfiguration(dim3, dim3, __SIZE_TYPE__ = 0,
                                          void * = 0);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, __SIZE_TYPE__ *,
                                         void **);
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, __SIZE_TYPE__,
                               void *);
struct Range {
  long long first;
  float weight[3];
};
__constant__ float bias[4] = {0.5f, 1.5f, 2.5f, 3.5f};

extern "C" __global__ void reduce(const float *in, float *out, Range range) {
  __shared__ float partial[128];
  unsigned t = __builtin_amdgcn_workitem_id_x() & 127;
  partial[t] = in[range.first + t] * range.weight[t % 3] + bias[t & 3];
  __builtin_amdgcn_s_barrier();
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 128; ++i)
      sum += partial[i];
    out[__builtin_amdgcn_workgroup_id_x()] = sum;
  }
}
