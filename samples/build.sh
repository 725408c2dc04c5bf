#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the binaries of this folder again from src/.
#
#   samples/build.sh [OUTDIR]          (default: this folder)
#
# Wants nvcc (CUDA 13) on PATH, in $CUDA_HOME or in the vendor's default prefix;
# Debian's clang-N, lld-N, llvm-N and clang-tools-N for N in 14 16 19 22; gcc,
# binutils, python3, lz4, zstd. Beside these, for the layouts of other toolkits:
#   PTXAS_11=, PTXAS_12=   a ptxas of 11.8 and of 12.4
#                          (PyPI: nvidia-cuda-nvcc-cu11, nvidia-cuda-nvcc-cu12==12.4.131)
#   FATBINARY_13=          a fatbinary that knows --concat
#                          (PyPI: nvidia-cuda-nvcc, 13.4 and later)
# What is missing is named and its samples are skipped. Two runs, in whatever
# folders, give the same bytes. No GPU and no ROCm needed.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here}
mkdir -p "$out/cuda" "$out/hip" "$out/llvm" "$out/wheel" || exit 2
out=$(cd "$out" && pwd)
# A fixed name: nvcc hashes the folder's path into names of relocatable code.
work=/tmp/gantry-samples
mkdir "$work" || exit 2
trap 'rm -rf "$work"' EXIT
# Relative names only from here on: compilers write them into their output.
cp "$here"/src/* "$work" && cd "$work" || exit 2
export LC_ALL=C SOURCE_DATE_EPOCH=0
made=0 skipped=0 failed=0

have() { command -v "$1" >/dev/null 2>&1; }
skip() {
  skipped=$((skipped + 1))
  printf 'skipped  %-34s no %s\n' "$1" "$2"
}
# make PATH COMMAND...: the command writes PATH, relative to the work folder.
make() {
  local path=$1
  shift
  mkdir -p "$(dirname "$path")"
  if "$@" >log 2>&1 && [ -s "$path" ]; then
    made=$((made + 1))
    cp "$path" "$out/$path"
  else
    failed=$((failed + 1))
    printf 'FAILED   %-34s %s\n' "$path" "$*"
    sed 's/^/         | /' log | head -5
  fi
}
assemble() { python3 "$here/assemble.py" "$@"; }

for prefix in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
  [ -x "$prefix/bin/nvcc" ] && PATH=$PATH:$prefix/bin
done

# ------------------------------------------------------------------ host only
link() { # shared library without any host runtime; names that are missing stay
  gcc -shared -nostdlib -s -Wl,--build-id=none \
    -Wl,--unresolved-symbols=ignore-all "${@:2}" -o "$1"
}
make libhost.so link libhost.so -O1 -fPIC host.c

# ------------------------------------------------------------------ CUDA
gencode() { # 90 90a,compute_90a … -> -gencode options
  local target base
  for target in "$@"; do
    base=${target%%,*}
    if [ "$base" = "$target" ]; then
      printf ' -gencode arch=compute_%s,code=sm_%s' "$base" "$base"
    else
      printf ' -gencode arch=compute_%s,code=[sm_%s,compute_%s]' "$base" "$base" "$base"
    fi
  done
}
cubin() { nvcc -arch="sm_$2" -cubin "$1.cu" -o "$3"; }
old_cubin() { # PTXAS ISA SM SOURCE OUT: PTX of the oldest target, relabelled
  nvcc -arch=compute_75 -ptx "$4.cu" -o old.ptx &&
    sed -i -E "s/^\.version.*/.version $2/; s/^\.target.*/.target sm_$3/" old.ptx &&
    "$1" -arch "sm_$3" old.ptx -o "$5"
}
if ! have nvcc; then
  skip 'cuda/*' nvcc
