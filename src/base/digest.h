// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-256 and MD5, in pieces of any size.
#pragma once

#include "gantry/base.h"

#include <array>
#include <memory>

namespace gantry {

// Lower-case hexadecimal digits, two per byte.
std::string hex(Bytes bytes);

// The digest of everything passed to update() so far; asking for it does not
// end the message. Not copyable; safe from one thread at a time.
class Sha256 {
public:
  static constexpr std::size_t kSize = 32;
  Sha256();
  ~Sha256();
  Sha256(Sha256 &&) noexcept;
  Sha256 &operator=(Sha256 &&) noexcept;

  void update(Bytes bytes);
  std::array<std::byte, kSize> digest() const;
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

// For formats that name it only: MD5 proves nothing against an attacker.
class Md5 {
public:
  static constexpr std::size_t kSize = 16;
  Md5();
  ~Md5();
  Md5(Md5 &&) noexcept;
  Md5 &operator=(Md5 &&) noexcept;

  void update(Bytes bytes);
  std::array<std::byte, kSize> digest() const;
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace gantry
