// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/ptx.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace gantry;
using namespace gantry::ptx;

namespace {

const std::string kHead = ".version 8.7\n.target sm_90\n.address_size 64\n";

// The module owns nothing, so the text must stay.
Module read(const std::string &text) {
  auto m = read_module(as_bytes(text), {});
  EXPECT_TRUE(m);
  return m ? *m : Module();
}
Module read(std::string &&) = delete;

// "visible k, internal g"
std::string kernels(const std::string &text) {
  std::string out;
  for (const Kernel &k : read(text).kernels) {
    out += out.empty() ? "" : ", ";
    out += word(k.linkage);
    out += ' ';
    out += k.name;
  }
  return out;
}

// "sm_90a" of the effective target, or "unknown".
std::string effective(const std::string &targets) {
  std::string text = ".version 8.7\n" + targets;
  auto t = effective_target(read(text));
  return t ? "sm_" + std::to_string(t->arch) + std::string(t->suffix)
           : "unknown";
}

bool is(const std::optional<Error> &e, Errc code, std::uint64_t offset) {
  return e && e->code == code && e->offset == offset;
}

TEST(Ptx, ReadsAModule) {
  std::string text =
      "\n\n//\n// Generated\n//\n\n"
      ".version 8.7\n.target sm_90a, debug\n.address_size 64\n\n"
      "\t// .globl k\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n"
      ".maxntid 128, 1, 1\n{\n\t.reg .b32 %r<4>;\n\tret;\n\n}\n";
  Module m = read(text);
  EXPECT_EQ(m.version.text, "8.7");
  EXPECT_EQ(m.version.major, 8u);
  EXPECT_EQ(m.version.minor, 7u);
  EXPECT_EQ(m.version.offset, text.find(".version"));
  ASSERT_EQ(m.targets.size(), 1u);
  EXPECT_EQ(m.targets[0].name, "sm_90a");
  EXPECT_EQ(m.targets[0].arch, 90u);
  EXPECT_EQ(m.targets[0].suffix, "a");
  EXPECT_EQ(m.targets[0].offset, text.find(".target"));
  EXPECT_EQ(m.targets[0].options, std::vector<std::string_view>{"debug"});
  EXPECT_EQ(m.address_size, 64u);
  ASSERT_EQ(m.kernels.size(), 1u);
  EXPECT_EQ(m.kernels[0].name, "k");
  EXPECT_EQ(m.kernels[0].linkage, Linkage::visible);
  EXPECT_EQ(m.kernels[0].offset, text.find(".entry"));
  EXPECT_EQ(m.text_size, text.size());
  EXPECT_FALSE(m.damage);
}

TEST(Ptx, ReadsModulesWithoutKernels) {
  std::string text = ".version 1.0";
  Module m = read(text);
  EXPECT_TRUE(m.targets.empty());
  EXPECT_TRUE(m.kernels.empty());
  EXPECT_EQ(m.address_size, std::nullopt);
  EXPECT_EQ(effective_target(m), std::nullopt);
}

TEST(Ptx, RefusesWhatIsNotPtx) {
  auto refused_at = [](std::string_view text) -> std::optional<std::uint64_t> {
    auto m = read_module(as_bytes(text), {});
    if (m || m.error().code != Errc::bad_magic)
      return std::nullopt;
    return m.error().offset;
  };
  EXPECT_EQ(refused_at(""), 0u);
  EXPECT_EQ(refused_at("\x7f"
                       "ELF"),
            0u);
  EXPECT_EQ(refused_at("  hello"), 2u);
  EXPECT_EQ(refused_at("// .version 8.0\n"), 16u);
  EXPECT_EQ(refused_at("/* .version 8.0"), 15u);
  EXPECT_EQ(refused_at(".target sm_90\n.version 8.0"), 0u);
  EXPECT_EQ(refused_at(".versions 8.0"), 0u);
  EXPECT_EQ(refused_at("\".version\" 8.0"), 0u);
  EXPECT_EQ(refused_at(std::string_view("\0.version 8.0", 13)), 0u);
}

TEST(Ptx, EndsAtTheFirstNul) {
  std::string text = kHead + ".entry k(){ret;}\n";
  std::string padded = text + std::string("\0\0.entry g(){}", 14);
  EXPECT_EQ(kernels(padded), "internal k");
  EXPECT_EQ(read(padded).text_size, text.size());
}

TEST(Ptx, ReadsWhatEveryTruncationHolds) {
  std::string text = kHead + ".visible .entry kernel(.param .u64 p) // x\n"
                             ".pragma \"nounroll {\"; { /* } */ { ret; } }\n";
  std::size_t body = text.find("{ /*");
  std::size_t name_end = text.find("(.param");
  for (std::size_t n = kHead.size(); n <= text.size(); n++) {
    std::string cut = text.substr(0, n);
    Module m = read(cut);
    EXPECT_EQ(m.targets.size(), 1u);
    EXPECT_EQ(m.kernels.size(), n > body) << n;
    // Linkage or half a directive is no damage; the last newline is not needed.
    bool complete = n < text.find(".entry") + 6 || n >= text.size() - 1;
    EXPECT_EQ(m.damage.has_value(), !complete) << n;
    if (n > body && !complete) {
      EXPECT_EQ(m.damage->code, Errc::truncated) << n;
    }
    if (n > name_end && n < text.find(')') + 1) {
      EXPECT_TRUE(is(m.damage, Errc::truncated, name_end)) << n;
    }
  }
}

TEST(Ptx, KeepsEveryTargetOfTheModule) {
  std::string text =
      ".version 8.0\n.target sm_80\n.visible .entry k() { ret; }\n"
      ".target sm_90 , texmode_unified,debug\n.entry k2() { ret; }";
  Module m = read(text);
  ASSERT_EQ(m.targets.size(), 2u);
  EXPECT_EQ(m.targets[0].name, "sm_80");
  EXPECT_EQ(m.targets[1].name, "sm_90");
  EXPECT_EQ(m.targets[1].options,
            (std::vector<std::string_view>{"texmode_unified", "debug"}));
  EXPECT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(effective_target(m)->arch, 90u);
}

TEST(Ptx, ChoosesTheHighestTarget) {
  EXPECT_EQ(effective(".target sm_80\n.target sm_90\n"), "sm_90");
  EXPECT_EQ(effective(".target sm_90\n.target sm_80\n"), "sm_90");
  EXPECT_EQ(effective(".target sm_90\n.target sm_100\n"), "sm_100");
  EXPECT_EQ(effective(".target compute_90a, texmode_unified"), "sm_90a");
  EXPECT_EQ(effective(".target sm_90a .target sm_100a"), "sm_100a");
  EXPECT_EQ(effective(".target sm_999"), "sm_999");
}

TEST(Ptx, LeavesTheTargetUnknownRatherThanGuess) {
  EXPECT_EQ(effective(""), "unknown");
  EXPECT_EQ(effective(".target sm_90a\n.target sm_100\n"), "unknown");
  EXPECT_EQ(effective(".target sm_100\n.target sm_90a\n"), "unknown");
  EXPECT_EQ(effective(".target sm_100a\n.target sm_100f\n"), "unknown");
  EXPECT_EQ(effective(".target something_90"), "unknown");
  EXPECT_EQ(effective(".target sm_"), "unknown");
  EXPECT_EQ(effective(".target sm_99999999999"), "unknown");
  std::string text = ".version 8.0 .target sm_90a .target other, x";
  ASSERT_EQ(read(text).targets.size(), 2u);
  EXPECT_EQ(read(text).targets[1].name, "other");
  EXPECT_EQ(read(text).targets[1].arch, std::nullopt);
}

TEST(Ptx, ReadsLinkage) {
  EXPECT_EQ(kernels(kHead + ".visible .entry a(){} .weak .entry b{} .entry c "
                            "( ) { }"),
            "visible a, weak b, internal c");
  // Linkage of something else.
  EXPECT_EQ(kernels(kHead + ".visible .global .b32 x[2] = {1, 2};\n"
                            ".entry a(){}\n"
                            ".weak .func f() {}\n.entry b(){}\n"
                            ".visible .func g();\n.entry c(){}"),
            "internal a, internal b, internal c");
}

TEST(Ptx, MergesDeclarations) {
  EXPECT_EQ(kernels(kHead + ".visible .entry k(.param .u64 p);\n"
                            ".visible .entry k(.param .u64 p) { ret; }"),
            "visible k");
  EXPECT_EQ(kernels(kHead + ".extern .entry k(.param .u64 p);"), "");
  EXPECT_EQ(kernels(kHead + ".entry k;.entry g(){}"), "internal g");
}

TEST(Ptx, ReportsAKernelThatIsDefinedTwice) {
  std::string text =
      kHead + ".entry k(){} .weak .entry a(){} .weak .entry k(){}";
  Module m = read(text);
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].name, "k");
  EXPECT_EQ(m.kernels[0].linkage, Linkage::internal);
  EXPECT_EQ(m.kernels[1].name, "a");
  EXPECT_TRUE(is(m.damage, Errc::bad_value, text.rfind(".entry")));
}

