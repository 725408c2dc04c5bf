// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Containers and their registration records as nvcc and clang lay them out, for
// hosts other than ELF.
#ifdef __APPLE__
#define CONTAINERS .section __NV_CUDA,__nv_fatbin
#define RECORDS .section __NV_CUDA,__fatbin
#else
#define CONTAINERS .section .nv_fatbin,"dr"
#define RECORDS .section .nvFatBinSegment,"dw"
#endif

  CONTAINERS
  .balign 16
first:
  .incbin "cuda/zstd.fatbin"
#ifdef SECOND
  .balign 16
second:
  .incbin "cuda/lz4.fatbin"
#endif

  RECORDS
  .balign 8
  .long 0x466243b1, 1
  .quad first, 0
#ifdef SECOND
  .long 0x466243b1, 1
  .quad second, 0
#endif