else
  have lz4 || skip cuda/lz4_frame.fatbin lz4
  pic='-Xcompiler -fPIC'
  # shellcheck disable=SC2046,SC2086
  make vector.o nvcc $pic $(gencode 75 80 90 90a 100f 120,ptx) -c vector.cu -o vector.o
  rm -f "$out/vector.o"
  # shellcheck disable=SC2046,SC2086
  make reduce.o nvcc $pic $(gencode 80 90,ptx) -Xfatbin -compress-all -c reduce.cu -o reduce.o
  rm -f "$out/reduce.o"
  make cuda/libvector.so link cuda/libvector.so vector.o reduce.o
  # Without its FILE symbol, which holds nvcc's process id.
  make cuda/reduce.o strip --strip-unneeded reduce.o -o cuda/reduce.o
  link libreduce.so reduce.o
  make cuda/libreduce_nosections.so llvm-objcopy-22 --strip-sections \
    libreduce.so cuda/libreduce_nosections.so
  make cuda/libreduce.so.debug objcopy --only-keep-debug libreduce.so cuda/libreduce.so.debug

  # shellcheck disable=SC2086
  nvcc -rdc=true $pic -arch=sm_90 -c reduce.cu -o device.o
  # nvlink notes its -L options: without nvcc's profile there are none.
  includes=$(dirname "$(readlink -f "$(command -v nvcc)")")/../targets/x86_64-linux/include
  # shellcheck disable=SC2086
  nvcc -noprof -I"$includes" $pic -dlink -arch=sm_90 --cudadevrt none device.o -o linked.o
  make cuda/librdc.so link cuda/librdc.so device.o linked.o

  make cuda/b_sm_80.cubin cubin limits 80 cuda/b_sm_80.cubin
  make cuda/b_sm_90.cubin cubin limits 90 cuda/b_sm_90.cubin
  make cuda/b_sm_100a.cubin cubin reduce 100a cuda/b_sm_100a.cubin
  make cuda/b_sm_120f.cubin cubin vector 120f cuda/b_sm_120f.cubin
  make cuda/b_relocatable_sm_90.cubin nvcc -arch=sm_90 -rdc=true -cubin reduce.cu -o cuda/b_relocatable_sm_90.cubin
  if [ -n "${PTXAS_11:-}" ]; then
    make cuda/a_11.8_sm_50.cubin old_cubin "$PTXAS_11" 7.8 50 reduce cuda/a_11.8_sm_50.cubin
    make cuda/a_11.8_sm_86.cubin old_cubin "$PTXAS_11" 7.8 86 reduce cuda/a_11.8_sm_86.cubin
  else
    skip 'cuda/a_11.8_*' PTXAS_11
  fi
  if [ -n "${PTXAS_12:-}" ]; then
    make cuda/a_12.4_sm_80.cubin old_cubin "$PTXAS_12" 8.3 80 limits cuda/a_12.4_sm_80.cubin
    make cuda/a_12.4_sm_90a.cubin old_cubin "$PTXAS_12" 8.3 90a reduce cuda/a_12.4_sm_90a.cubin
  else
    skip 'cuda/a_12.4_*' PTXAS_12
  fi

  # Texts with the layout that ptxas gives them.
  for text in layout before_1.4; do
    make cuda/$text.ptx cp $text.ptx cuda/$text.ptx
    make cuda/${text}_sm_90.cubin ptxas -arch=sm_90 $text.ptx -o cuda/${text}_sm_90.cubin
  done

  nvcc -arch=compute_80 -ptx reduce.cu -o reduce.ptx
  for target in 80 90 100a 103 120a; do cubin reduce "$target" "sm_$target.cubin"; done
  images() { # TARGET…: options for fatbinary
    local target
    for target in "$@"; do printf ' --image3=kind=elf,sm=%s,file=sm_%s.cubin' "$target" "$target"; done
  }
  fat() { # OUT OPTION…
    # shellcheck disable=SC2046
    fatbinary -64 "${@:2}" $(images 80 100a) --image3=kind=ptx,sm=80,file=reduce.ptx --create="$1"
  }
  make cuda/none.fatbin fat cuda/none.fatbin --compress=false
  make cuda/lz4.fatbin fat cuda/lz4.fatbin -compress-all --compress-mode=speed
  make cuda/zstd.fatbin fat cuda/zstd.fatbin -compress-all --compress-mode=balance \
    --ident=reduce.cu --cmdline=-O2
  make cuda/zlib.fatbin assemble fatbin_zlib cuda/none.fatbin cuda/zlib.fatbin
  have lz4 && make cuda/lz4_frame.fatbin assemble fatbin_lz4_frame cuda/none.fatbin cuda/lz4_frame.fatbin
  make cuda/damaged.fatbin assemble damaged cuda/zstd.fatbin cuda/damaged.fatbin
  make cuda/mislabelled.fatbin assemble mislabelled cuda/none.fatbin cuda/mislabelled.fatbin
  padded() { { cat cuda/zstd.fatbin && head -c 40 /dev/zero && cat cuda/lz4.fatbin; } >cuda/padded.fatbin; }
  make cuda/padded.fatbin padded
  lto() { nvcc -rdc=true "${@:2}" -gencode arch=compute_90,code=lto_90 -c vector.cu -o lto.o &&
    strip --strip-unneeded lto.o -o "$1"; }
  make cuda/ltoir_obfuscated.o lto cuda/ltoir_obfuscated.o
  make cuda/ltoir_plain.o lto cuda/ltoir_plain.o -no-compress
  nvcc -rdc=true -gencode 'arch=compute_90,code=[sm_90,compute_90]' -c vector.cu -o relocatable.o
  make cuda/relocatable_ptx.fatbin fatbinary -64 --image2=kind=reloc,file=relocatable.o --create=cuda/relocatable_ptx.fatbin
  if [ -n "${FATBINARY_13:-}" ]; then
    # shellcheck disable=SC2046
    make cuda/concatenated.fatbin "$FATBINARY_13" -64 -compress-all --concat --compress-mode=balance \
      --ident=reduce.cu --create=cuda/concatenated.fatbin $(images 80 100a 103 120a)
  else
    skip cuda/concatenated.fatbin FATBINARY_13
  fi
