// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Retained texts of any size, handed to the hooks as a run does it.
#include "base/json_reader.h"
#include "report/test_evidence.h"
#include "report/test_model.h"

#include <gtest/gtest.h>

#include <array>

namespace gantry::report {
namespace {

std::string sha256(std::string_view text) {
  Sha256 digest;
  digest.update(as_bytes(text));
  return digest.hex();
}

// A report with one PTX object for each text.
inspect::Report report_with(const std::vector<std::string> &texts) {
  inspect::Report r = known_report();
  r.kernels.clear();
  inspect::Object object = r.objects[0];
  object.kind = inspect::ObjectKind::ptx;
  object.kernels = 0;
  object.cuda_header.reset();
  r.objects.clear();
  for (std::size_t i = 0; i < texts.size(); i++) {
    object.id = "40.0." + std::to_string(i);
    object.digest = sha256(texts[i]);
    r.objects.push_back(object);
  }
  r.targets[0].objects = texts.size();
  r.usage.objects_not_selected = 0;
  return r;
}

std::string record_with(const std::vector<std::string> &texts) {
  inspect::Report r = report_with(texts);
  RecordPath path;
  auto writer = EvidenceWriter::create(path.text());
  inspect::Options options;
  writer->install(options);
  std::vector<inspect::Kernel> none;
  // Payloads come in any order.
  for (std::size_t i = texts.size(); i-- > 0;)
    options.payload(r.objects[i], as_bytes(texts[i]));
  for (const inspect::Object &o : r.objects)
    options.done(o, none);
  return writer->finish(r) ? path.bytes() : std::string();
}

// About `size` bytes whose characters have one to four bytes.
std::string long_text(std::size_t size) {
  std::string out = ".version 8.0\n";
  constexpr std::array<std::string_view, 4> kParts = {"a\t\"", "\u00e9",
                                                      "\u20ac", "\U0001f680"};
  for (std::size_t i = 0; out.size() < size; i++)
    out += kParts[(i * 7 + i / 5) % 4];
  return out;
}

bool is_boundary(std::string_view text, std::size_t at) {
  return at >= text.size() ||
         (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
}

Evidence opened(std::string_view record) {
  auto evidence = Evidence::memory(as_bytes(record));
  EXPECT_TRUE(evidence) << evidence.error().text();
  return std::move(*evidence);
}

TEST(EvidenceText, GivesBackTextsOfAnySize) {
  std::vector<std::string> texts;
  for (std::size_t size : {1, 100, 65535, 65536, 65537, 300000, 1, 2000000, 7})
    texts.push_back(size == 1 ? "x" : long_text(size));
  texts.emplace_back();
  std::string record = record_with(texts);
  Evidence evidence = opened(record);
  ASSERT_TRUE(evidence.verify()) << evidence.verify().error().text();
  for (std::size_t i = 0; i < texts.size(); i++) {
    auto text = evidence.text("40.0." + std::to_string(i), 0, UINT64_MAX);
    ASSERT_TRUE(text) << i << " " << text.error().text();
    EXPECT_EQ(text->bytes, texts[i]) << i;
    EXPECT_EQ(text->size, texts[i].size());
    EXPECT_EQ(text->offset, 0u);
    EXPECT_EQ(text->sha256, sha256(texts[i]));
    EXPECT_EQ(text->object, "40.0." + std::to_string(i));
  }
}

TEST(EvidenceText, GivesBackPagesOnBoundariesOfCharacters) {
  std::vector<std::string> texts = {"one", long_text(900000), "three"};
  const std::string &text = texts[1];
  std::string record = record_with(texts);
  Evidence evidence = opened(record);
  // Around the ends of pieces (64 KiB and up to 3 bytes less each).
  for (std::size_t middle : {30, 65536, 262144, 899990})
    for (std::size_t offset = middle - 4; offset < middle + 3; offset++)
      for (std::size_t length : {3, 70000}) {
        auto page = evidence.text("40.0.1", offset, length);
        std::size_t end = std::min(offset + length, text.size());
        if (is_boundary(text, offset) && is_boundary(text, end)) {
          ASSERT_TRUE(page) << offset << " " << page.error().text();
          ASSERT_EQ(page->bytes, text.substr(offset, length)) << offset;
        } else {
          ASSERT_FALSE(page) << offset << " " << length;
          EXPECT_EQ(page.error().code, Errc::invalid_argument);
        }
      }
  auto end = evidence.text("40.0.1", text.size(), 10);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->bytes, "");
  EXPECT_EQ(evidence.text("40.0.1", text.size() + 1, 0).error().code,
            Errc::invalid_argument);
}

TEST(EvidenceText, KeepsBytesThatAreNotUtf8) {
  std::vector<std::string> texts = {std::string(".version 8.0\0\xff\x80", 15),
                                    long_text(200000) + "\xe2\x82"};
  std::string record = record_with(texts);
  Evidence evidence = opened(record);
  ASSERT_TRUE(evidence.verify()) << evidence.verify().error().text();
  for (std::size_t i = 0; i < texts.size(); i++)
    EXPECT_EQ(evidence.text("40.0." + std::to_string(i), 0, UINT64_MAX)->bytes,
              texts[i]);
  // Such a text has no characters.
  EXPECT_EQ(evidence.text("40.0.0", 14, 1)->bytes, "\x80");
}

TEST(EvidenceText, CutsPiecesOnBoundariesOfCharacters) {
  RecordParts parts = RecordParts::of(record_with({long_text(500000)}));
  std::size_t count = 0;
  for (const RecordLine &line : parts.lines)
    if (line.kind == RowKind::text) {
      count++;
      auto row = parse_json(line.text);
      ASSERT_TRUE(row);
      std::uint64_t size = *row->find("bytes")->number();
      EXPECT_EQ(row->find("text")->text()->size(), size);
      EXPECT_LE(size, 65536u);
      EXPECT_TRUE(is_boundary(*row->find("text")->text(), 0));
    }
  EXPECT_EQ(count, 8u);
}

TEST(EvidenceText, RefusesObjectsWithoutOne) {
  std::string record = record_of(known_report());
  Evidence evidence = opened(record);
  auto text = evidence.text("40.0.1", 0, 1);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::not_found);
  EXPECT_EQ(text.error().what, "no text of object 40.0.1 was retained");
  EXPECT_EQ(evidence.text("40.0.2", 0, 1).error().what,
            "there is no object 40.0.2");
}

// A limit can take back what was found in a payload.
TEST(EvidenceText, ForgetsWhatTheRunForgot) {
  inspect::Report r = report_with({"first", "second"});
  RecordPath path;
  auto writer = EvidenceWriter::create(path.text());
  inspect::Options options;
  writer->install(options);
  options.payload(r.objects[0], as_bytes("first"));
  options.payload(r.objects[1], as_bytes("second"));
  r.objects[0].digest = "";
  std::vector<inspect::Kernel> none;
  for (const inspect::Object &o : r.objects)
    options.done(o, none);
  ASSERT_TRUE(writer->finish(r));
  std::string record = path.bytes();
  Evidence evidence = opened(record);
  EXPECT_TRUE(evidence.verify());
  EXPECT_EQ(evidence.text("40.0.0", 0, 9).error().code, Errc::not_found);
  EXPECT_EQ(evidence.text("40.0.1", 0, 9)->bytes, "second");
}

TEST(EvidenceText, IsRefusedWhenPiecesDoNotFollow) {
  const RecordParts parts = RecordParts::of(record_with({long_text(500000)}));
  auto swapped = parts;
  std::swap(swapped.lines[2], swapped.lines[5]);
  auto removed = parts;
  removed.lines.erase(removed.lines.begin() + 4);
  for (const RecordParts &bad : {swapped, removed}) {
    std::string record = bad.record();
    Evidence evidence = opened(record);
    EXPECT_EQ(evidence.verify().error().code, Errc::bad_value);
    EXPECT_FALSE(evidence.text("40.0.0", 0, UINT64_MAX));
    auto sound = evidence.text("40.0.0", 0, 1000);
    ASSERT_TRUE(sound) << sound.error().text();
  }
}

} // namespace
} // namespace gantry::report
