// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saved records that somebody has changed. Digests and counts are right again
// wherever the test is not about them. Longer than other files: tables of all
// that can be wrong.
#include "inspect/test_samples.h"
#include "report/test_evidence.h"
#include "report/test_text.h"

#include <gtest/gtest.h>

namespace gantry::report {
namespace {

// The record of a fat binary with two cubins and a PTX text, in a section.
const std::string &good() {
  static const std::string record = [] {
    auto at =
        std::ranges::find_if(inspect::samples(), [](const inspect::Sample &s) {
          return s.name.ends_with("/cuda/libvector.so");
        });
    RecordPath path;
    auto writer = EvidenceWriter::create(path.text());
    inspect::Options options;
    writer->install(options);
    auto report = inspect::memory(at->bytes, "libvector.so", options);
    return writer->finish(*report) ? path.bytes() : std::string();
  }();
  return record;
}

// What opening and reading all of it says.
Result<void> read_all(std::string_view record, const Limits &limits = {}) {
  auto evidence = Evidence::memory(as_bytes(record), limits);
  if (!evidence)
    return std::unexpected(evidence.error());
  return evidence->verify();
}

EvidenceIndex index_of(std::string_view record) {
  MemorySource source(as_bytes(record));
  return read_index(source, Limits()).value();
}

std::uint64_t blocks_end(std::string_view record) {
  EvidenceIndex index = index_of(record);
  return index.blocks.back().offset + index.blocks.back().stored;
}

void expect_error(const Result<void> &result, Errc code, std::string_view what,
                  std::optional<std::uint64_t> offset = {}) {
  ASSERT_FALSE(result) << what;
  const Error &e = result.error();
  EXPECT_EQ(e.code, code) << e.text();
  EXPECT_NE(e.text().find(what), std::string::npos)
      << "expected " << what << ", got " << e.text();
  EXPECT_EQ(e.offset, offset.value_or(e.offset)) << e.text();
}

TEST(EvidenceDamage, IsNoneInAGoodRecord) {
  auto whole = read_all(good());
  EXPECT_TRUE(whole) << whole.error().text();
  // Also when it is put together anew.
  std::string again = RecordParts::of(good()).record();
  EXPECT_TRUE(read_all(again));
  EXPECT_TRUE(read_all(RecordParts::of(good()).record(true)));
}

TEST(EvidenceDamage, IsRefusedWhereverARecordIsCutOff) {
  for (std::size_t size = 0; size < good().size(); size++)
    expect_error(read_all(good().substr(0, size)), Errc::bad_magic,
                 "saved record: footer", size < 72 ? 0 : size - 16);
}

TEST(EvidenceDamage, IsRefusedInEveryByteBehindTheBlocks) {
  for (std::size_t at = blocks_end(good()); at < good().size(); at++) {
    std::string record = good();
    record[at] = static_cast<char>(record[at] ^ 0x40);
    EXPECT_FALSE(Evidence::memory(as_bytes(record))) << at;
  }
}

TEST(EvidenceDamage, IsRefusedInTheBlockThatIsAskedFor) {
  for (const EvidenceBlock &b : index_of(good()).blocks) {
    std::string record = good();
    char &byte = record[b.offset + b.stored / 2];
    byte = static_cast<char>(byte ^ 0x10);
    auto evidence = Evidence::memory(as_bytes(record));
    ASSERT_TRUE(evidence);
    auto whole = evidence->verify();
    ASSERT_FALSE(whole) << word(b.kind);
    EXPECT_EQ(whole.error().code, Errc::corrupt) << whole.error().text();
    EXPECT_GE(whole.error().offset, b.offset);
    EXPECT_LT(whole.error().offset, b.offset + b.stored);
    EXPECT_NE(whole.error().text().find(word(b.kind)), std::string::npos)
        << whole.error().text();
    // What does not need the block is not harmed.
    EXPECT_EQ(evidence->summary().has_value(), b.kind != RowKind::summary);
    EvidenceQuery query;
    query.show = Collection::targets;
    EXPECT_EQ(evidence->page(query).has_value(),
              b.kind != RowKind::summary && b.kind != RowKind::target);
  }
}

TEST(EvidenceDamage, InTheFooterIsNamed) {
  const std::size_t footer = good().size() - 64;
  const std::size_t frame = blocks_end(good());
  auto changed = [&](std::size_t at, char byte) {
    std::string record = good();
    record[at] = byte;
    return record;
  };
  expect_error(read_all(changed(footer, '\xff')), Errc::bad_value,
               "place of the index", footer);
  expect_error(read_all(changed(footer + 7, '\xff')), Errc::bad_value,
               "place of the index", footer);
  expect_error(read_all(changed(footer + 15, '\xff')), Errc::bad_value,
               "place of the index", footer);
  expect_error(read_all(changed(footer + 16, '\x00')), Errc::corrupt,
               "index: SHA-256", frame + 8);
  expect_error(read_all(changed(footer + 48, 'x')), Errc::bad_magic, "footer",
               footer + 48);
  expect_error(read_all(changed(frame, 'x')), Errc::bad_value,
               "frame of the index", frame);
  expect_error(read_all(changed(frame + 4, '\x01')), Errc::bad_value,
               "size of the index's frame", frame + 4);
  Limits small;
  small.table_bytes = 100;
  expect_error(read_all(good(), small), Errc::too_large, "limit table_bytes",
               footer + 8);
}

// The record with another text as its index.
std::string with_index_text(std::string_view text) {
  EvidenceIndex index = index_of(good());
  std::string out = good().substr(0, blocks_end(good()));
  const std::uint64_t at = out.size() + 8;
  auto number = [&](std::uint64_t v, int size) {
    for (int i = 0; i < size; i++)
      out += static_cast<char>(v >> (8 * i));
  };
  number(0x184d2a57, 4);
  number(text.size() + 64, 4);
  out += text;
  number(at, 8);
  number(text.size(), 8);
  Sha256 digest;
  digest.update(as_bytes(text));
  out += as_text(digest.digest());
  return out + "gantry.evidence\n";
}

std::string index_text() {
  const std::size_t begin = blocks_end(good()) + 8;
  return good().substr(begin, good().size() - 64 - begin);
}

TEST(EvidenceDamage, InTheIndexIsNamed) {
  const std::string text = index_text();
  ASSERT_EQ(with_index_text(text), good());
  struct Case {
    std::string_view from, to, what;
    Errc code = Errc::bad_value;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"gantry.evidence/1", "gantry.evidence/2", "gantry.evidence/2",
            Errc::unsupported},
           {"\"schema\":\"gantry.evidence/1\"", "\"schema\":1", "schema"},
           {"\"schema\"", "\"scheme\"", "schema"},
           {"\"path\":\"libvector.so\"", "\"path\":7",
            "index: input.path: not a text"},
           {"\"path\":\"libvector.so\",", "", "index: input: no member path"},
           {"\"path\":\"libvector.so\"", "\"path\":\"other\"",
            "summary 0: value.input: not that of the index"},
           {"\"size\":", "\"size\":-", "index: input.size: not a number"},
           {"\"targets\":[]", "\"targets\":{}",
            "index: options.targets: not a list"},
           {"\"kinds\":[]", "\"kinds\":[\"cubin\",\"x\"]",
            "index: options.kinds[1]: not a known word"},
           {"\"digest\":true", "\"digest\":1",
            "index: options.digest: neither true nor false"},
           {"\"deep\":false", "\"deep\":false,\"more\":1",
            "index: options: unknown member more"},
           {"\"deep\":false", "\"deep\":false,\"deep\":false", "a key twice"},
           {"\"totals\":{\"text\":", "\"totals\":{\"text\":1", "totals.text"},
           {"\"record\":\"kernel\"", "\"record\":\"korn\"",
            "].record: not a known word"},
           {"\"refers\":[", "\"refers\":[0,", "refers is no range"},
           {"\"refers\":[0,", "\"refers\":[99,", "refers is no range"},
           {"\"blocks\":[{", "\"blocks\":[7,{",
            "index: blocks[0]: not an object"},
           {"{", "{{", "JSON"},
       })
    expect_error(read_all(with_index_text(replaced(text, c.from, c.to))),
                 c.code, c.what);
  expect_error(read_all(with_index_text("[]")), Errc::bad_value, "schema");
  expect_error(read_all(with_index_text("")), Errc::bad_value, "JSON");
}