fi

# ------------------------------------------------------------------ HIP, LLVM
bin() { # folder of the tools of one LLVM
  local clang
  clang=$(command -v "clang++-$1") || return 1
  dirname "$(readlink -f "$clang")"
}
usable() { # VERSION PATTERN
  local folder
  folder=$(bin "$1") && [ -x "$folder/ld.lld" ] && [ -x "$folder/clang-offload-bundler" ] && return
  skip "$2" "clang-$1, lld-$1 or clang-tools-$1"
  return 1
}
hip() { # VERSION OPTION…
  local folder
  folder=$(bin "$1")
  PATH=$folder:$PATH "$folder/clang++" -x hip -nogpulib -nogpuinc -O2 -fno-ident -Wno-everything \
    -cuid=gantry "${@:2}"
}
arches() {
  local arch
  for arch in "$@"; do printf ' --offload-arch=%s' "$arch"; done
}
code_object() { # VERSION CODE_OBJECT_VERSION ARCH OUT: bundle without host code
  hip "$1" --cuda-device-only -mcode-object-version="$2" --offload-arch="$3" -c reduce.hip -o "$4"
}
if usable 14 'hip/*_clang14*'; then
  make hip/v2_clang14.hipfb code_object 14 2 gfx906 hip/v2_clang14.hipfb
  make hip/v3_clang14.hipfb code_object 14 3 gfx906 hip/v3_clang14.hipfb
  opencl() {
    PATH=$(bin 14):$PATH "$(bin 14)/clang" -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx906 \
      -mcode-object-version=2 -nogpulib -Xclang -finclude-default-header -cl-kernel-arg-info -O1 \
      -Wno-everything arguments.cl -o "$1"
  }
  make hip/opencl_v2_clang14.co opencl hip/opencl_v2_clang14.co
