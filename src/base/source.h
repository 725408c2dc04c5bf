// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random access to bytes that may or may not be in memory.
#pragma once

#include "base/reader.h"

#include <memory>

namespace gantry {

// Memory for reads and decoders: grows, never shrinks, is not cleared.
class Buffer {
public:
  // At least `size` bytes; earlier contents are lost. Refuses (too_large) when
  // the system has no memory.
  Result<std::span<std::byte>> reserve(std::uint64_t size);

private:
  std::unique_ptr<std::byte[]> data_;
  std::uint64_t capacity_ = 0;
};

class Source {
public:
  virtual ~Source() = default;
  virtual std::uint64_t size() const = 0;

  // Bytes [offset, offset + size). A view into the source when it is in memory,
  // else read into `scratch` and valid until its next use. Errors: truncated
  // (outside the source), io, too_large. Safe from several threads with one
  // scratch each.
  virtual Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                             Buffer &scratch) const = 0;

  // Like read(), but as much of the range as the source has.
  Result<Bytes> read_up_to(std::uint64_t offset, std::uint64_t size,
                           Buffer &scratch) const;
};

// Bytes that somebody else keeps alive.
class MemorySource final : public Source {
public:
  explicit MemorySource(Bytes data) : data_(data) {}
  std::uint64_t size() const override { return data_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override;

private:
  Bytes data_;
};

// A range of another source, which must outlive it. The range must lie inside.
class SliceSource final : public Source {
public:
  SliceSource(const Source &whole, std::uint64_t offset, std::uint64_t size)
      : whole_(whole), offset_(offset), size_(size) {}
  std::uint64_t size() const override { return size_; }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override;

private:
  const Source &whole_;
  std::uint64_t offset_;
  std::uint64_t size_;
};

// Small reads near each other, as walks over headers make them, served from one
// window of the source behind it, which must outlive this. For one thread.
class WindowSource final : public Source {
public:
  explicit WindowSource(const Source &whole) : whole_(whole) {}
  std::uint64_t size() const override { return whole_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override;

  // Bytes of the source from `offset` on that are in memory already: the next
  // reads come from there. They must stay until hold() or a read elsewhere.
  void hold(Bytes bytes, std::uint64_t offset) const {
    held_ = bytes;
    held_offset_ = offset;
  }

private:
  const Source &whole_;
  mutable Buffer window_;
  mutable Bytes held_; // the window's bytes, from held_offset_ on
  mutable std::uint64_t held_offset_ = 0;
};

} // namespace gantry
