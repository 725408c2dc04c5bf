// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/demangle.h"

#include <gtest/gtest.h>

#include <pthread.h>

namespace gantry {
namespace {

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  while (times--)
    out += text;
  return out;
}

// A<A<…>, A<…>> nested `levels` deep: 10 bytes of name a level, and twice the
// text.
std::string doubling(std::size_t levels) {
  constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1AIiiE"; // S_ is A, S0_ is A<int, int>
  for (std::size_t i = 0; i < levels; ++i) {
    const std::string inner = std::string("S") + digits[i] + "_";
    name += "S_I" + inner + inner + "E";
  }
  return name;
}

TEST(Demangle, ReadsKernelNames) {
  EXPECT_EQ(demangle("_Z4axpyfPf"), "axpy(float, float*)");
  EXPECT_EQ(demangle("_ZN5spaceL4copyIfLi4EEEvPT_PKS1_"),
            "void space::copy<float, 4>(float*, float const*)");
  EXPECT_EQ(demangle("_Z4fillP6__halfS_"), "fill(__half*, __half)");
}

TEST(Demangle, DropsTheSuffixOfDescriptors) {
  EXPECT_EQ(demangle("_Z4axpyfPf.kd"), "axpy(float, float*)");
}

TEST(Demangle, AnswersNothingForOtherNames) {
  for (std::string_view name :
       {"", "_", "_Z", "axpy", "main.kd", "i", "$_Z4axpyfPf$_Z3addff", "_ZZZZ",
        "_Z4axpyfPf\xff", "_GLOBAL__I_a", "?f@@YAXXZ"})
    EXPECT_EQ(demangle(name), "") << name;
  EXPECT_EQ(demangle(std::string_view("_Z1fv\0_Z1gv", 11)), "");
}

TEST(Demangle, AnswersNothingForTruncatedNames) {
  const std::string name = "_ZN5space4copyIfLi4EEE";
  EXPECT_EQ(demangle(name), "space::copy<float, 4>");
  for (std::size_t size = 0; size < name.size(); ++size)
    EXPECT_EQ(demangle(name.substr(0, size)), "") << size;
}

TEST(Demangle, ReadsNamesOfThousandsOfBytes) {
  // Over 1,024 bytes the runtime's own demangler refuses.
  EXPECT_EQ(demangle("_Z1fI" + repeat("Li12E", 1000) + "Evv").substr(0, 20),
            "void f<12, 12, 12, 1");
  const std::string longest(kMangledLimit - 7, 'x');
  const std::string name =
      "_Z" + std::to_string(longest.size()) + longest + "v";
  ASSERT_EQ(name.size(), kMangledLimit);
  EXPECT_EQ(demangle(name), longest + "()");
  EXPECT_EQ(demangle(name + "v"), "");
}

TEST(Demangle, StopsWhenAShortNameUnfoldsToGigabytes) {
  EXPECT_EQ(demangle(doubling(1)),
            "f(A<int, int>, A<A<int, int>, A<int, int> >)");
  EXPECT_EQ(demangle(doubling(36)), ""); // 10^12 bytes
  EXPECT_LE(demangle(doubling(10)).size(), kDemangledLimit);
}

// A pack expansion over a type that `levels` substitutions double.
std::string doubling_pack(int levels) {
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  auto reference = [&](int i) {
    std::string number;
    for (int n = i - 1; i > 0 && (n > 0 || number.empty()); n /= 36)
      number.insert(number.begin(), digits[static_cast<std::size_t>(n % 36)]);
    return "S" + number + "_";
  };
  std::string name = "_Z1fDp1BI";
  for (int i = 1; i < levels; i++)
    name += "S_I";
  name += "1A";
  for (int i = 1; i <= levels; i++)
    name += reference(i) + "E";
  return name;
}

TEST(Demangle, DoesNotSearchPacksForEver) {
  EXPECT_NE(demangle(doubling_pack(3)), "");
  EXPECT_EQ(demangle(doubling_pack(40)), ""); // 2^40 steps
}

TEST(Demangle, NeedsLittleStackForHostileNames) {
  // Each must survive on a stack of 4 MB; what it answers does not matter.
  const std::vector<std::string> names = {
      "_Z1f" + repeat("P", 8000) + "i",
      "_Z1f" + repeat("1AI", 2000) + "i" + repeat("E", 2000),
      "_Z1f" + repeat("PF", 2000) + "v" + repeat("vE", 2000) + "v",
      "_Z1fIX" + repeat("ng", 3500) + "Li1EEEvv",
      "_Z" + repeat("Z", 3000) + "1fvE" + repeat("1gvE", 1000),
      "_ZN" + repeat("1a", 4000) + "E",
      "_Z1fIiEv" + repeat("1AIRT_E", 126), // templates × references
      "_Z1fIiEv" + repeat("1AIRT_E", 1100),
      "_Z1fIiEv" + repeat("RT_", 2700),
      doubling(36),
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{4} << 20);
  pthread_t thread;
  const auto work = [](void *opaque) -> void * {
    for (const auto &name : *static_cast<const decltype(names) *>(opaque))
      demangle(name);
    return nullptr;
  };
  ASSERT_EQ(
      pthread_create(&thread, &attributes, work,
                     const_cast<void *>(static_cast<const void *>(&names))),
      0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

} // namespace
} // namespace gantry
