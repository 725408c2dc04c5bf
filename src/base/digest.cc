// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/digest.h"

#include <nettle/md5.h>
#include <nettle/sha2.h>

namespace gantry {

namespace {

const std::uint8_t *octets(Bytes bytes) {
  return reinterpret_cast<const std::uint8_t *>(bytes.data());
}

std::uint8_t *octets(std::span<std::byte> bytes) {
  return reinterpret_cast<std::uint8_t *>(bytes.data());
}

} // namespace

std::string hex(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (std::byte b : bytes) {
    out += kDigits[std::to_integer<unsigned>(b) >> 4];
    out += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  sha256_init(&state_->context);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256 &&) noexcept = default;
Sha256 &Sha256::operator=(Sha256 &&) noexcept = default;

void Sha256::update(Bytes bytes) {
  sha256_update(&state_->context, bytes.size(), octets(bytes));
}

std::array<std::byte, Sha256::kSize> Sha256::digest() const {
  // nettle ends a message when it is asked for the digest: ask a copy.
  sha256_ctx copy = state_->context;
  std::array<std::byte, kSize> out;
  sha256_digest(&copy, out.size(), octets(std::span<std::byte>(out)));
  return out;
}

std::string Sha256::hex() const { return gantry::hex(digest()); }

struct Md5::State {
  md5_ctx context;
};

Md5::Md5() : state_(std::make_unique<State>()) { md5_init(&state_->context); }
Md5::~Md5() = default;
Md5::Md5(Md5 &&) noexcept = default;
Md5 &Md5::operator=(Md5 &&) noexcept = default;

void Md5::update(Bytes bytes) {
  md5_update(&state_->context, bytes.size(), octets(bytes));
}

std::array<std::byte, Md5::kSize> Md5::digest() const {
  md5_ctx copy = state_->context;
  std::array<std::byte, kSize> out;
  md5_digest(&copy, out.size(), octets(std::span<std::byte>(out)));
  return out;
}

std::string Md5::hex() const { return gantry::hex(digest()); }

} // namespace gantry