TEST(EvidenceDamage, InTheBlocksOfTheIndexIsNamed) {
  auto refused = [](Errc code, std::string_view what, auto change) {
    EvidenceIndex index = index_of(good());
    change(index);
    expect_error(read_all(with_index(good(), index)), code, what);
  };
  using Index = EvidenceIndex;
  ASSERT_GE(index_of(good()).blocks.size(), 6u);
  auto bad = [&](std::string_view what, auto change) {
    refused(Errc::bad_value, what, change);
  };
  bad("block 0: offset", [](Index &i) { i.blocks[0].offset = 1; });
  bad("block 1: offset", [](Index &i) { i.blocks[1].offset++; });
  bad("block 1: offset", [](Index &i) { i.blocks[0].stored--; });
  bad("block 0: stored", [](Index &i) { i.blocks[0].stored = UINT64_MAX; });
  bad("block 0: stored", [](Index &i) { i.blocks[0].stored = 0; });
  bad("block 0: first", [](Index &i) { i.blocks[0].first = 1; });
  bad("block 0: rows", [](Index &i) { i.blocks[0].rows = 0; });
  bad("block 0: rows",
      [](Index &i) { i.blocks[0].rows = i.blocks[0].decoded + 1; });
  bad("refers to 99", [](Index &i) { i.blocks[0].refers_last = 99; });
  refused(Errc::too_large, "limit decoded_ratio",
          [](Index &i) { i.blocks[0].decoded = std::uint64_t{1} << 60; });
  refused(Errc::corrupt, "another size",
          [](Index &i) { i.blocks[0].decoded++; });
  // Counts that are wrong, and blocks that stand for each other.
  for (std::size_t b = 0; b < index_of(good()).blocks.size(); b++) {
    const RowKind kind = index_of(good()).blocks[b].kind;
    bad(kind == RowKind::kernel    ? "kernels of"
        : kind == RowKind::summary ? "not one summary"
                                   : " lines",
        [&](Index &i) { i.blocks[b].rows++; });
  }
  refused(Errc::corrupt, "SHA-256",
          [](Index &i) { std::swap(i.blocks[0].sha256, i.blocks[1].sha256); });
  bad("a record of", [](Index &i) {
    for (EvidenceBlock &b : i.blocks)
      if (b.kind == RowKind::container)
        b.kind = RowKind::target;
      else if (b.kind == RowKind::target)
        b.kind = RowKind::container;
  });
  bad("not one summary", [](Index &i) {
    i.blocks.back().kind = RowKind::target;
    i.blocks.back().first = i.rows(RowKind::target);
    for (EvidenceBlock &b : i.blocks)
      if (b.kind == RowKind::target && &b != &i.blocks.back())
        i.blocks.back().first = b.first + b.rows;
  });
}

