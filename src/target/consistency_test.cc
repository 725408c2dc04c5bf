// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gantry/target.h"

#include <gtest/gtest.h>

using namespace gantry;

namespace {

using enum Consistency;

std::optional<Target> sm(std::uint32_t number, Suffix s = Suffix::none) {
  return nvidia_target(number, s);
}

// The target that a bundle id of this kind declares.
std::optional<Target> declared(std::string_view id) {
  return parse_entry_id(id).target;
}
std::optional<Target> hipv4(std::string_view id) {
  return declared("hipv4-amdgcn-amd-amdhsa--" + std::string(id));
}
std::optional<Target> hip(std::string_view id) {
  return declared("hip-amdgcn-amd-amdhsa--" + std::string(id));
}

AmdEvidence flags(std::uint32_t e_flags, std::uint8_t abi) {
  return {abi, amd_target_from_flags(e_flags, abi), {}};
}
AmdEvidence note(std::string_view id, std::uint8_t abi) {
  return {abi,
          {},
          amd_target_from_text("amdgcn-amd-amdhsa--" + std::string(id), abi)};
}
AmdEvidence both(std::uint32_t e_flags, std::string_view id, std::uint8_t abi) {
  return {abi, flags(e_flags, abi).flags, note(id, abi).note};
}

// sm, header bit, .nv.compat, toolkit note
NvidiaEvidence cubin(std::uint32_t number, std::optional<bool> a_bit = {},
                     std::optional<bool> compat_a = {},
                     std::optional<Suffix> note_suffix = {}) {
  return {number, a_bit, compat_a, note_suffix};
}

TEST(Consistency, HasStableWords) {
  EXPECT_EQ(word(equal), "equal");
  EXPECT_EQ(word(base_only), "base-only");
  EXPECT_EQ(word(conflict), "conflict");
  EXPECT_EQ(word(feature_mismatch), "feature-mismatch");
  EXPECT_EQ(word(Consistency::unknown), "unknown");
  EXPECT_EQ(word(unexamined), "unexamined");
  EXPECT_EQ(word(single_source), "single-source");
}

TEST(Consistency, KeepsWhatWasNotLookedAtUnexamined) {
  EXPECT_EQ(compare_nvidia(sm(90), {}), unexamined);
  EXPECT_EQ(compare_ptx(sm(90), {}), unexamined);
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), {}), unexamined);
  EXPECT_EQ(compare_amd({}, {}), unexamined);
}

TEST(Consistency, ReportsASingleSourceOfBareFiles) {
  EXPECT_EQ(compare_nvidia({}, cubin(90)), single_source);
  EXPECT_EQ(compare_ptx({}, PtxEvidence{sm(90)}), single_source);
  EXPECT_EQ(compare_amd({}, flags(0x73F, 2)), single_source);
}

TEST(Consistency, KeepsUnreadableTargetsUnknown) {
  const std::optional<Target> odd = other_target("who-knows");
  EXPECT_EQ(compare_nvidia(odd, cubin(90)), Consistency::unknown);
  EXPECT_EQ(compare_nvidia(sm(90), NvidiaEvidence{}), Consistency::unknown);
  EXPECT_EQ(compare_nvidia({}, NvidiaEvidence{}), Consistency::unknown);
  EXPECT_EQ(compare_ptx(odd, PtxEvidence{sm(90)}), Consistency::unknown);
  EXPECT_EQ(compare_ptx(sm(90), PtxEvidence{}), Consistency::unknown);
  EXPECT_EQ(compare_amd(odd, flags(0x73F, 2)), Consistency::unknown);
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), flags(0x6A, 2)), Consistency::unknown);
}

TEST(Consistency, ReportsTheBaseOnlyWhenNothingProvesTheSuffix) {
  EXPECT_EQ(compare_nvidia(sm(90), cubin(90)), base_only);
  EXPECT_EQ(compare_nvidia(sm(90, Suffix::a), cubin(90)), base_only);
  EXPECT_EQ(compare_nvidia(sm(100), cubin(100)), base_only);
  // Not 'a', but 'f' leaves no mark.
  EXPECT_EQ(compare_nvidia(sm(100), cubin(100, {}, false)), base_only);
  EXPECT_EQ(compare_nvidia(sm(100, Suffix::f), cubin(100, {}, false)),
            base_only);
  // A number nobody knows may have any variant.
  EXPECT_EQ(compare_nvidia(sm(130), cubin(130)), base_only);
}