fi
if usable 16 'hip/*_clang16*'; then
  make hip/v4_clang16.hipfb code_object 16 4 gfx908 hip/v4_clang16.hipfb
  # shellcheck disable=SC2046
  make hip/bitcode_clang16.o hip 16 -fgpu-rdc $(arches gfx1030) -c vector.hip -o hip/bitcode_clang16.o
fi
if usable 19 'hip/*_clang19*'; then
  make hip/v5_clang19.hipfb code_object 19 5 gfx1100 hip/v5_clang19.hipfb
  # shellcheck disable=SC2046
  make hip/ccob_v2_clang19.o hip 19 --offload-compress $(arches gfx906 gfx1030) -c vector.hip -o hip/ccob_v2_clang19.o
fi
if usable 22 'hip/*'; then
  tools=$(bin 22)
  # shellcheck disable=SC2046
  make hip/plain.o hip 22 $(arches gfx90a gfx1100) -c reduce.hip -o hip/plain.o
  # shellcheck disable=SC2046
  make hip/features.o hip 22 $(arches gfx90a:xnack+ gfx90a:xnack- gfx942:sramecc+:xnack-) -c vector.hip -o hip/features.o
  # shellcheck disable=SC2046
  make hip/generic.o hip 22 $(arches gfx9-4-generic gfx10-3-generic gfx11-generic) -c vector.hip -o hip/generic.o
  for kind in plain ccob; do
    option=
    [ $kind = ccob ] && option=--offload-compress
    # shellcheck disable=SC2046,SC2086
    hip 22 $option -fPIC $(arches gfx90a gfx1100) -c reduce.hip -o first.o
    # shellcheck disable=SC2046,SC2086
    hip 22 $option -fPIC '-DNAME(x)=x##_again' $(arches gfx90a gfx1030) -cuid=second -c vector.hip -o second.o
    make hip/libtwo_$kind.so "$tools/ld.lld" -shared -s --unresolved-symbols=ignore-all first.o second.o -o hip/libtwo_$kind.so
  done
  bare() { hip 22 --cuda-device-only --no-gpu-bundle-output --offload-arch="$1" -c reduce.hip -o "$2"; }
  make hip/bare_v6.co bare gfx942 hip/bare_v6.co
  bare gfx906 gfx906.co
  # shellcheck disable=SC2046
  make hip/bitcode.o hip 22 -fgpu-rdc --offload-new-driver $(arches gfx1030 gfx90a) -c vector.hip -o hip/bitcode.o
  "$tools/clang" --target=spirv64-unknown-unknown -x cl -cl-std=CL3.0 -O1 -fno-ident -c kernel.cl -o kernel.spv
  make llvm/kernel.spv cp kernel.spv llvm/kernel.spv
  bundler() { COMPRESSED_BUNDLE_FORMAT_VERSION=${1#v} "$tools/clang-offload-bundler" --type=o "${@:3}" \
    --targets=host-x86_64-unknown-linux-gnu,hip-spirv64-amd-amdhsa--amdgcnspirv,hipv4-amdgcn-amd-amdhsa--gfx906 \
    --input=/dev/null --input=kernel.spv --input=gfx906.co --output="$2"; }
  make hip/spirv.hipfb bundler v3 hip/spirv.hipfb
  make hip/ccob_v2.hipfb bundler v2 hip/ccob_v2.hipfb --compress
  make hip/ccob_v3.hipfb bundler v3 hip/ccob_v3.hipfb --compress
  make hip/ccob_v1.hipfb assemble ccob_v1 hip/ccob_v2.hipfb hip/ccob_v1.hipfb
  make hip/ccob_zlib.hipfb assemble ccob_zlib hip/spirv.hipfb hip/ccob_zlib.hipfb
  make hip/ccob_bad_hash.hipfb assemble ccob_bad_hash hip/ccob_v3.hipfb hip/ccob_bad_hash.hipfb
  make hip/spelled.hipfb assemble spelled gfx906.co hip/spelled.hipfb
  make llvm/offload_v1.bin "$tools/clang-offload-packager" -o llvm/offload_v1.bin \
    --image=file=kernel.spv,triple=spirv64-unknown-unknown,arch=generic,kind=sycl \
    --image=file=gfx906.co,triple=amdgcn-amd-amdhsa,arch=gfx906,kind=hip
  make llvm/offload_v2.bin assemble offload_v2 gfx906.co kernel.spv llvm/offload_v2.bin
  make llvm/offload_v3.bin assemble offload_v3 gfx906.co kernel.spv llvm/offload_v3.bin
  for arch in gfx906 gfx90a; do
    hip 22 --cuda-device-only -S --offload-arch=$arch -c vector.hip -o $arch.s
  done
  make llvm/bundle.s "$tools/clang-offload-bundler" --type=s --input=/dev/null --input=gfx906.s --input=gfx90a.s \
    --targets=host-x86_64-unknown-linux-gnu-,hip-amdgcn-amd-amdhsa--gfx906,hip-amdgcn-amd-amdhsa--gfx90a --output=llvm/bundle.s
  if have zstd; then
    zstd -q --no-check kernel.spv
    make llvm/libsycl.so link llvm/libsycl.so sycl.S
  else
    skip llvm/libsycl.so zstd
  fi
fi

# ------------------------------------------------------------------ hosts other than ELF
if usable 22 'hip/two.dll hip/reduce.obj cuda/two.dll cuda/universal.o'; then
  tools=$(bin 22)
  dll() { "$tools/lld-link" /nologo /dll /noentry /nodefaultlib /force:unresolved /timestamp:0 "/out:$1" "${@:2}"; }
  # Without the time of day in the header.
  windows() { hip 22 --target=x86_64-pc-windows-msvc -mno-incremental-linker-compatible "$@"; }
  # shellcheck disable=SC2046
  windows $(arches gfx90a gfx1100) -c reduce.hip -o first.obj
  # shellcheck disable=SC2046
  windows --offload-compress $(arches gfx1030) '-DNAME(x)=x##_again' -cuid=second -c vector.hip -o second.obj
  make hip/reduce.obj cp first.obj hip/reduce.obj
  make hip/two.dll dll hip/two.dll first.obj second.obj
  # The fat binaries are there when there is nvcc, or from the folder itself.
  mkdir -p cuda
  for name in zstd lz4; do [ -f cuda/$name.fatbin ] || cp "$here/cuda/$name.fatbin" cuda; done
  contain() { "$tools/clang" --target="$1" -Wno-unused-command-line-argument -mno-incremental-linker-compatible "${@:3}" -c container.S -o "$2"; }
  contain x86_64-pc-windows-msvc containers.obj -DSECOND
  make cuda/two.dll dll cuda/two.dll containers.obj
  contain x86_64-apple-macos10.13 mac_amd64.o
  contain arm64-apple-macos11 mac_arm64.o
  make cuda/universal.o "$tools/llvm-lipo" -create mac_amd64.o mac_arm64.o \
    -segalign x86_64 10 -segalign arm64 10 -output cuda/universal.o
fi
make hip/libkpack.so link hip/libkpack.so kpack.s

# ------------------------------------------------------------------- packages
wheel=wheel/gantry_sample-1.0-py3-none-any.whl
if [ -f hip/libtwo_ccob.so ] && [ -f hip/bare_v6.co ] && [ -f cuda/reduce.o ]; then
  make $wheel assemble wheel hip/libtwo_ccob.so hip/bare_v6.co cuda/reduce.o $wheel
else
  skip $wheel "nvcc or clang-22"
fi

printf '%d made, %d skipped, %d failed in %s\n' $made $skipped $failed "$out"
[ $failed -eq 0 ]
