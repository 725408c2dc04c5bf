// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "edit/object_path.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace gantry::edit {
namespace {

using inspect::ObjectKind;

std::string path(std::string id, ObjectKind kind, std::string target) {
  inspect::Object o;
  o.id = std::move(id), o.kind = kind, o.target = std::move(target);
  return object_path(o);
}

TEST(ObjectPath, NamesPositionTargetAndKind) {
  EXPECT_EQ(path("4cbd50.3", ObjectKind::cubin, "sm_90a"),
            "4cbd50.3.sm_90a.cubin");
  EXPECT_EQ(path("0", ObjectKind::ptx, ""), "0.ptx");
  EXPECT_EQ(path("1000.0.1", ObjectKind::amdgpu, "gfx90a:sramecc+:xnack-"),
            "1000.0.1.gfx90a_sramecc+_xnack-.hsaco");
  EXPECT_EQ(path("0.0", ObjectKind::unknown, "../../x y"), "0.0.______x_y.bin");
  EXPECT_EQ(path("0", ObjectKind::cubin, std::string(1000, 'x')).size(),
            64 + 8u);
}

TEST(ObjectPath, TellsHowStoredBytesAreCompressed) {
  inspect::Object o;
  o.id = "0", o.kind = ObjectKind::ptx, o.compression = "lz4-block";
  EXPECT_EQ(object_path(o, true), "0.ptx.lz4-block");
  EXPECT_EQ(object_path(o), "0.ptx");
  o.compression = "none";
  EXPECT_EQ(object_path(o, true), "0.ptx");
}

TEST(ObjectPath, MakesFoldersOfMembers) {
  EXPECT_EQ(path("lib/x.so!40.0", ObjectKind::cubin, "sm_90"),
            "lib/x.so/40.0.sm_90.cubin");
  EXPECT_EQ(path("a.tar!b.o@2!40.0", ObjectKind::spirv, ""),
            "a.tar/b.o@2/40.0.spv");
}

TEST(ObjectPath, StaysBelowItsFolder) {
  for (std::string id : {"../../etc/passwd!0", "/etc/passwd!0", "a/../../b!0",
                         "..!0", "!0", "//!0", "./a!0", "a!..!0"}) {
    std::filesystem::path p = path(id, ObjectKind::ptx, "");
    EXPECT_TRUE(p.is_relative()) << p;
    for (const auto &part : p) {
      EXPECT_NE(part, "..") << p;
      EXPECT_NE(part, ".") << p;
    }
  }
}

TEST(ObjectPath, KeepsMembersApart) {
  EXPECT_NE(path("/a!0", ObjectKind::ptx, ""),
            path("a!0", ObjectKind::ptx, ""));
  EXPECT_NE(path("a/./b!0", ObjectKind::ptx, ""),
            path("a/b!0", ObjectKind::ptx, ""));
}

} // namespace
} // namespace gantry::edit