TEST(Consistency, ReportsEqualCubins) {
  EXPECT_EQ(compare_nvidia(sm(90, Suffix::a), cubin(90, true)), equal);
  EXPECT_EQ(compare_nvidia(sm(90, Suffix::a), cubin(90, {}, true)), equal);
  EXPECT_EQ(
      compare_nvidia(sm(100, Suffix::f), cubin(100, {}, false, Suffix::f)),
      equal);
  EXPECT_EQ(compare_nvidia(sm(100), cubin(100, {}, false, Suffix::none)),
            equal);
  EXPECT_EQ(compare_nvidia(sm(120, Suffix::a), cubin(120, {}, {}, Suffix::a)),
            equal);
  // SM 90 has no 'f' and SM 86 no variant at all.
  EXPECT_EQ(compare_nvidia(sm(90), cubin(90, false)), equal);
  EXPECT_EQ(compare_nvidia(sm(90), cubin(90, {}, false)), equal);
  EXPECT_EQ(compare_nvidia(sm(86), cubin(86)), equal);
  // What the object proves outranks the note.
  EXPECT_EQ(compare_nvidia(sm(100, Suffix::a), cubin(100, {}, true, Suffix::f)),
            equal);
}

TEST(Consistency, ReportsConflictingCubins) {
  EXPECT_EQ(compare_nvidia(sm(86), cubin(90)), conflict);
  EXPECT_EQ(compare_nvidia(sm(101), cubin(110)), conflict);
  EXPECT_EQ(compare_nvidia(hipv4("gfx90a"), cubin(90)), conflict);
  EXPECT_EQ(compare_nvidia(sm(100, Suffix::f), cubin(100, {}, true)), conflict);
  EXPECT_EQ(compare_nvidia(sm(90), cubin(90, true)), conflict);
  EXPECT_EQ(compare_nvidia(sm(90), cubin(90, {}, true)), conflict);
  EXPECT_EQ(compare_nvidia(sm(90, Suffix::a), cubin(90, false)), conflict);
  EXPECT_EQ(compare_nvidia(sm(100, Suffix::a), cubin(100, {}, false)),
            conflict);
  EXPECT_EQ(compare_nvidia(sm(100), cubin(100, {}, false, Suffix::f)),
            conflict);
  EXPECT_EQ(
      compare_nvidia(sm(100, Suffix::f), cubin(100, {}, false, Suffix::none)),
      conflict);
  EXPECT_EQ(compare_nvidia(sm(86, Suffix::a), cubin(86)), conflict);
}

TEST(Consistency, KeepsContradictingSuffixEvidenceUnknown) {
  EXPECT_EQ(observed_suffix(cubin(100, true, false)), std::nullopt);
  EXPECT_EQ(compare_nvidia(sm(100, Suffix::a), cubin(100, true, false)),
            base_only);
  EXPECT_EQ(observed_suffix(cubin(100, {}, false, Suffix::a)), std::nullopt);
  EXPECT_EQ(observed_suffix(cubin(100, {}, false, Suffix::f)), Suffix::f);
  EXPECT_EQ(observed_suffix(cubin(100, true, true, Suffix::none)), Suffix::a);
  EXPECT_EQ(observed_suffix(NvidiaEvidence{}), std::nullopt);
}

TEST(Consistency, ComparesPtxWithItsTargetDirective) {
  auto directive = [](std::string_view text) {
    return PtxEvidence{parse_target(text)->target};
  };
  const auto entry = sm(90, Suffix::a); // compute_90a
  EXPECT_EQ(compare_ptx(entry, directive("compute_90a")), equal);
  EXPECT_EQ(compare_ptx(entry, directive("sm_90a")), equal);
  EXPECT_EQ(compare_ptx(entry, directive("sm_90")), conflict);
  EXPECT_EQ(compare_ptx(entry, directive("sm_100a")), conflict);
  EXPECT_EQ(compare_ptx(sm(100), directive("sm_100f")), conflict);
  EXPECT_EQ(compare_ptx(hipv4("gfx90a"), directive("sm_90a")), conflict);
}

TEST(Consistency, ComparesAmdFeaturesOfVersionFourAndLater) {
  EXPECT_EQ(compare_amd(hipv4("gfx90a:xnack+"), flags(0x73F, 2)), equal);
  EXPECT_EQ(
      compare_amd(hipv4("gfx90a:xnack+"), both(0x73F, "gfx90a:xnack+", 2)),
      equal);
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), flags(0x53F, 3)), equal);
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), note("gfx90a:xnack+", 2)),
            feature_mismatch);
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), flags(0x73F, 2)), feature_mismatch);
  EXPECT_EQ(compare_amd(hipv4("gfx90a:xnack-"), flags(0x73F, 2)),
            feature_mismatch);
  EXPECT_EQ(compare_amd(hipv4("gfx90a:xnack+"), flags(0x53F, 2)),
            feature_mismatch);
  EXPECT_EQ(compare_amd(hipv4("gfx942:sramecc+"), flags(0x54C, 4)),
            feature_mismatch);
  EXPECT_EQ(compare_amd(hipv4("gfx1030"), flags(0x36, 4)), equal);
  EXPECT_EQ(compare_amd(hipv4("gfx9-4-generic"), flags(0x0100055F, 4)), equal);
  // Objects by hand leave the fields at "unsupported", which runs like any.
  EXPECT_EQ(compare_amd(hipv4("gfx942"), flags(0x4C, 4)), equal);
  // "hip" of clang 22's new driver: the object's version counts.
  EXPECT_EQ(compare_amd(hip("gfx906"), flags(0x52F, 4)), equal);
}

