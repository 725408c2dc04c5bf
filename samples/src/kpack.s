# What a kpack splitter leaves of a HIP library: a wrapper whose magic says HIPK
# and whose pointer leads to a MessagePack map, and no device code.
  .section .hip_fatbin,"a",@nobits
  .p2align 12
  .zero 8192
  .section .rocm_kpack_ref,"a",@progbits
marker:
  .byte 0x82, 0xb2
  .ascii "kpack_search_paths"
  .byte 0x91, 0xbb
  .ascii ".kpack/demo_@GFXARCH@.kpack"
  .byte 0xab
  .ascii "kernel_name"
  .byte 0xab
  .ascii "libkpack.so"
  .section .hipFatBinSegment,"aw",@progbits
  .p2align 3
  .long 0x4b504948, 1
  .quad marker, 0
  .section .note.GNU-stack,"",@progbits
