// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/compress.h"

#include <zstd.h>

namespace gantry {

struct Compressor::Contexts {
  ZSTD_CCtx *zstd = nullptr;
  ~Contexts() { ZSTD_freeCCtx(zstd); }
};

Compressor::Compressor() : contexts_(std::make_unique<Contexts>()) {}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor &&) noexcept = default;
Compressor &Compressor::operator=(Compressor &&) noexcept = default;

Result<Bytes> Compressor::zstd(Bytes input, int level, Buffer &out) {
  if (!contexts_->zstd)
    contexts_->zstd = ZSTD_createCCtx();
  if (!contexts_->zstd)
    return fail(Errc::too_large, 0, "zstd: no memory");
  GANTRY_TRY(auto to, out.reserve(ZSTD_compressBound(input.size())));
  std::size_t size = ZSTD_compressCCtx(contexts_->zstd, to.data(), to.size(),
                                       input.data(), input.size(), level);
  // With room for the worst case only memory can be missing.
  if (ZSTD_isError(size))
    return fail(Errc::too_large, 0,
                std::string("zstd: ") + ZSTD_getErrorName(size));
  return Bytes(to).first(size);
}

} // namespace gantry