TEST(EvidenceDamage, OfBlocksThatAreLeftOutIsNamed) {
  EvidenceIndex index = index_of(good());
  index.blocks.pop_back();
  std::string record = good().substr(0, blocks_end(good()));
  record += write_index(index).value();
  expect_error(read_all(record), Errc::bad_value, "place of the index");
  record =
      good().substr(0, index.blocks.back().offset + index.blocks.back().stored);
  record += write_index(index).value();
  expect_error(read_all(record), Errc::bad_value, "not one summary");
}

// ---- rows

struct RowCase {
  RowKind kind;
  std::string_view from, to, what;
};

void expect_row_errors(std::initializer_list<RowCase> cases) {
  const RecordParts parts = RecordParts::of(good());
  for (const RowCase &c : cases) {
    RecordParts changed = parts;
    std::string &line = changed.line(c.kind);
    ASSERT_NE(line.find(c.from), std::string::npos) << c.from << " " << line;
    line = replaced(line, c.from, c.to);
    expect_error(read_all(changed.record()), Errc::bad_value, c.what);
  }
}

TEST(EvidenceDamage, OfWhatEveryRowHasIsNamed) {
  for (RowKind kind : {RowKind::kernel, RowKind::object, RowKind::container,
                       RowKind::target, RowKind::summary}) {
    const std::string name = std::string(word(kind)) + " 0: ";
    auto what = [&](std::string_view rest) { return name + std::string(rest); };
    const std::string record = "\"record\":\"" + std::string(word(kind));
    const std::string a = what("record: not a known word"),
                      b = what("row: not"), c = what("value: not an object"),
                      d = what("value: unknown member odd"),
                      e = what("unknown member odd"), f = what("JSON"),
                      g = what("a record of text"), h = what("no member row");
    expect_row_errors({{kind, record, "\"record\":\"odd", a},
                       {kind, record, "\"record\":\"text", g},
                       {kind, "\"row\":0", "\"row\":1", b},
                       {kind, "\"row\":0", "\"row\":null", b},
                       {kind, "\"row\":0,", "", h},
                       {kind, "\"value\":{", "\"value\":[],\"v\":{", c},
                       {kind, "\"value\":{", "\"value\":{\"odd\":1,", d},
                       {kind, "\"value\":{", "\"odd\":1,\"value\":{", e},
                       {kind, "\"value\":{", "\"value\":{{", f}});
  }
}