TEST(Ptx, ReadsNamesVerbatim) {
  EXPECT_EQ(kernels(kHead + ".entry $k$1_a(){} .entry _q{} .entry %z{}"),
            "internal $k$1_a, internal _q, internal %z");
  std::string longest(5000, 'x');
  EXPECT_EQ(kernels(kHead + ".entry " + longest + "(){}"),
            "internal " + longest);
}

TEST(Ptx, IgnoresComments) {
  EXPECT_EQ(kernels(kHead + ".visible/**/.entry // .entry g(\nk /*(*/ ( // )\n"
                            ".param /* ) */ .u64 p) /* .entry no { */ {//}\n}"),
            "visible k");
  EXPECT_EQ(kernels(kHead + "/* .entry fake(.param .u64 z) {} */"), "");
  EXPECT_EQ(kernels(kHead + "// .entry fake() {}\r\n.entry k(){}"),
            "internal k");
  std::string late(200'000, '/');
  late += "\n";
  late += kHead;
  EXPECT_EQ(read(late).version.offset, 200'001u);
}

TEST(Ptx, IgnoresStrings) {
  EXPECT_EQ(kernels(kHead + ".file 1 \"a{b.cu\"\n.entry k(){ .pragma \"}//\"; "
                            "}\n.entry g(){}"),
            "internal k, internal g");
  // A string has no escapes.
  EXPECT_EQ(kernels(kHead + ".pragma \"\\\";\n.entry k(){}"), "internal k");
}

TEST(Ptx, PassesOverWhatStandsBetweenParametersAndBody) {
  EXPECT_EQ(kernels(kHead +
                    ".entry k(.param .u64 p) .maxntid 128, 1, 1 "
                    ".pragma \"nounroll {; }\"; .minnctapersm 2\n"
                    ".pragma \"a\", \"b;\"; .noreturn .maxnreg 0x20 {}"),
            "internal k");
}

TEST(Ptx, PassesOverOtherDefinitions) {
  EXPECT_EQ(
      kernels(
          kHead +
          ".func (.reg .b32 x) f (.param .b64 .entry) { .shared .b32 q[4]; }\n"
          ".shared .align 4 .b8 modsh[100];\n"
          ".extern .shared .align 16 .b8 dyn[];\n"
          ".alias g, f;\n.loc 1 2 3\n"
          ".section .debug_info { .b8 1, 2 .entry no(){} }\n"
          ".common .global .b32 c;\n"
          ".entry k(){ proto: .callprototype (.reg .b32 r1) _ (.param .b64 "
          "_); call (r), f, (a), proto; { { } } }\n.entry l(){}"),
      "internal k, internal l");
}

TEST(Ptx, ReportsDamageAndReadsOn) {
  auto damage = [](const std::string &tail, Errc code, std::size_t at,
                   const std::string &expected) {
    std::string text = kHead + tail;
    Module m = read(text);
    EXPECT_TRUE(is(m.damage, code, kHead.size() + at))
        << tail << (m.damage ? m.damage->text() : "");
    EXPECT_EQ(kernels(text), expected) << tail;
  };
  damage("} .entry k(){}", Errc::bad_value, 0, "internal k");
  damage(") .entry k(){}", Errc::bad_value, 0, "internal k");
  damage(".entry 1(); .entry k(){}", Errc::bad_value, 7, "internal k");
  damage(".entry a() .entry k(){}", Errc::bad_value, 11, "internal k");
  damage(".entry a() .visible .entry k(){}", Errc::bad_value, 11, "visible k");
  damage(".target 90 .entry k(){}", Errc::bad_value, 8, "internal k");
  damage(".target sm_90, 1 .entry k(){}", Errc::bad_value, 15, "internal k");
  damage(".address_size x .entry k(){}", Errc::bad_value, 14, "internal k");
  damage(".entry k(){ { }", Errc::truncated, 10, "internal k");
  damage(".entry k(", Errc::truncated, 8, "");
  damage(".entry k(){} /* }", Errc::truncated, 13, "internal k");
  damage(".entry k(){ \"} ", Errc::truncated, 12, "internal k");
}

TEST(Ptx, ReportsAVersionThatItCannotRead) {
  for (std::string text :
       {".version 8 .entry k(){}", ".version 8.x .entry k(){}",
        ".version .entry k(){}", ".version 99999999999.0 .entry k(){}"}) {
    Module m = read(text);
    EXPECT_EQ(m.version.major, std::nullopt) << text;
    EXPECT_EQ(m.version.minor, std::nullopt) << text;
    EXPECT_TRUE(is(m.damage, Errc::bad_value, 9)) << text;
    EXPECT_EQ(m.kernels.size(), 1u) << text;
  }
}

TEST(Ptx, StopsAtTheLimitOfRecords) {
  std::string text = kHead + ".entry a(){} .entry b(){}";
  Limits limits;
  limits.records = 2;
  auto m = read_module(as_bytes(text), limits);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->targets.size(), 1u);
  EXPECT_EQ(m->kernels.size(), 1u);
  EXPECT_TRUE(is(m->damage, Errc::too_large, text.rfind('{')));
}

TEST(Ptx, CountsParametersAndDirectivesAsRecords) {
  std::string text = kHead + ".entry a(.param .u8 b, .param .u8 c) .maxntid 4 "
                             "{} .entry d(){}";
  Limits limits;
  limits.records = 6;
  auto m = read_module(as_bytes(text), limits);
  ASSERT_TRUE(m);
  EXPECT_FALSE(m->damage);
  limits.records = 2;
  m = read_module(as_bytes(text), limits);
  ASSERT_TRUE(m);
  EXPECT_TRUE(m->kernels.empty());
  EXPECT_TRUE(is(m->damage, Errc::too_large, text.find(") .max")));
}

TEST(Ptx, GivesRecordsOfDeclarationsBack) {
  std::string text = kHead;
  for (int i = 0; i < 100; i++)
    text += ".entry k(.param .u8 b) .maxntid 4;";
  text += ".entry k(.param .u8 b) .maxntid 4 {}";
  Limits limits;
  limits.records = 4;
  auto m = read_module(as_bytes(text), limits);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->kernels.size(), 1u);
  EXPECT_FALSE(m->damage);
}

