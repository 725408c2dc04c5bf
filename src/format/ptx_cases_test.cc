// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PTX allows, and what it does not but which is read all the same, one row
// each. Every answer about a text that ptxas 13.0 or 13.5 accepts is that of
// the cubin which it makes of the text.
#include "format/ptx.h"

#include <gtest/gtest.h>

using namespace gantry;
using namespace gantry::ptx;

namespace {

std::string number(std::optional<std::uint64_t> n) {
  return n ? std::to_string(*n) : "?";
}

std::string extent(const Extent3 &e) {
  return std::to_string(e[0]) + ',' + std::to_string(e[1]) + ',' +
         std::to_string(e[2]);
}

// "p u64.global/256 8@0"
std::string told(const Parameter &p) {
  std::string out = std::string(p.name) + ' ' + std::string(p.type);
  if (!p.space.empty())
    out += '.' + std::string(p.space);
  if (p.pointee_align)
    out += '/' + std::to_string(*p.pointee_align);
  return out + ' ' + number(p.size) + '@' + number(p.offset);
}

// All that is known of a kernel; what is none is left out.
std::string told(const Kernel &k) {
  std::string out =
      k.linkage == Linkage::internal ? "" : std::string(word(k.linkage)) + ' ';
  out += std::string(k.name) + '(';
  for (const ptx::Parameter &p : k.parameters)
    out += (&p == k.parameters.data() ? "" : ", ") + told(p);
  out += k.parameters_complete ? ")" : ", ...)";
  out += number(k.parameter_bytes);
  out += " {";
  if (!k.registers)
    out += '?';
  else
    for (const Registers &r : *k.registers)
      out += (&r == k.registers->data() ? "" : " ") + std::string(r.vector) +
             (r.vector.empty() ? "" : ".") + std::string(r.type) + ':' +
             std::to_string(r.count);
  out += "} " + number(k.shared_bytes);
  out += k.dynamic_shared ? "+dynamic" : "";
  out += k.max_threads ? " max " + extent(*k.max_threads) : "";
  out += k.required_threads ? " required " + extent(*k.required_threads) : "";
  out += k.cluster ? " cluster " + extent(*k.cluster) : "";
  out += k.register_limit ? " registers " + number(k.register_limit) : "";
  out += k.max_cluster_rank ? " rank " + number(k.max_cluster_rank) : "";
  for (const Directive &d : k.directives)
    if (d.name != ".maxntid" && d.name != ".reqntid" && d.name != ".maxnreg")
      out += " [" + std::string(d.name) + (d.operands.empty() ? "" : " ") +
             std::string(d.operands) + ']';
  for (const Limitation &l : k.limitations)
    out += " !" + std::string(word(l.gap));
  return out;
}

// "sm_90 module 100; k()0 {} 0": the module if it says something, the kernels.
std::string told(const std::string &text) {
  auto m = read_module(as_bytes(text), {});
  if (!m)
    return m.error().text();
  std::string out;
  auto add = [&](const std::string &part) {
    out += (out.empty() ? "" : "; ") + part;
  };
  if (m->shared_bytes != 0)
    add("module " + number(m->shared_bytes));
  if (m->dynamic_shared)
    add("module dynamic");
  for (const Limitation &l : m->limitations)
    add("!" + std::string(word(l.gap)));
  for (const Kernel &k : m->kernels)
    add(told(k));
  if (m->damage)
    add(std::string(word(m->damage->code)) + " at " +
        text.substr(m->damage->offset, 5));
  return out;
}

std::string target(const std::string &text) {
  auto m = read_module(as_bytes(text), {});
  if (!m)
    return m.error().text();
  auto t = effective_target(*m);
  std::string out =
      t ? "sm_" + std::to_string(t->arch) + std::string(t->suffix) : "unknown";
  for (const Target &each : m->targets) {
    out += " " + std::string(each.name);
    for (std::string_view option : each.options)
      out += "," + std::string(option);
  }
  return out +
         (known(m->version) ? "" : " version " + std::string(m->version.text));
}

const std::string kHead = ".version 8.7\n.target sm_90\n.address_size 64\n";

struct Row {
  const char *name;
  std::string text; // after kHead, or from .version on
  const char *answer;
};

void compare(std::span<const Row> rows) {
  for (const Row &r : rows) {
    SCOPED_TRACE(r.name);
    EXPECT_EQ(told(r.text.starts_with(".version") ? r.text : kHead + r.text),
              r.answer)
        << r.text;
  }
}

TEST(PtxCases, Parameters) {
  const Row rows[] = {
      {"1 in 1.3 the body has them",
       ".version 1.3\n.target sm_13\n.entry k { .param .u32 n; .param .u64 p; "
       ".reg .u32 %r<3>, a; exit; }",
       "k(n u32 4@0, p u64 8@8)16 {u32:4} 0"},
      {"1 several names in the body, an empty list",
       ".version 1.0\n.entry k () { .param .u32 a, b; .param .align 8 .b8 "
       "c[12]; { .param .u32 d; } exit; }",
       "k(a u32 4@0, b u32 4@4, c b8 12@8, d u32 4@20)24 {} 0"},
      {"2 from 1.4 on the list",
       ".version 1.4\n.target sm_13\n.entry k (.param .u32 n, .param .u16 h) { "
       ".param .u32 call; exit; }",
       "k(n u32 4@0, h u16 2@4)6 {} 0"},
      {"3 .ptr .align is of what it points to",
       ".entry k(.param .u64 .ptr .global .align 256 p, .param .u8 c, .param "
       ".u64 .ptr .align 2 q) {}",
       "k(p u64.global/256 8@0, c u8 1@8, q u64.generic/2 8@16)24 {} 0"},
      {"3 every space; .align behind the type without .ptr",
       ".entry k(.param .u64 .ptr a, .param .u64 .ptr .shared b, .param .u64 "
       ".ptr .const c, .param .u64 .ptr .local .align 8 d, .param .u32 .ptr "
       ".global e, .param .u32 .align 16 f) {}",
       "k(a u64.generic 8@0, b u64.shared 8@8, c u64.const 8@16, d u64.local/8 "
       "8@24, e u32.global 4@32, f u32/16 4@36)40 {} 0"},
      {"4 a structure", ".entry k(.param .align 8 .b8 s[24]) {}",
       "k(s b8 24@0)24 {} 0"},
      {"5 .align raises the alignment",
       ".entry k(.param .align 8 .u32 a, .param .u8 c, .param .align 4 .u8 d) "
       "{}",
       "k(a u32 4@0, c u8 1@4, d u8 1@8)9 {} 0"},
      {"5 .align never lowers it; of several the largest",
       ".entry k(.param .u8 c, .param .align 2 .u32 a, .param .align 4 .u64 b, "
       ".param .align 16 .align 2 .u8 d) {}",
       "k(c u8 1@0, a u32 4@4, b u64 8@8, d u8 1@16)17 {} 0"},
      {"6 arrays",
       ".entry k(.param .u32 a[4], .param .u8 c, .param .align 16 .b32 d[3]) "
       "{}",
       "k(a u32 16@0, c u8 1@16, d b32 12@32)44 {} 0"},
      {"7 half and 128 bits", ".entry k(.param .f16 h, .param .b128 w) {}",
       "k(h f16 2@0, w b128 16@16)32 {} 0"},
      {"8 every spelling of a number",
       ".entry k(.param .b8 a[0x10], .param .b8 b[0b100], .param .b8 c[017], "
       ".param .b8 d[16U], .param .b8 e[0X1fU]) {}",
       "k(a b8 16@0, b b8 4@16, c b8 15@20, d b8 16@35, e b8 31@51)82 {} 0"},
      {"9 a constant expression",
       ".entry k(.param .u16 a, .param .align 8 .b8 q[(2+3)*4], .param .u32 "
       "after) {}",
       "k(a u16 2@0, q b8 ?@?, after u32 4@?)? {} 0 !unknown-parameter-layout"},
      {"10 a second dimension",
       ".entry k(.param .b32 r[2][3], .param .u32 after) {}",
       "k(r b32 ?@?, after u32 4@?)? {} 0 !unknown-parameter-layout"},
      {"11 a vector", ".entry k(.param .v4 .f32 v) {}",
       "k(v f32 ?@?)? {} 0 !unknown-parameter-layout"},
      {"11 a predicate", ".entry k(.param .pred p) {}",
       "k(p pred ?@?)? {} 0 !unknown-parameter-layout"},
      {"11 no space", ".entry k(.param .u64 .ptr .param x, .param .u8 y) {}",
       "k(x u64.generic ?@?, y u8 1@?)? {} 0 !unknown-parameter-layout"},
      {"11 a type that is not known", ".entry k(.param .u7 x, .param .u8 y) {}",
       "k(x u7 ?@?, y u8 1@?)? {} 0 !unknown-parameter-layout"},
      {"11 an array without extent", ".entry k(.param .b8 x[]) {}",
       "k(x b8 ?@?)? {} 0 !unknown-parameter-layout"},
      {"11 an alignment that is none", ".entry k(.param .align 3 .b8 x) {}",
       "k(x b8 ?@?)? {} 0 !unknown-parameter-layout"},
      {"11 no name", ".entry k(.param .u32, .param .u8 y) {}",
       "k( u32 4@?, y u8 1@?)? {} 0 !unknown-parameter-layout"},
      {"11 something behind the name",
       ".entry k(.param .u32 a .align 8 (,), .param .u8 y) {}",
       "k(a u32 4@0, y u8 1@?)? {} 0 !unknown-parameter-layout"},
      {"11 too large for 64 bits",
       ".entry k(.param .u64 a[0x1fffffffffffffff], .param .u64 b, .param .u8 "
       "c) {}",
       "k(a u64 18446744073709551608@0, b u64 8@?, c u8 1@?)? {} 0 "
       "!unknown-parameter-layout"},
      {"11 an extent too large for 64 bits",
       ".entry k(.param .u64 a[0x2000000000000000]) {}",
       "k(a u64 ?@?)? {} 0 !unknown-parameter-layout"},
      {"11 no parameter",
       ".entry k(.param .u8 a, .reg .u32 b, .param .u8 c) {}",
       "k(a u8 1@0, c u8 1@?, ...)? {} 0 !unknown-parameter-layout; bad-value "
       "at .reg "},
      {"11 a list without an end", ".entry k(.param .u8 a {} .entry g() {}",
       "k(a u8 1@0, ...)? {} 0 !unknown-parameter-layout; g()0 {} 0; bad-value "
       "at {} .e"},
      {"11 an extent without an end",
       ".entry k(.param .u8 a[4 {} .entry g() {}",
       "k(a u8 ?@?, ...)? {} 0 !unknown-parameter-layout; g()0 {} 0; bad-value "
       "at {} .e"},
      {"21 none", ".entry k { } .entry g ( ) { } .entry h () { }",
       "k()0 {} 0; g()0 {} 0; h()0 {} 0"},
  };
  compare(rows);
}

TEST(PtxCases, Targets) {
  const struct {
    const char *name, *text, *answer;
  } rows[] = {
      {"12 the highest", ".version 8.7 .target sm_80 .target sm_90 .entry k {}",
       "sm_90 sm_80 sm_90"},
      {"13 also behind an entry",
       ".version 8.7 .target sm_80 .address_size 64 .entry k {} .target sm_90",
       "sm_90 sm_80 sm_90"},
      {"14 compute_, options",
       ".version 8.7 .target compute_90a, texmode_unified, debug",
       "sm_90a compute_90a,texmode_unified,debug"},
      {"15 two profiles", ".version 8.7 .target sm_90a .target sm_100",
       "unknown sm_90a sm_100"},
      {"32 an unknown architecture", ".version 8.7 .target sm_999",
       "sm_999 sm_999"},
      {"32 an unknown version", ".version 9.9 .target sm_90",
       "sm_90 sm_90 version 9.9"},
      {"32 a version that never was", ".version 5.2 .target sm_90",
       "sm_90 sm_90 version 5.2"},
      {"32 the first", ".version 1.0 .target sm_10", "sm_10 sm_10"},
      {"32 the last", ".version 9.5 .target sm_107f", "sm_107f sm_107f"},
  };
  for (const auto &r : rows) {
    SCOPED_TRACE(r.name);
    EXPECT_EQ(target(r.text), r.answer);
  }
}

TEST(PtxCases, Directives) {
  const Row rows[] = {
      {"16 .pragma with braces",
       ".entry k() .pragma \"nounroll {; }\"; { .reg .b32 a; .pragma \"}\"; "
       ".reg .b32 b; }",
       "k()0 {b32:2} 0 [.pragma \"nounroll {; }\"]"},
      {"16 .pragma with several strings",
       ".entry k() .pragma \"a\", \"b;\"; .minnctapersm 2 {}",
       "k()0 {} 0 [.pragma \"a\", \"b;\"] [.minnctapersm 2]"},
      {"17 in any order",
       ".entry k() .minnctapersm 2 .maxnreg 0x20 .pragma \"x\"; .maxntid 128, "
       "1, 1 {}",
       "k()0 {} 0 max 128,1,1 registers 32 [.minnctapersm 2] [.pragma \"x\"]"},
      {"17 one to three numbers of every spelling",
       ".entry a() .maxntid 16 {} .entry b() .reqntid 0b100, 017U {}",
       "a()0 {} 0 max 16,1,1; b()0 {} 0 required 4,15,1"},
      {"17 .maxntid with .reqntid", ".entry k() .maxntid 64 .reqntid 32, 2 {}",
       "k()0 {} 0 max 64,1,1 required 32,2,1"},
      {"17 the last counts", ".entry k() .maxntid 16 .maxntid 32 {}",
       "k()0 {} 0 max 32,1,1"},
      {"17 no expressions", ".entry k() .maxntid 8*2 .maxnreg (3) {}",
       "k()0 {} 0 !bad-attribute"},
      {"17 no number", ".entry k() .maxntid .maxnreg 3 {}",
       "k()0 {} 0 registers 3 !bad-attribute"},
      {"17 four numbers", ".entry k() .maxntid 1, 2, 3, 4 {}",
       "k()0 {} 0 !bad-attribute"},
      {"17 a comma too many", ".entry k() .maxntid 1, {}",
       "k()0 {} 0 !bad-attribute"},
      {"17 zero, more than 32 bits, two where one is",
       ".entry a() .maxntid 0 {} .entry b() .maxnreg 4294967296 {} .entry c() "
       ".maxnreg 1, 1 {} .entry d() .maxnreg 4294967295 {}",
       "a()0 {} 0 !bad-attribute; b()0 {} 0 !bad-attribute; c()0 {} 0 "
       "!bad-attribute; d()0 {} 0 registers 4294967295"},
      {"30 one that no kernel has", ".entry k() .noreturn .maxntid 8 {}",
       "k()0 {} 0 max 8,1,1 [.noreturn] !unknown-directive"},
      {"30 one that nobody knows", ".entry k() .future 3, \"x\" {}",
       "k()0 {} 0 [.future 3, \"x\"] !unknown-directive"},
      {"30 something else", ".entry k() 3 {}", "k()0 {} 0; bad-value at 3 {}"},
      {"31 clusters",
       ".entry a() .explicitcluster .reqnctapercluster 2, 1, 1 {}\n"
       ".entry b() .explicitcluster .maxclusterrank 8 {}\n"
       ".entry c() .blocksareclusters .reqntid 64 .reqnctapercluster 2 {}",
       "a()0 {} 0 cluster 2,1,1 [.explicitcluster] [.reqnctapercluster 2, 1, "
       "1]; b()0 {} 0 rank 8 [.explicitcluster] [.maxclusterrank 8]; c()0 {} 0 "
       "required 64,1,1 cluster 2,1,1 [.blocksareclusters] "
       "[.reqnctapercluster 2]"},
      {"31 .reqnctapercluster with .maxclusterrank",
       ".entry k() .reqnctapercluster 2 .maxclusterrank 8 {}",
       "k()0 {} 0 cluster 2,1,1 rank 8 [.reqnctapercluster 2] "
       "[.maxclusterrank 8]"},
  };
  compare(rows);
}

TEST(PtxCases, Bodies) {
  const Row rows[] = {
      {"18 a prototype is no declaration",
       ".entry k() { .reg .b64 %x<2>; proto: .callprototype (.reg .b32 r1) _ "
       "(.param .b64 _, .reg .b32 r2); .callprototype _ (.reg .b32 r3); }",
       "k()0 {b64:2} 0"},
      {"19 scopes of calls",
       ".entry k(.param .u64 p) { { .reg .b32 temp; .param .b64 a; "
       "st.param.b64 "
       "[a], %x; call (r), f, (a), proto; } }",
       "k(p u64 8@0)8 {b32:1} 0"},
      {"20 declared, then defined",
       ".entry k(.param .u32 a) .maxntid 3;\n.visible .entry k(.param .u64 a) "
       "{ "
       "}",
       "visible k(a u64 8@0)8 {} 0"},
      {"22 linkage", ".visible .entry a {} .weak .entry b {} .entry c {}",
       "visible a()0 {} 0; weak b()0 {} 0; c()0 {} 0"},
      {"22a an external kernel", ".extern .entry k(.param .u64 p); .entry g {}",
       "g()0 {} 0"},
      {"22a with a body", ".extern .entry k(.param .u64 p) {}",
       "extern k(p u64 8@0)8 {} 0"},
      {"23 names", ".entry $k$1_a {} .entry _q {} .entry %z {}",
       "$k$1_a()0 {} 0; _q()0 {} 0; %z()0 {} 0"},
      {"24 comments between all tokens",
       ".visible .entry // .entry g(\nk ( .param /**/ .u64 /* c */ p // ,\n , "
       ".param .u32 q[/*2*/3] ) .maxntid /*8*/ 9 /*,*/ , 2 { .reg/**/.b32 "
       "%r/**/<//\n2>;/**/.reg .b32 /*;*/ a; }",
       "visible k(p u64 8@0, q u32 12@8)20 {b32:3} 0 max 9,2,1"},
      {"25 a kernel in a comment", "/* .entry fake(.param .u64 z) {} */", ""},
      {"26 functions",
       ".func f() { .shared .b32 q[4]; .reg .b32 %g<9>; } .entry k { }",
       "k()0 {} 0"},
      {"27 shared memory of the module",
       ".shared .align 4 .b8 modsh[100]; .entry k { }",
       "module 100; k()0 {} 0"},
      {"27 several",
       ".shared .b8 a[3]; .visible .shared .align 16 .b8 b[5], c; .weak "
       ".shared "
       ".b32 d; .extern .shared .b8 e[4]; .entry k { }",
       "module 44; k()0 {} 0"},
      {"27 not in plain numbers", ".shared .b8 a[2*3]; .entry k { }",
       "module ?; !unknown-shared-size; k()0 {} 0"},
      {"28 sized at launch",
       ".entry before { } .extern .shared .align 16 .b8 dyn[]; .entry k { }",
       "module dynamic; before()0 {} 0; k()0 {} 0+dynamic"},
      {"28 several, two dimensions, no elements",
       ".extern .shared .b8 a[], b[][4], c[0]; .entry k { }",
       "module dynamic; k()0 {} 0+dynamic"},
      {"28 in a body", ".entry k { .extern .shared .b8 d[]; } .entry g { }",
       "k()0 {} 0+dynamic; g()0 {} 0"},
      {"29 what else there is",
       ".weak .func f() { }\n.common .global .b32 c;\n.alias g, f;\n.file 1 "
       "\"a{b.cu\"\n.section .debug_info { .b8 1, 2 .entry no(){} }\n"
       "@@DWARF .section .debug_pubnames, \"\", @progbits\n@@DWARF .byte 0x1\n"
       ".entry k { }",
       "k()0 {} 0"},
      {"29 .loc has no semicolon",
       ".entry k { .loc 1 2 3 .reg .b32 a; .loc 1 2 3, function_name $L+4, "
       "inlined_at 1 2 3\n.reg .b32 b;\n.loc 1 2 3\nlabel: .reg .b32 c; .loc 1 "
       "2 3\n@%p bra label; .reg .b32 d; .loc 1 2 3 { .loc 1 2 3 } .loc 1 2 3 "
       "}",
       "k()0 {b32:4} 0"},
      {"29 statements that look like declarations",
       ".entry k { ld.shared.f32 a, [b]; cvta.to.shared.u64 c, d; "
       "ld.shared::cta.b32 {e, f}, [g]; mov.b32 h, 1 / 2; .local .b8 i[4]; "
       ".reg .b32 j; .branchtargets l, m; l: .reg .b32 n; }",
       "k()0 {b32:2} 0"},
      {"29a no escapes in strings",
       ".pragma \"a\\\"; .entry k { .pragma \"\\\"; .reg .b32 a; }",
       "k()0 {b32:1} 0"},
      {"a body without an end",
       ".entry g { } .entry k(.param .u8 a) { .reg .b32 a;",
       "g()0 {} 0; k(a u8 1@0)1 {?} ? !unknown-register-count "
       "!unknown-shared-size; truncated at { .re"},
  };
  compare(rows);
}

TEST(PtxCases, VirtualRegisters) {
  const Row rows[] = {
      {"a range", ".entry k { .reg .b32 %r<4>; }", "k()0 {b32:4} 0"},
      {"names", ".entry k { .reg .b32 a, b, $c, _d; }", "k()0 {b32:4} 0"},
      {"both", ".entry k { .reg .pred %p<2>, q; }", "k()0 {pred:3} 0"},
      {"none", ".entry k { .reg .b32 %a<0>; }", "k()0 {b32:0} 0"},
      {"vectors count once",
       ".entry k { .reg .v2 .f32 vv; .reg .v4 .b32 %q<3>; .reg .b32 s; }",
       "k()0 {v2.f32:1 v4.b32:3 b32:1} 0"},
      {"wide", ".entry k { .reg .b128 %big<2>; }", "k()0 {b128:2} 0"},
      {"inner scopes", ".entry k { .reg .b64 %z<2>; { .reg .b64 %z<7>; } }",
       "k()0 {b64:9} 0"},
      {"every spelling", ".entry k { .reg .b32 %a<0x4>, %b<4U>, %c<010>; }",
       "k()0 {b32:16} 0"},
      {"aligned", ".entry k { .reg .align 8 .b32 %a<2>; }", "k()0 {b32:2} 0"},
      {"2^31", ".entry k { .reg .b32 %a<2147483648>; }",
       "k()0 {b32:2147483648} 0"},
      {"more than 2^31", ".entry k { .reg .b32 b, %a<2147483649>; }",
       "k()0 {?} 0 !unknown-register-count"},
      {"an expression", ".entry k { .reg .b32 %a<2+1>; .shared .b8 s; }",
       "k()0 {?} 1 !unknown-register-count"},
      {"a type that is not known", ".entry k { .reg .b33 a; } .entry g { }",
       "k()0 {?} 0 !unknown-register-count; g()0 {} 0"},
      {"an array", ".entry k { .reg .b32 a[2]; }",
       "k()0 {?} 0 !unknown-register-count"},
      {"broken off by a brace", ".entry k { .reg .b32 a } .entry g { }",
       "k()0 {?} 0 !unknown-register-count; g()0 {} 0"},
  };
  compare(rows);
}

TEST(PtxCases, SharedMemory) {
  const Row rows[] = {
      {"alignment first",
       ".entry k { .shared .align 16 .b8 a[5]; .shared .b8 b[3]; }",
       "k()0 {} 8"},
      {"alignment second",
       ".entry k { .shared .b8 a[3]; .shared .align 16 .b8 b[5]; }",
       "k()0 {} 21"},
      {"a large one",
       ".entry k { .shared .b8 a[3]; .shared .align 64 .b8 b[5]; }",
       "k()0 {} 69"},
      {"dimensions",
       ".entry k { .shared .b32 x[2][3]; .shared .f64 y[4][2][2]; }",
       "k()0 {} 152"},
      {"vectors", ".entry k { .shared .v4 .f32 a[3]; .shared .v2 .b16 b; }",
       "k()0 {} 52"},
      {"several names", ".entry k { .shared .b32 a, b[3], c; }", "k()0 {} 20"},
      {"inner scopes",
       ".entry k { .shared .b8 s[5]; { .shared .align 16 .b64 t[2]; } }",
       "k()0 {} 32"},
      {"natural alignment is the least",
       ".entry k { .shared .b8 z; .shared .align 1 .b64 a; .shared .f16x2 b; "
       ".shared .b128 c; }",
       "k()0 {} 48"},
      {"an expression", ".entry k { .shared .b8 a[2+3]; .reg .b32 r; }",
       "k()0 {b32:1} ? !unknown-shared-size"},
      {"no extent", ".entry k { .shared .b8 a[]; }",
       "k()0 {} ? !unknown-shared-size"},
      {"a dimension of nothing", ".entry k { .shared .b8 a[1][0]; }",
       "k()0 {} ? !unknown-shared-size"},
      {"a predicate", ".entry k { .shared .pred a; }",
       "k()0 {} ? !unknown-shared-size"},
      {"a type that is not known", ".entry k { .shared .b7 a; }",
       "k()0 {} ? !unknown-shared-size"},
      {"a value", ".entry k { .shared .b8 a[2] = {1, 2}; .reg .b32 r; }",
       "k()0 {b32:1} ? !unknown-shared-size"},
      {"a pointer", ".entry k { .shared .u64 .ptr .global a; }",
       "k()0 {} ? !unknown-shared-size"},
      {"too large for 64 bits",
       ".entry k { .shared .b8 a[0xffffffffffffffff], b; }",
       "k()0 {} ? !unknown-shared-size"},
      {"an attribute",
       ".entry k { .shared .attribute(.unified(1, 2)) .b8 a[4]; }",
       "k()0 {} 4"},
  };
  compare(rows);
}

TEST(PtxCases, KeepWhatStandsBeforeEveryTruncation) {
  const std::string text =
      kHead +
      ".shared .b8 m[8];\n"
      ".visible .entry first(.param .u64 .ptr .global .align 4 p, .param "
      ".u8 c[3]) .maxntid 8, 2\n"
      ".pragma \"nounroll {\"; { .reg .b32 %r<4>; .shared .b8 s[5]; /* } "
      "*/ { .loc 1 2 3 .reg .pred p; } ret; }\n"
      ".entry second() .maxnreg 9 { .reg .v2 .f32 v; @p bra l; l: ret; }\n"
      ".entry third(.param .b8 e[1+1]) { }";
  const Module whole = *read_module(as_bytes(text), {});
  ASSERT_EQ(whole.kernels.size(), 3u);
  const std::size_t ends[] = {text.find("\n.entry second"),
                              text.find("\n.entry third"), text.size()};
  for (std::size_t n = kHead.size(); n < text.size(); n++) {
    SCOPED_TRACE(n);
    const std::string cut = text.substr(0, n);
    const auto m = read_module(as_bytes(cut), {});
    ASSERT_TRUE(m);
    if (n >= text.find("\n.visible")) {
      EXPECT_EQ(m->shared_bytes, 8u);
    }
    for (std::size_t i = 0; i < 3; i++) {
      if (n < ends[i])
        continue;
      ASSERT_GT(m->kernels.size(), i);
      EXPECT_EQ(told(m->kernels[i]), told(whole.kernels[i]));
    }
    if (n > text.find("{ .reg .v2") && n < ends[1]) {
      ASSERT_EQ(m->kernels.size(), 2u);
      EXPECT_EQ(m->kernels[1].register_limit, 9u);
      EXPECT_EQ(m->kernels[1].registers, std::nullopt);
      EXPECT_EQ(m->kernels[1].shared_bytes, std::nullopt);
      ASSERT_TRUE(m->damage);
      EXPECT_EQ(m->damage->code, Errc::truncated);
    }
  }
}

} // namespace
