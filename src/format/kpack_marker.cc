// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One MessagePack map without header or length:
//
//   kpack_search_paths: array of texts, at least one
//   kernel_name: text
//
// ELF section .rocm_kpack_ref, PE section .kpackrf (padded with zeros); the
// registration records of the binary (hip_wrapper.cc) hold its address, and the
// number N of their code. The key in an archive is "<kernel_name>#<N>".
// Elements of the array that are no text are passed over, as the runtime does.
//
// Source: binaries that ROCm/rocm-kpack split in 2026-02.

#include "format/kpack_marker.h"

#include "base/msgpack.h"

namespace gantry::kpack {

Result<Marker> read_marker(Bytes bytes, const Limits &limits) {
  if (bytes.size() > kMarkerMax)
    bytes = bytes.first(kMarkerMax);
  msgpack::Parsed parsed = msgpack::parse(bytes, limits);
  if (parsed.damage) {
    Error e = *parsed.damage;
    e.what = "kpack marker: " + e.what;
    return std::unexpected(std::move(e));
  }
  msgpack::Value root = parsed.document.root();
  if (root.kind() != msgpack::Kind::map)
    return fail(Errc::bad_value, 0, "kpack marker: not a map");
  Marker out;
  out.size = parsed.document.end;
  if (auto paths = root.find("kpack_search_paths"))
    paths->each([&](msgpack::Value path) {
      if (auto text = path.text())
        out.search_paths.emplace_back(*text);
    });
  if (out.search_paths.empty())
    return fail(Errc::bad_value, 0, "kpack marker: kpack_search_paths");
  auto name = root.find("kernel_name");
  auto text = name ? name->text() : std::nullopt;
  if (!text)
    return fail(Errc::bad_value, 0, "kpack marker: kernel_name");
  out.kernel_name = *text;
  return out;
}

} // namespace gantry::kpack