TEST(Ptx, RefusesNamesOverTheLimit) {
  const std::string longest(20, 'n'), more(21, 'n');
  Limits limits;
  limits.name_bytes = longest.size();
  std::string text = kHead + ".entry " + longest + "(.param .u8 " + more +
                     "){} .entry " + more + "(){} .entry g(){}";
  auto m = read_module(as_bytes(text), limits);
  ASSERT_TRUE(m);
  ASSERT_EQ(m->kernels.size(), 2u);
  EXPECT_EQ(m->kernels[0].name, longest);
  EXPECT_EQ(m->kernels[1].name, "g");
  ASSERT_EQ(m->kernels[0].parameters.size(), 1u);
  EXPECT_EQ(m->kernels[0].parameters[0].name, "");
  EXPECT_EQ(m->kernels[0].parameter_bytes, 1u);
  EXPECT_TRUE(is(m->damage, Errc::too_large, text.find(more)));
  EXPECT_EQ(m->damage->what, "name too long (limit name_bytes)");
}

TEST(Ptx, TellsWhereAGapBegins) {
  std::string text =
      kHead + ".shared .b8 m[1+1];\n.entry k(.param .b8 p[2*2]) .maxntid N "
              ".noreturn { .reg .b32 r<-1>; .shared .b8 s[]; }";
  Module m = read(text);
  ASSERT_EQ(m.kernels.size(), 1u);
  auto at = [&](const Limitation &l) {
    return std::string(word(l.gap)) + ' ' + text.substr(l.offset, 5);
  };
  ASSERT_EQ(m.limitations.size(), 1u);
  EXPECT_EQ(at(m.limitations[0]), "unknown-shared-size m[1+1");
  std::vector<std::string> of_kernel;
  for (const Limitation &l : m.kernels[0].limitations)
    of_kernel.push_back(at(l));
  EXPECT_EQ(of_kernel,
            (std::vector<std::string>{
                "unknown-parameter-layout p[2*2",
                "unknown-register-count r<-1>", "unknown-shared-size s[]; ",
                "unknown-directive .nore", "bad-attribute .maxn"}));
  EXPECT_FALSE(m.damage);
}

