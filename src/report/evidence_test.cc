// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"
#include "inspect/test_samples.h"
#include "report/test_evidence.h"
#include "report/test_model.h"
#include "report/test_text.h"

#include <gtest/gtest.h>

namespace gantry::report {
namespace {

using inspect::Options;
using inspect::Report;
using inspect::Sample;

// What a run with the writer's hooks gives, and its record.
struct Recorded {
  Report report;
  std::string record;
};

Recorded recorded(Bytes file, Options options = {}) {
  RecordPath path;
  auto writer = EvidenceWriter::create(path.text());
  writer->install(options);
  Recorded out;
  out.report = inspect::memory(file, "sample", options).value();
  auto done = writer->finish(out.report);
  EXPECT_TRUE(done) << done.error().text();
  out.record = path.bytes();
  return out;
}

const Sample &sample(std::string_view name) {
  auto at = std::ranges::find_if(inspect::samples(), [&](const Sample &s) {
    return s.name.ends_with(name);
  });
  return *at;
}

Evidence opened(std::string_view record) {
  auto evidence = Evidence::memory(as_bytes(record));
  EXPECT_TRUE(evidence) << evidence.error().text();
  return std::move(*evidence);
}

void expect_same(const Recorded &r, const std::string &name) {
  Evidence evidence = opened(r.record);
  auto whole = evidence.verify();
  EXPECT_TRUE(whole) << name << ": " << whole.error().text();
  auto back = evidence.report();
  ASSERT_TRUE(back) << name << ": " << back.error().text();
  EXPECT_EQ(json_text(*back), json_text(r.report)) << name;
  EXPECT_EQ(plain_text(*back), plain_text(r.report)) << name;
}

TEST(Evidence, GivesBackEverySample) {
  for (const Sample &s : inspect::samples())
    expect_same(recorded(s.bytes), s.name);
}

TEST(Evidence, GivesBackDamagedFiles) {
  std::size_t turn = 0;
  for (const Sample &s : inspect::samples()) {
    std::vector<std::byte> file = s.bytes;
    const std::size_t part = 1 + turn++ % 9;
    if (turn % 2 == 0)
      file.resize(file.size() * part / 10);
    for (std::size_t i = part; i < file.size(); i += file.size() / 50 + 1)
      file[i] ^= std::byte{0x41};
    expect_same(recorded(file), s.name);
  }
}

TEST(Evidence, GivesBackSelections) {
  for (const Sample &s : inspect::samples()) {
    Options options;
    options.targets = {"sm_80", "gfx90a"};
    options.kernels = {"reduce", "vector_add"};
    expect_same(recorded(s.bytes, options), s.name);
  }
}

TEST(Evidence, GivesBackWhatIsUnknownAndWhatIsKnown) {
  for (Report r : {unknown_report(), known_report()}) {
    r.containers[0].id = "40";
    r.objects[0].id = "40.0.1";
    r.targets[0].objects = 1;
    r.usage.objects_not_selected = 0;
    std::string record = record_of(r);
    auto back = opened(record).report();
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(json_text(*back), json_text(r));
  }
}

TEST(Evidence, GivesBackTextsThatAreNotUtf8) {
  Report r = known_report();
  const std::string bad = "\x1b[31m \\x41 \xff \xe2\x80\xae \"\n\\";
  r.path = bad;
  inspect::Object &o = r.objects[0];
  o.declared = o.target = o.payload_target = o.name = o.options = bad;
  o.attributes = {{bad, bad}};
  r.kernels[0].name = r.kernels[0].symbol = r.kernels[0].language = bad;
  r.kernels[0].attributes = {{bad, bad}};
  r.containers[1].section = bad;
  r.limitations = {{"corrupt", bad, 1}};
  std::string record = record_of(r);
  auto back = opened(record).report();
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->path, bad);
  EXPECT_EQ(back->objects[0].name, bad);
  EXPECT_EQ(back->kernels[0].name, bad);
  EXPECT_EQ(back->kernels[0].attributes[0].second, bad);
  EXPECT_EQ(back->containers[1].section, bad);
  EXPECT_EQ(back->limitations[0].message, bad);
  EXPECT_EQ(json_text(*back), json_text(r));
}

TEST(Evidence, KnowsItsInput) {
  Recorded r = recorded(sample("zstd.fatbin").bytes);
  Evidence evidence = opened(r.record);
  EXPECT_EQ(evidence.input(), "sample");
  EXPECT_EQ(evidence.input_size(), r.report.size);
  EXPECT_EQ(evidence.sha256(), r.report.sha256);
  EXPECT_EQ(evidence.totals().containers, 1u);
  EXPECT_EQ(evidence.totals().objects, 3u);
  EXPECT_EQ(evidence.totals().kernels, 3u);
  EXPECT_EQ(evidence.totals().targets, 3u);
  EXPECT_EQ(evidence.totals().texts, 1u);
  auto summary = evidence.summary();
  ASSERT_TRUE(summary);
  View nothing;
  nothing.show = {};
  EXPECT_EQ(json_text(*summary, nothing), json_text(r.report, nothing));
}

TEST(EvidenceParallel, IsTheSameWithAnyNumberOfThreads) {
  for (std::string_view name : {"libvector.so", "zstd.fatbin", "reduce.o"}) {
    Options options;
    options.threads = 1;
    Recorded one = recorded(sample(name).bytes, options);
    options.threads = 4;
    for (int i = 0; i < 5; i++)
      EXPECT_EQ(recorded(sample(name).bytes, options).record, one.record);
  }
}

TEST(Evidence, KeepsKernelsThatAPageDrops) {
  const Sample &s = sample("zstd.fatbin");
  RecordPath path;
  auto writer = EvidenceWriter::create(path.text());
  Options options;
  std::size_t seen = 0;
  options.done = [&](const inspect::Object &, std::vector<inspect::Kernel> &k) {
    seen += k.size();
    k.clear();
  };
  std::size_t payloads = 0;
  options.threads = 1;
  options.payload = [&](const inspect::Object &, Bytes) { payloads++; };
  writer->install(options);
  auto report = inspect::memory(s.bytes, "sample", options);
  EXPECT_TRUE(report->kernels.empty());
  ASSERT_TRUE(writer->finish(*report));
  EXPECT_EQ(seen, 3u);
  EXPECT_EQ(payloads, 3u);
  std::string record = path.bytes();
  EXPECT_EQ(opened(record).report()->kernels.size(), 3u);
}

TEST(Evidence, LeavesNothingBehindWithoutFinish) {
  RecordPath path;
  {
    auto writer = EvidenceWriter::create(path.text());
    ASSERT_TRUE(writer);
  }
  EXPECT_FALSE(std::filesystem::exists(path.text()));
  EXPECT_EQ(EvidenceWriter::create("/nowhere/at/all").error().code, Errc::io);
  EXPECT_EQ(Evidence::open(path.text()).error().code, Errc::io);
}

TEST(Evidence, CanBeReadByStandardTools) {
  Recorded r = recorded(sample("zstd.fatbin").bytes);
  // One stream of frames for any decoder; what is no row is skipped.
  RecordParts parts = RecordParts::of(r.record);
  std::uint64_t size = 0;
  for (const EvidenceBlock &b : parts.index.blocks)
    size += b.decoded;
  Buffer out;
  auto all = decompress(Codec::zstd, as_bytes(r.record), size, Limits(), out);
  ASSERT_TRUE(all) << all.error().text();
  std::string lines;
  for (const RecordLine &line : parts.lines)
    lines += line.text + "\n";
  EXPECT_EQ(as_text(*all), lines);
}

// ---- pages

// Many rows: `count` objects in two containers, with one to three kernels.
Report large_report(std::size_t count) {
  Report r = known_report();
  inspect::Container first = r.containers[0];
  r.containers.push_back(first);
  r.containers[2].id = "50";
  r.containers[2].location = {"", 100, 50};
  inspect::Object object = r.objects[0];
  inspect::Kernel kernel = r.kernels[0];
  r.objects.clear();
  r.kernels.clear();
  for (std::uint32_t i = 0; i < count; i++) {
    bool late = i >= count / 2;
    object.id = (late ? "50." : "40.0.") + std::to_string(i);
    object.container = late ? 2 : 1;
    object.target = i % 2 ? "sm_90" : "sm_80";
    object.kind = i % 5 ? inspect::ObjectKind::cubin : inspect::ObjectKind::ptx;
    object.location = {"", 64, 1000};
    object.cuda_header->location = {"", 100, 4};
    r.objects.push_back(object);
    for (std::uint32_t k = 0; k <= i % 3; k++) {
      kernel.object = i;
      kernel.name = "kernel_" + std::to_string(i) + "_" + std::to_string(k);
      r.kernels.push_back(kernel);
    }
  }
  r.targets[0].objects = count;
  r.usage.objects_not_selected = 0;
  return r;
}

// All rows, page by page, as the JSON of each row.
std::string by_pages(const Evidence &evidence, EvidenceQuery query,
                     std::uint64_t limit, std::uint64_t total) {
  std::string out;
  View view;
  view.show = {query.show};
  for (query.first = 0; query.first < total; query.first += limit) {
    query.limit = limit;
    auto page = evidence.page(query);
    EXPECT_TRUE(page) << page.error().text();
    if (!page)
      return out;
    EXPECT_EQ(page->total, total);
    view.page = Page();
    view.page->first = query.first;
    view.page->limit = limit;
    view.page->dropped = query.first - page->before;
    TextSink sink;
    Records(view, false, sink).rows(page->report, query.show);
    out += sink.out;
  }
  return out;
}

std::string rows_text(const Report &report, Collection collection) {
  View view;
  view.show = {collection};
  TextSink sink;
  Records(view, false, sink).rows(report, collection);
  return sink.out;
}

TEST(EvidencePage, HasTheRowsOfTheWhole) {
  Report r = large_report(260);
  std::string record = record_of(r);
  Evidence evidence = opened(record);
  ASSERT_TRUE(evidence.verify()) << evidence.verify().error().text();
  EXPECT_EQ(evidence.totals().kernels, r.kernels.size());
  for (Collection c : kAllCollections) {
    EvidenceQuery query;
    query.show = c;
    for (std::uint64_t limit : {1u, 130u, 100000u}) {
      if (limit == 1 && count(r, c) > 10)
        continue; // slow
      EXPECT_EQ(by_pages(evidence, query, limit, count(r, c)), rows_text(r, c))
          << word(c) << " " << limit;
    }
  }
}

TEST(EvidencePage, SelectsAsARunDoes) {
  Report r = large_report(300);
  std::string record = record_of(r);
  Evidence evidence = opened(record);
  EvidenceQuery query;
  query.targets = {"sm_90"};
  query.kinds = {inspect::ObjectKind::ptx};
  Report expected = r;
  std::erase_if(expected.objects, [](const inspect::Object &o) {
    return o.target != "sm_90" || o.kind != inspect::ObjectKind::ptx;
  });
  ASSERT_EQ(expected.objects.size(), 30u);
  query.show = Collection::objects;
  EXPECT_EQ(by_pages(evidence, query, 17, 30),
            rows_text(expected, Collection::objects));

  auto selected = [&](const inspect::Kernel &k) {
    const inspect::Object &o = r.objects[k.object];
    return o.target == "sm_90" && o.kind == inspect::ObjectKind::ptx;
  };
  expected = r;
  std::erase_if(expected.kernels,
                [&](const inspect::Kernel &k) { return !selected(k); });
  query.show = Collection::kernels;
  EXPECT_EQ(by_pages(evidence, query, 17, expected.kernels.size()),
            rows_text(expected, Collection::kernels));
  auto whole = evidence.report(query);
  ASSERT_TRUE(whole);
  EXPECT_EQ(rows_text(*whole, Collection::kernels),
            rows_text(expected, Collection::kernels));

  query.kernels = {"kernel_15_0", "kernel_25_1", "kernel_16_0"};
  auto page = evidence.page(query);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->total, 2u);
  ASSERT_EQ(page->report.kernels.size(), 2u);
  EXPECT_EQ(page->report.kernels[0].name, "kernel_15_0");
  EXPECT_EQ(page->report.kernels[1].name, "kernel_25_1");
  query.first = 1;
  page = evidence.page(query);
  EXPECT_EQ(page->total, 2u);
  ASSERT_EQ(page->report.kernels.size(), 1u);
  EXPECT_EQ(page->report.kernels[0].name, "kernel_25_1");