TEST(EvidenceDamage, OfKernelsIsNamed) {
  constexpr RowKind k = RowKind::kernel;
  expect_row_errors({
      {k, "\"object_row\":0", "\"object_row\":null",
       "kernel 0: object_row: not as the index says"},
      {k, "\"object_row\":0", "\"object_row\":99",
       "kernel 0: object_row: not as the index says"},
      {k, "\"object_row\":0", "\"object_row\":\"0\"",
       "kernel 0: object_row: not a number"},
      {k, "\"object_row\":0", "\"object_row\":1",
       "kernel 0: object_row: that object has other kernels"},
      {k, "\"object\":\"", "\"object\":\"f",
       "kernel 0: value.object: not what other rows say"},
      {k, "\"target\":\"", "\"target\":\"x",
       "kernel 0: value.target: not what other rows say"},
      {k, "\"demangled\":\"", "\"demangled\":7,\"d\":\"",
       "kernel 0: value.demangled: not a text"},
      {k, "\"representation\":\"sass\"", "\"representation\":\"brass\"",
       "kernel 0: value.representation: not a known word"},
      {k, "\"registers\":", "\"registers\":4294967296,\"r\":",
       "kernel 0: value.registers: a number of more than 32 bits"},
      {k, "\"registers\":", "\"registers\":-",
       "kernel 0: value.registers: not a number from 0 on"},
      {k, "\"shared_bytes\":", "\"shared_bytes\":0.5,\"s\":",
       "kernel 0: value.shared_bytes: not a number from 0 on"},
      {k, "\"dynamic_shared\":null", "\"dynamic_shared\":0",
       "kernel 0: value.dynamic_shared: neither true nor false"},
      {k, "\"cluster\":null", "\"cluster\":[1,2]",
       "kernel 0: value.cluster: not three numbers"},
      {k, "\"cluster\":null", "\"cluster\":[1,2,\"3\"]",
       "kernel 0: value.cluster[2]: not a number"},
      {k, "\"virtual_registers\":null", "\"virtual_registers\":[]",
       "kernel 0: value.virtual_registers: not an object"},
      {k, "\"constant_banks\":{", "\"constant_banks\":{\"x\":1,",
       "kernel 0: value.constant_banks: a name that is no number"},
      {k, "\"constant_banks\":{", "\"constant_banks\":{\"01\":1,",
       "kernel 0: value.constant_banks: a name that is no number"},
      {k, "\"parameters\":[{", "\"parameters\":[{\"odd\":0,",
       "kernel 0: value.parameters[0]: unknown member odd"},
      {k, "\"hidden\":false", "\"hidden\":null",
       "kernel 0: value.parameters[0].hidden: neither true nor false"},
      {k, "\"attributes\":[{\"name\":", "\"attributes\":[{\"nome\":",
       "kernel 0: value.attributes[0]: no member name"},
      {k, "\"derived_name\":false,", "",
       "kernel 0: value: no member derived_name"},
      {k, "\"limitations\":[]", "\"limitations\":[{\"code\":\"\"}]",
       "kernel 0: value.limitations[0].code: not an id"},
  });
}

