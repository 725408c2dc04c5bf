// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compression of whole buffers, the counterpart of base/decompress.h.
#pragma once

#include "base/source.h"

#include <memory>

namespace gantry {

// Compresses buffer after buffer; keeps what can be used again. One per thread.
class Compressor {
public:
  Compressor();
  ~Compressor();
  Compressor(Compressor &&) noexcept;
  Compressor &operator=(Compressor &&) noexcept;

  // One zstd frame, which states its decoded size. The same input and level
  // give the same bytes. The result lies in `out`. Errors: too_large (no
  // memory).
  Result<Bytes> zstd(Bytes input, int level, Buffer &out);

private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

} // namespace gantry
