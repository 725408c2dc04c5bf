// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every gantry API shares: bytes, errors, results and limits.
//
// Ownership: Bytes never owns; whoever hands one out says how long it lives.
// Errors: functions return Result<T>; gantry throws nothing of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gantry {

using Bytes = std::span<const std::byte>;

// Every way an input can be refused. The values are part of the JSON output:
// append only, never renumber.
enum class Errc : std::uint16_t {
  truncated = 1,        // the input ends before the structure does
  bad_magic = 2,        // not the format we were asked to read
  bad_value = 3,        // a field holds a value the format forbids
  too_large = 4,        // legal, but over one of our Limits
  unsupported = 5,      // legal, but a version or feature we do not read
  io = 6,               // the operating system refused
  corrupt = 7,          // a checksum or a decoder says the bytes are damaged
  not_found = 8,        // what was asked for is not there
  invalid_argument = 9, // the caller asked for something impossible
  interrupted = 10,     // stopped by the user or by a time limit
  changed = 11,         // not the file that the caller means (other SHA-256)
};

// The stable word for a code, as JSON spells it ("truncated", "bad-magic", …).
std::string_view word(Errc code);

// Where and why reading stopped. `offset` counts bytes from the start of the
// innermost input named in `context`.
struct Error {
  Errc code = Errc::io;
  std::uint64_t offset = 0;
  std::string what;    // the field or structure: "bundle entry 3: id size"
  std::string context; // outermost first: "a.whl > libx.so > .hip_fatbin"

  // Adds the next outer container while an error travels up.
  Error in(std::string_view outer) &&;

  // "a.whl > libx.so: bundle entry 3: image: truncated at byte 0x20"
  std::string text() const;
};

// A value, or an Error. std::expected of libstdc++ 12 is not [[nodiscard]].
template <class T> class [[nodiscard]] Result : public std::expected<T, Error> {
public:
  using std::expected<T, Error>::expected;
};

inline std::unexpected<Error> fail(Errc code, std::uint64_t offset,
                                   std::string what) {
  return std::unexpected(Error{code, offset, std::move(what), {}});
}

// What hostile input may cost. Every refusal names the limit that was hit;
// docs/limits.md describes each. All sizes in bytes.
struct Limits {
  // One decoded payload, and the ratio decoded : encoded that is accepted for
  // payloads above `ratio_floor`. Real compressed bundles reach 40.
  std::uint64_t decoded_bytes = std::uint64_t{4} << 30;
  std::uint64_t decoded_ratio = 200;
  std::uint64_t ratio_floor = std::uint64_t{64} << 20;
  // Tables of sections, segments and symbols of one ELF file.
  std::uint64_t table_bytes = std::uint64_t{256} << 20;
  // Notes of one code object.
  std::uint64_t note_bytes = std::uint64_t{256} << 20;
  // One name out of a string table.
  std::uint64_t name_bytes = std::uint64_t{1} << 20;
  // Containers, objects and kernels of one input.
  std::uint64_t records = std::uint64_t{4} << 20;
  // Hits of the search by content that are looked at more closely.
  std::uint64_t candidates = std::uint64_t{1} << 20;
  // Packages in packages. Containers of one file nest four deep at most, by
  // construction.
  std::uint32_t depth = 16;
  // Members of one package, and one of them unpacked. `decoded_ratio` and
  // `ratio_floor` hold for members, too.
  std::uint64_t members = std::uint64_t{1} << 20;
  std::uint64_t member_bytes = std::uint64_t{4} << 30;
};

// Each member of Limits with its name, for options that set one.
struct LimitName {
  std::string_view name; // "decoded_bytes"
  std::uint64_t (*get)(const Limits &);
  void (*set)(Limits &, std::uint64_t);
};
std::span<const LimitName> limit_names();

} // namespace gantry