  query = {};
  query.targets = {"sm_80"};
  query.show = Collection::targets;
  EXPECT_EQ(evidence.page(query)->total, 0u) << "the row is of sm_90a";
  query.targets = {"no such thing"};
  EXPECT_EQ(evidence.page(query).error().code, Errc::invalid_argument);
}

TEST(EvidencePage, SelectsByIds) {
  Report r = large_report(300);
  std::string record = record_of(r);
  Evidence evidence = opened(record);
  EvidenceQuery query;
  query.show = Collection::kernels;
  query.objects = {"50.200", "40.0.5"};
  auto page = evidence.page(query);
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(page->total, 6u);
  EXPECT_EQ(page->report.kernels[0].name, "kernel_5_0");
  EXPECT_EQ(page->report.kernels[3].name, "kernel_200_0");
  query.show = Collection::objects;
  query.objects.push_back("50.7");
  page = evidence.page(query);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, Errc::not_found);
  EXPECT_TRUE(page.error().what.find("50.7") != std::string::npos);
  EXPECT_EQ(evidence.report(query).error().code, Errc::not_found);
}

TEST(EvidencePage, LeavesOutObjectsThatTheRunDidNotSelect) {
  Report r = large_report(20);
  r.objects[3].selected = false;
  r.objects[3].kernel_analysis = inspect::Coverage::not_selected;
  r.usage.objects_not_selected = 1;
  std::string record = record_of(r);
  Evidence evidence = opened(record);
  EvidenceQuery query;
  query.show = Collection::objects;
  EXPECT_EQ(by_pages(evidence, query, 6, 19),
            rows_text(r, Collection::objects));
}

TEST(EvidencePage, IsEmptyBehindTheEnd) {
  std::string record = record_of(large_report(3));
  Evidence evidence = opened(record);
  for (Collection c : kAllCollections) {
    EvidenceQuery query;
    query.show = c;
    query.first = 1000;
    auto page = evidence.page(query);
    ASSERT_TRUE(page) << word(c);
    EXPECT_EQ(page->total, count(*evidence.report(), c));
    EXPECT_EQ(count(page->report, c), page->before);
    query.first = 0;
    query.limit = 0;
    page = evidence.page(query);
    ASSERT_TRUE(page) << word(c);
    EXPECT_EQ(count(page->report, c), 0u);
  }
}

} // namespace
} // namespace gantry::report