TEST(Ptx, ReportsASecondVersion) {
  std::string text = kHead + ".entry k(){}\n.version 1.0\n.entry g(){}";
  Module m = read(text);
  EXPECT_EQ(m.version.text, "8.7");
  EXPECT_EQ(m.kernels.size(), 2u);
  EXPECT_TRUE(is(m.damage, Errc::bad_value, text.rfind(".version")));
}

TEST(Ptx, ProbesTheStartOfAText) {
  auto of = [](std::string_view s) { return probe(as_bytes(s)); };
  EXPECT_EQ(of(".version 8.7"), Probe::yes);
  EXPECT_EQ(of("\n\n// x\n/* y */ .version\t"), Probe::yes);
  for (std::string_view s : {"", " \n", "/", "// .version 8.0", "/* x",
                             "/* x *", ".", ".ver", ".version"})
    EXPECT_EQ(of(s), Probe::needs_more) << s;
  for (std::string_view s :
       {"\x7f"
        "ELF",
        ".target", ".versions", ".versionx ", "version", "/ ", ".verb ", "\""})
    EXPECT_EQ(of(s), Probe::no) << s;
  // A text that has ended cannot become PTX any more.
  EXPECT_EQ(of(std::string_view("// x\0", 5)), Probe::no);
  EXPECT_EQ(of(std::string_view(".version\0", 9)), Probe::yes);
}

// Quadratic work on any of these would take minutes.
TEST(Ptx, TakesLinearTime) {
  auto start = std::chrono::steady_clock::now();
  for (std::string before :
       {"", ".entry k(", ".entry k(.param .u8 a", ".entry k() ", ".entry k{"})
    for (std::string piece : {"/*",
                              "*/*",
                              "\"",
                              "{",
                              "(",
                              "[",
                              "<",
                              ":",
                              ".",
                              ",",
                              "/",
                              "//\n",
                              ".entry a",
                              ".entry a{",
                              ".target sm_1,",
                              ".pragma \"",
                              ".entry k(){}",
                              ".param .u8 a,",
                              ".param .u8 a[",
                              ".align 4 ",
                              ".attribute(",
                              ".reg .b32 a,",
                              ".reg .b3",
                              ".shared .b8 a[",
                              ".loc 1 2 3",
                              ", function_name a",
                              ".maxntid 1, "}) {
      std::string text = kHead + before;
      while (text.size() < 100'000)
        text += piece;
      read(text);
      probe(as_bytes(text));
    }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

} // namespace
