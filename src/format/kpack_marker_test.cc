// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/kpack_marker.h"

#include "base/test_msgpack.h"

#include <gtest/gtest.h>

namespace gantry::kpack {
namespace {

Packer marker() {
  Packer p;
  p.map(2).text("kpack_search_paths").array(2);
  p.text(".kpack/t_@GFXARCH@.kpack").text("/opt/x.kpack");
  return p.pair("kernel_name", "libk3.so");
}

Result<Marker> read(const std::string &bytes) {
  return read_marker(as_bytes(bytes), {});
}

TEST(KpackMarker, ReadsPathsAndName) {
  std::string bytes = marker().str();
  const std::size_t size = bytes.size();
  bytes += std::string(40, '\0'); // PE pads
  auto m = read(bytes);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->search_paths, (std::vector<std::string>{
                                 ".kpack/t_@GFXARCH@.kpack", "/opt/x.kpack"}));
  EXPECT_EQ(m->kernel_name, "libk3.so");
  EXPECT_EQ(m->size, size);
}

TEST(KpackMarker, TakesAnyOrderUnknownKeysAndForeignElements) {
  Packer p;
  p.map(3).pair("kernel_name", "k").pair("new", 7);
  p.text("kpack_search_paths").array(3).number(1).text("a").nil();
  auto m = read(p.str());
  ASSERT_TRUE(m);
  EXPECT_EQ(m->search_paths, std::vector<std::string>{"a"});
}

TEST(KpackMarker, RefusesEveryTruncation) {
  const std::string whole = marker().str();
  for (std::size_t n = 0; n < whole.size(); n++) {
    auto m = read(whole.substr(0, n));
    ASSERT_FALSE(m) << n;
    EXPECT_EQ(m.error().code, Errc::truncated) << n;
    EXPECT_LE(m.error().offset, n);
  }
}

TEST(KpackMarker, RefusesWhatIsNoMarker) {
  Packer array, nameless, pathless, no_text, empty, wrong_name;
  array.array(1).nil();
  nameless.map(1).text("kpack_search_paths").array(1).text("a");
  pathless.map(1).pair("kernel_name", "k");
  no_text.map(2).pair("kernel_name", "k").pair("kpack_search_paths", "a");
  empty.map(2).pair("kernel_name", "k").text("kpack_search_paths").array(0);
  wrong_name.map(2).pair("kernel_name", 1);
  wrong_name.text("kpack_search_paths").array(1).text("a");
  for (const Packer &p :
       {array, nameless, pathless, no_text, empty, wrong_name}) {
    auto m = read(p.str());
    ASSERT_FALSE(m);
    EXPECT_EQ(m.error().code, Errc::bad_value);
    EXPECT_EQ(m.error().offset, 0u);
  }
}

TEST(KpackMarker, ReadsNoFurtherThanItsBound) {
  Packer p;
  p.map(2).text("kpack_search_paths").array(65000);
  for (unsigned i = 0; i < 65000; i++)
    p.text("ab");
  p.pair("kernel_name", "k");
  auto m = read(p.str());
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().code, Errc::truncated);
  EXPECT_LE(m.error().offset, kMarkerMax);
}

} // namespace
} // namespace gantry::kpack