TEST(EvidenceDamage, OfObjectsIsNamed) {
  constexpr RowKind k = RowKind::object;
  expect_row_errors({
      {k, "\"container_row\":", "\"container_row\":9",
       "object 0: container_row: not as the index says"},
      {k, "\"selected\":true", "\"selected\":false",
       "value.usage.objects_not_selected: not so many"},
      {k, "\"first_kernel\":0", "\"first_kernel\":1",
       "object 0: first_kernel: not behind the object before"},
      {k, "\"kernel_rows\":", "\"kernel_rows\":9",
       "object 0: kernel_rows: there are fewer"},
      {k, "\"text_bytes\":null", "\"text_bytes\":5", "object"},
      {k, "\"kind\":\"cubin\"", "\"kind\":\"cube\"",
       "object 0: value.kind: not a known word"},
      {k, "\"container\":\"", "\"container\":\"0",
       "object 0: value.container: not what other rows say"},
      {k, "\"member\":null", "\"member\":\"a.o\"",
       "object 0: value.member: not what other rows say"},
      {k, "\"section\":\"", "\"section\":\"x",
       "object 0: value.section: not what other rows say"},
      {k, "\"parents\":[\"", "\"parents\":[\"x\",\"",
       "object 0: value.parents: not what other rows say"},
      {k, "\"found_by\":\"", "\"found_by\":\"x",
       "object 0: value.found_by: not a known word"},
      {k, "\"target_consistency\":\"", "\"target_consistency\":\"x",
       "object 0: value.target_consistency: not a known word"},
      {k, "\"compression\":\"", "\"compression\":\"x",
       "object 0: value.compression: not a known word"},
      {k, "\"digest\":\"", "\"digest\":\"0",
       "object 0: value.digest: not a SHA-256"},
      {k, "\"kernel_analysis\":\"complete\"", "\"kernel_analysis\":\"whole\"",
       "object 0: value.kernel_analysis: not a known word"},
      {k, "\"encoded_location\":{\"in\":null,\"offset\":",
       "\"encoded_location\":{\"in\":null,\"offset\":99999999",
       "object 0: value.encoded_location: outside of what it lies in"},
      {k, "\"encoded_location\":{\"in\":null",
       "\"encoded_location\":{\"in\":\"z\"",
       "object 0: value.encoded_location.in: not what it lies in"},
      {k, "\"location\":{\"in\":null", "\"location\":{\"in\":\"\"",
       "object 0: value.location.in: not an id"},
      {k, "\"location\":{\"in\":null,\"offset\":",
       "\"location\":{\"in\":null,\"offset\":1844674407370955161",
       "object 0: value.location"},
  });
}

TEST(EvidenceDamage, OfAHeaderOutsideItsCubinIsNamed) {
  const RecordParts parts = RecordParts::of(good());
  auto header = [&](std::string_view location) {
    RecordParts changed = parts;
    std::string &line = changed.line(RowKind::object);
    std::size_t begin =
        line.find("\"location\":", line.find("\"cuda_target_header\":"));
    std::size_t end = line.find('}', begin);
    line.replace(begin, end + 1 - begin,
                 "\"location\":" + std::string(location));
    return read_all(changed.record());
  };
  constexpr std::string_view kOutside =
      "object 0: value.cuda_target_header.location: outside of its object";
  auto evidence = Evidence::memory(as_bytes(good()));
  const inspect::Location at = evidence->report()->objects[0].location;
  ASSERT_EQ(at.in, "");
  auto spelled = [](std::uint64_t offset, std::uint64_t size) {
    return "{\"in\":null,\"offset\":" + std::to_string(offset) +
           ",\"size\":" + std::to_string(size) + "}";
  };
  EXPECT_TRUE(header(spelled(at.offset, 4)));
  EXPECT_TRUE(header(spelled(at.offset + at.size - 4, 4)));
  expect_error(header(spelled(at.offset - 1, 4)), Errc::bad_value, kOutside);
  expect_error(header(spelled(at.offset + at.size - 3, 4)), Errc::bad_value,
               kOutside);
  expect_error(header(spelled(at.offset, at.size + 1)), Errc::bad_value,
               kOutside);
  expect_error(header(spelled(UINT64_MAX, 4)), Errc::bad_value, kOutside);
  expect_error(header("{\"in\":\"s1\",\"offset\":0,\"size\":4}"),
               Errc::bad_value, kOutside);
}

TEST(EvidenceDamage, OfContainersTargetsAndTheSummaryIsNamed) {
  expect_row_errors({
      {RowKind::container, "\"parent_row\":null", "\"parent_row\":0",
       "container 0: parent_row: not before the container"},
      {RowKind::container, "\"parent\":null", "\"parent\":\"s1\"",
       "container 0: value.parent: not what other rows say"},
      {RowKind::container, "\"objects\":0", "\"objects\":1",
       "container 0: value.objects: not what other rows say"},
      {RowKind::container, "\"size\":", "\"size\":9",
       "container 0: value.location: outside of what it lies in"},
      {RowKind::container, "\"kind\":\"section\"", "\"kind\":\"sector\"",
       "container 0: value.kind: not a known word"},
      {RowKind::container, "\"version\":null", "\"version\":\"1\"",
       "container 0: value.version: not a number"},
      {RowKind::target, "\"share\":", "\"share\":1",
       "target 0: value.share: not what other rows say"},
      {RowKind::target, "\"objects\":", "\"objects\":7", "targets have"},
      {RowKind::target, "\"coverage\":\"", "\"coverage\":\"in",
       "target 0: value.coverage: not a known word"},
      {RowKind::summary, "\"package\":null", "\"package\":{\"format\":\"zip\"}",
       "summary 0: value.package: no member members"},
      {RowKind::summary, "\"searched\":true", "\"searched\":null",
       "summary 0: value.searched: neither true nor false"},
      {RowKind::summary, "\"bytes_read\":", "\"bytes_wrote\":",
       "summary 0: value.usage: no member bytes_read"},
      {RowKind::summary, "\"path\":\"libvector.so\"", "\"path\":\"b.so\"",
       "summary 0: value.input: not that of the index"},
  });
}

