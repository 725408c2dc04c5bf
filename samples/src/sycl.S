// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compressed device images as Intel's compilers lay them out in a library.
  .section __CLANG_OFFLOAD_BUNDLE__sycl-spir64,"a"
  .balign 16
  .incbin "kernel.spv.zst"
  .balign 16, 0
  .incbin "kernel.spv.zst"
  .section .note.GNU-stack,""