TEST(Consistency, KnowsWhereXnackIsAlwaysOn) {
  for (std::uint32_t e_flags : {0x449u, 0x549u, 0x749u}) {
    EXPECT_EQ(compare_amd(hipv4("gfx1250"), flags(e_flags, 4)), equal);
    EXPECT_EQ(compare_amd(hipv4("gfx1250:xnack+"), flags(e_flags, 4)), equal);
    EXPECT_EQ(compare_amd(hipv4("gfx1250:xnack-"), flags(e_flags, 4)),
              feature_mismatch);
  }
  EXPECT_EQ(compare_amd(hipv4("gfx1250"), flags(0x649, 4)), feature_mismatch);
  EXPECT_EQ(compare_amd(hipv4("gfx1250"), flags(0x4EB, 4)), conflict);
}

TEST(Consistency, KeepsAmdFeaturesBeforeVersionFourUnknown) {
  for (std::uint8_t abi = 0; abi < 2; abi++) {
    EXPECT_EQ(compare_amd(hip("gfx906"), flags(0x32F, abi)),
              Consistency::unknown);
    EXPECT_EQ(compare_amd(hip("gfx906+xnack"), flags(0x32F, abi)),
              Consistency::unknown);
    EXPECT_EQ(compare_amd(hip("gfx906+sramecc+xnack"), flags(0x32F, abi)),
              equal);
    EXPECT_EQ(compare_amd(hip("gfx906+sramecc+xnack"), flags(0x22F, abi)),
              feature_mismatch);
    EXPECT_EQ(compare_amd(hip("gfx1030"), flags(0x36, abi)), equal);
    EXPECT_EQ(compare_amd(hip("gfx908"), flags(0x32F, abi)), conflict);
  }
  // The note of clang 14 for the same object.
  EXPECT_EQ(compare_amd(hip("gfx906"), both(0x32F, "gfx907", 0)),
            Consistency::unknown);
  EXPECT_EQ(compare_amd(hip("gfx906+sramecc+xnack"), both(0x32F, "gfx907", 0)),
            equal);
  EXPECT_EQ(compare_amd(hip("gfx906"), both(0x32F, "gfx900", 0)), conflict);
  // No flags at all: true V1 and V2.
  EXPECT_EQ(compare_amd(hip("gfx900"),
                        AmdEvidence{0, {}, amd_target_from_isa_note(9, 0, 0)}),
            Consistency::unknown);
  EXPECT_EQ(compare_amd(hip("gfx900+xnack"),
                        AmdEvidence{0, {}, amd_target_from_isa_note(9, 0, 0)}),
            Consistency::unknown);
  EXPECT_EQ(compare_amd(hip("gfx803"),
                        AmdEvidence{0, {}, amd_target_from_isa_note(8, 0, 3)}),
            equal);
}

TEST(Consistency, ReportsOtherProcessorsAsConflict) {
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), flags(0x54C, 4)), conflict);
  EXPECT_EQ(compare_amd(hipv4("gfx1100"), flags(0x01000054, 4)), conflict);
  EXPECT_EQ(compare_amd(sm(90), flags(0x53F, 4)), conflict);
  // The worse of two witnesses rules.
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), both(0x53F, "gfx942", 4)), conflict);
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), both(0x54C, "gfx90a", 4)), conflict);
  EXPECT_EQ(compare_amd(hipv4("gfx90a"), both(0x53F, "gfx90a:xnack+", 4)),
            feature_mismatch);
}

TEST(Consistency, ComparesFlagsAndNoteOfOneObject) {
  EXPECT_EQ(compare_amd_object(both(0x73F, "gfx90a:xnack+", 2)), equal);
  EXPECT_EQ(compare_amd_object(both(0x53F, "gfx90a:xnack+", 2)),
            feature_mismatch);
  EXPECT_EQ(compare_amd_object(both(0x54C, "gfx90a", 2)), conflict);
  EXPECT_EQ(compare_amd_object(both(0x549, "gfx1250", 4)), equal);
  EXPECT_EQ(compare_amd_object(flags(0x73F, 2)), single_source);
  EXPECT_EQ(compare_amd_object(note("gfx90a", 2)), single_source);
  EXPECT_EQ(compare_amd_object(AmdEvidence{}), Consistency::unknown);
  // V2 of clang 14: the ISA note (9:0:7) has no features of its own.
  EXPECT_EQ(compare_amd_object(AmdEvidence{0, amd_target_from_flags(0x32F, 0),
                                           amd_target_from_isa_note(9, 0, 7)}),
            Consistency::unknown);
  EXPECT_EQ(compare_amd_object(AmdEvidence{0, amd_target_from_flags(0x32F, 0),
                                           amd_target_from_isa_note(9, 0, 0)}),
            conflict);
}

} // namespace
