// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saved records: a file as it is, or rows that become a record whose digests
// and counts are right. What is read prints, and a sound record answers alike
// in pages and as a whole.
#include "report/test_evidence.h"
#include "report/test_json.h"
#include "report/test_text.h"

#include <cstdio>
#include <cstdlib>

using namespace gantry;

static void expect(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

static std::uint64_t pages(const report::Evidence &record,
                           report::EvidenceQuery query) {
  std::uint64_t rows = 0;
  query.limit = 4;
  for (int i = 0; i < 3; i++, query.first += query.limit) {
    auto page = record.page(query);
    if (!page)
      return UINT64_MAX;
    report::View view;
    view.show = {query.show};
    expect(report::is_json(report::json_text(page->report, view)),
           "a page is JSON");
    rows += report::count(page->report, query.show) - page->before;
    if (query.first + query.limit >= page->total)
      return rows;
  }
  return UINT64_MAX;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Limits limits;
  limits.decoded_bytes = limits.table_bytes = 1 << 20;
  limits.ratio_floor = 1 << 16;
  limits.records = 1 << 12;
  std::string made;
  if (!text.ends_with("gantry.evidence\n"))
    text = made = report::RecordParts::from(text).record(size % 2 != 0);
  auto record = report::Evidence::memory(as_bytes(text), limits);
  if (!record)
    return 0;
  const bool sound = record->verify().has_value();
  auto whole = record->report();
  expect(whole || !sound, "a sound record can be read");
  if (whole) {
    expect(report::is_json(report::json_text(*whole)), "it is JSON");
    expect(report::is_harmless(report::plain_text(*whole)), "it is harmless");
    for (const inspect::Object &o : whole->objects)
      for (std::uint64_t offset : {0, 1, 100})
        if (auto part = record->text(o.id, offset, 50))
          expect(part->bytes.size() <= 50, "a part is as long as asked for");
  }
  for (report::Collection c : report::kAllCollections) {
    report::EvidenceQuery query;
    query.show = c;
    std::uint64_t rows = pages(*record, query);
    if (sound && rows != UINT64_MAX)
      expect(rows == report::count(*whole, c), "pages have all rows");
  }
  report::EvidenceQuery query;
  query.show = report::Collection::kernels;
  query.targets = {"sm_80", "gfx906"};
  query.kernels = {"reduce"};
  pages(*record, query);
  return 0;
}
