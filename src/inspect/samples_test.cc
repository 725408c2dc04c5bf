// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The committed samples, cut off everywhere and with wrong fields: whatever the
// damage, there is a report, and its rules hold.
#include "base/parallel.h"
#include "format/elf.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"
#include "inspect/test_samples.h"

#include <gtest/gtest.h>

#include <set>

namespace gantry::inspect {
namespace {

Options options() {
  Options o;
  o.analysis = Analysis::kernels;
  o.threads = 1;
  return o;
}

// "" or what is wrong with the report.
std::string judge(Bytes file) {
  auto r = memory(file, "sample", options());
  return r ? broken_rule(*r) : r.error().text();
}

TEST(Samples, AreThere) { EXPECT_GE(samples().size(), 50u); }

TEST(Samples, KeepTheRulesOfAReport) {
  for (const Sample &s : samples())
    EXPECT_EQ(judge(s.bytes), "") << s.name;
}

TEST(Samples, KeepThemWhereverTheyAreCutOff) {
  for (const Sample &s : samples()) {
    // Every length of the headers, then some of each stretch.
    std::size_t step = std::max<std::size_t>(1, s.bytes.size() / 40);
    for (std::size_t n = 0; n < s.bytes.size(); n += n < 400 ? 1 : step)
      ASSERT_EQ(judge(Bytes(s.bytes).first(n)), "") << s.name << " " << n;
  }
}

// Places of fields of 32 bits: the first bytes of the file, of each container,
// entry and code object, and ELF's tables.
std::vector<std::size_t> fields(const Image &file) {
  std::set<std::size_t> out;
  auto add = [&](std::uint64_t at, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size && fits(at + i, 4, file.size()); i += 4)
      out.insert(at + i);
  };
  add(0, 512);
  auto r = memory(file, "sample", options());
  for (const Container &c : r->containers)
    if (c.location.in.empty())
      add(c.location.offset, 32);
  for (const Object &o : r->objects)
    add(o.encoded_location.offset -
            std::min<std::uint64_t>(64, o.encoded_location.offset),
        128);
  auto header = elf::read_header(
      Bytes(file).first(std::min<std::size_t>(64, file.size())));
  if (header && header->section_count < 100)
    add(header->section_offset, header->section_count * header->section_size);
  return {out.begin(), out.end()};
}

TEST(Samples, KeepThemWithAnyFieldWrong) {
  constexpr std::array<std::uint32_t, 4> kBad = {0, 1, 0x7fffffff, 0xffffffff};
  std::size_t turn = 0;
  for (const Sample &s : samples()) {
    Image file = s.bytes;
    std::vector<std::size_t> places = fields(file);
    // Small files get each value everywhere; in others values and places take
    // turns.
    bool is_small = file.size() < 3000;
    std::size_t step =
        is_small ? 1 : std::max<std::size_t>(1, places.size() / 100);
    for (std::size_t p = turn % step; p < places.size(); p += step)
      for (std::size_t i = 0; i < (is_small ? kBad.size() : 1); i++) {
        std::uint32_t value = kBad[turn++ % kBad.size()];
        std::array<std::byte, 4> before;
        std::byte *at = &file[places[p]];
        std::copy_n(at, 4, before.begin());
        for (std::size_t k = 0; k < 4; k++)
          at[k] = static_cast<std::byte>(value >> (8 * k));
        ASSERT_EQ(judge(file), "")
            << s.name << " " << places[p] << " " << value;
        std::ranges::copy(before, at);
      }
  }
}

TEST(Samples, AreErrorsOnlyWhenTheyCannotBeRead) {
  auto r = inspect::file(GANTRY_SAMPLES "/no such file", options());
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::io);
  EXPECT_NE(r.error().context.find("no such file"), std::string::npos);
  EXPECT_FALSE(inspect::file(GANTRY_SAMPLES, options()));
}

} // namespace
} // namespace gantry::inspect