TEST(EvidenceDamage, OfTextsIsNamed) {
  constexpr RowKind k = RowKind::text;
  expect_row_errors({
      {k, "\"object\":\"", "\"object\":\"0", "text 0: object: not the one"},
      {k, "\"sha256\":\"", "\"sha256\":\"0", "text 0: sha256: not a SHA-256"},
      {k, "\"offset\":0", "\"offset\":1",
       "text 0: offset: not behind the piece before"},
      {k, "\"bytes\":", "\"bytes\":1", "text 0: bytes"},
      {k, "\"encoding\":\"utf-8\"", "\"encoding\":\"hex\"",
       "text 0: text: not hexadecimal digits"},
      {k, "\"encoding\":\"utf-8\"", "\"encoding\":\"utf-9\"",
       "text 0: encoding: not a known word"},
      {k, "\"text\":\"\\n", "\"text\":\"x",
       "value.digest: not that of its text"},
      {k, "\"text\":\"", "\"text\":7,\"t\":\"", "text 0: text: not a text"},
  });
}

TEST(EvidenceDamage, OfRowsThatAreMissingIsNamed) {
  const RecordParts parts = RecordParts::of(good());
  auto without = [&](RowKind kind) {
    RecordParts changed = parts;
    auto at = std::ranges::find(changed.lines, kind, &RecordLine::kind);
    changed.lines.erase(at);
    return read_all(changed.record());
  };
  EXPECT_FALSE(without(RowKind::text));
  for (RowKind kind : {RowKind::kernel, RowKind::object, RowKind::container})
    EXPECT_FALSE(without(kind)) << word(kind);
  EXPECT_FALSE(without(RowKind::target));
  expect_error(without(RowKind::summary), Errc::bad_value, "not one summary");
}

TEST(EvidenceDamage, OfIdsThatAreThereTwiceIsNamed) {
  RecordParts changed = RecordParts::of(good());
  std::string &first = changed.line(RowKind::object, 0);
  std::string &second = changed.line(RowKind::object, 1);
  auto id = [](const std::string &line) {
    std::size_t begin = line.find("\"id\":\"") + 6;
    return line.substr(begin, line.find('"', begin) - begin);
  };
  second = replaced(second, "\"id\":\"" + id(second), "\"id\":\"" + id(first));
  EXPECT_FALSE(read_all(changed.record()));
}

TEST(EvidenceDamage, KeepsWithinLimits) {
  Limits limits;
  limits.records = 3;
  expect_error(read_all(good(), limits), Errc::too_large, "limit records");
  limits = {};
  limits.decoded_bytes = 100;
  expect_error(read_all(good(), limits), Errc::too_large,
               "limit decoded_bytes");
  limits = {};
  limits.ratio_floor = 1;
  limits.decoded_ratio = 1;
  expect_error(read_all(good(), limits), Errc::too_large,
               "limit decoded_ratio");
}

// A chain of containers, each in the one before.
TEST(EvidenceDamage, OfContainersThatNestTooDeepIsNamed) {
  auto nested = [](std::size_t count) {
    inspect::Report r;
    r.size = 100;
    for (std::uint32_t i = 0; i < count; i++) {
      inspect::Container c;
      c.id = std::to_string(i);
      c.parent = i == 0 ? inspect::kNone : i - 1;
      r.containers.push_back(c);
    }
    return record_of(r);
  };
  EXPECT_TRUE(read_all(nested(60)));
  expect_error(read_all(nested(1000)), Errc::too_large, "limit depth");
}

} // namespace
} // namespace gantry::report
