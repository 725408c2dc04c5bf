// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place that lists the members of the model for reading; what writes
// them are the tables of fields. A member that is in one of them only makes
// reading refuse the row, and the round trip of the tests fail.

#include "report/evidence_rows.h"

#include "base/text.h"

#include <fmt/core.h>

#include <array>
#include <charconv>

namespace gantry::report {

namespace {

using inspect::Container;
using inspect::Kernel;
using inspect::Object;
using inspect::Report;
using inspect::TargetRow;

// As docs/schema/inspect-1.json lists them.
constexpr std::array<std::string_view, 14> kCompressions = {
    "none",    "lz4-block", "lz4-frame", "zstd",   "zlib",
    "gzip",    "bzip2",     "xz",        "lzma",   "lz4",
    "deflate", "deflate64", "ppmd",      "unknown"};
constexpr std::array<std::string_view, 7> kConsistencies = {
    "equal",   "base-only",  "conflict",     "feature-mismatch",
    "unknown", "unexamined", "single-source"};
constexpr std::array<std::string_view, 4> kRepresentations = {
    "sass", "ptx", "amdgpu", "spirv"};
// Of texts; the index is whether it is UTF-8.
constexpr std::array<std::string_view, 2> kEncodings = {"hex", "utf-8"};

// The members of a row's value.
class Fields {
public:
  Fields(Values &values, const Item &at, std::vector<Claim> &claims)
      : members_(values, at), claims_(claims) {}
  template <class T> void operator()(std::string_view name, T &&out) {
    members_(name, std::forward<T>(out));
  }
  template <class Read> void with(std::string_view name, Read read) {
    members_.with(name, read);
  }
  void claim(std::string_view name) {
    with(name, [&](const Item &at) { claims_.push_back({name, at.value}); });
  }
  void end() { members_.end(); }

private:
  Members members_;
  std::vector<Claim> &claims_;
};

void read_members(Fields &m, TargetRow &t) {
  m("target", t.target);
  m("kind", t.kind);
  m("relocatable", t.relocatable);
  m("objects", t.objects);
  m("kernels", t.kernels);
  m("encoded_bytes", t.encoded_bytes);
  m("decoded_bytes", t.decoded_bytes);
  m.claim("share");
  m("coverage", t.coverage);
}

void read_members(Fields &m, Container &c) {
  m("id", Id{c.id});
  m("kind", c.kind);
  m("found_by", c.found_by);
  m.claim("parent");
  m("section", c.section);
  m("format", c.format);
  m("location", c.location);
  m.claim("size");
  m("decoded_bytes", c.decoded_bytes);
  m("compression", StaticWord{c.compression, kCompressions});
  m("version", c.version);
  m("entries", c.entries);
  m("host_entries", c.host_entries);
  m.claim("objects");
  m("wrappers", c.wrappers);
  m("padding_bytes", c.padding_bytes);
  m("unrecognised_bytes", c.unrecognised_bytes);
  m("coverage", c.coverage);
  m("limitations", c.limitations);
}

void read_members(Fields &m, Object &o) {
  m("id", Id{o.id});
  m.claim("member");
  m("kind", o.kind);
  m("relocatable", o.relocatable);
  m.claim("container");
  m.claim("section");
  m("found_by", o.found_by);
  m("declared", o.declared);
  m("target", o.target);
  m("payload_target", o.payload_target);
  m("target_consistency", StaticWord{o.target_consistency, kConsistencies});
  m("compression", StaticWord{o.compression, kCompressions});
  m("obfuscated", o.obfuscated);
  m("name", o.name);
  m("options", o.options);
  m("toolkit", o.toolkit);
  m("version", o.version);
  m("encoded_bytes", o.encoded_bytes);
  m("decoded_bytes", o.decoded_bytes);
  m("location", o.location);
  m("encoded_location", o.encoded_location);
  m("digest", Digest{o.digest, true});
  m.claim("parents");
  m("kernels", o.kernels);
  m("kernel_analysis", o.kernel_analysis);
  m("cuda_target_header", o.cuda_header);
  m("e_flags", o.e_flags);
  m("module_shared_bytes", o.module_shared_bytes);
  m("attributes", o.attributes);
  m("limitations", o.limitations);
}

void read_parameters(Fields &m, Kernel &k) {
  m("parameter_count", k.parameter_count);
  m("hidden_parameter_count", k.hidden_parameter_count);
  m("parameter_bytes", k.parameter_bytes);
  m("parameter_base", k.parameter_base);
  std::optional<std::vector<inspect::Parameter>> list;
  m("parameters", list);
  if (list) {
    k.parameters = std::move(*list);
    k.parameters_known =
        k.parameters.empty() || k.parameter_count == k.parameters.size();
  }
}

void read_members(Fields &m, Kernel &k) {
  m("name", k.name);
  // Follows from the name, but other versions may unfold it otherwise.
  std::string demangled;
  m("demangled", demangled);
  m.claim("object");
  m.claim("target");
  m("representation", StaticWord{k.representation, kRepresentations, true});
  m("registers", k.registers);
  m("virtual_registers", k.virtual_registers);
  m("shared_bytes", k.shared_bytes);
  m("shared_section_bytes", k.shared_section_bytes);
  m("dynamic_shared", k.dynamic_shared);
  m("local_bytes", k.local_bytes);
  m("stack_bytes", k.stack_bytes);
  m("code_bytes", k.code_bytes);
  m("barriers", k.barriers);
  m("register_limit", k.register_limit);
  m("max_threads", k.max_threads);
  m("required_threads", k.required_threads);
  m("cluster", k.cluster);
  m("max_cluster_rank", k.max_cluster_rank);
  m("max_flat_threads", k.max_flat_threads);
  read_parameters(m, k);
  std::optional<std::vector<std::pair<std::uint32_t, std::uint64_t>>> banks;
  m("constant_banks", banks);
  if (banks) // null for what is not SASS
    k.constant_banks = std::move(*banks);
  m("sgprs", k.sgprs);
  m("vgprs", k.vgprs);
  m("agprs", k.agprs);
  m("sgpr_spills", k.sgpr_spills);
  m("vgpr_spills", k.vgpr_spills);
  m("allocated_vgprs", k.allocated_vgprs);
  m("allocated_sgprs", k.allocated_sgprs);
  m("wavefront_size", k.wavefront_size);
  m("language", k.language);
  m("symbol", k.symbol);
  m("derived_name", k.derived_name);
  m("attributes", k.attributes);
  m("limitations", k.limitations);
}

// ---- rows

// Reads a line: what all rows have, what `head` reads, and the member `name`.
template <class Head, class Value>
Result<void> read_line(const EvidenceLine &line, const Limits &limits,
                       Head head, std::string_view name, Value value) {
  auto parsed = parse_json(line.text, row_limits(limits));
  if (!parsed) {
    Error error = std::move(parsed).error();
    error.what = fmt::format("{}: {}", line.name(), error.what);
    error.offset = line.block->offset;
    return std::unexpected(std::move(error));
  }
  Values values(line.name(), line.block->offset);
  Item root{*parsed};
  Members m(values, root);
  std::string_view record;
  m("record", StaticWord{record, kRowWords});
  if (values.ok() && record != word(line.block->kind))
    values.refuse(root, fmt::format("a record of {}", record));
  head(m);
  m.with(name, [&](const Item &at) { value(at, values); });
  m.end();
  return values.result();
}

// The number of a row is where it stands.
void read_number(Members &m, const EvidenceLine &line) {
  m.with("row", [&](const Item &at) {
    if (at.value != JsonValue(line.row))
      m.values().refuse(at, "not the number of the row");
  });
}

// What a row refers to is in the range that the index states for its block,
// which is that of existing rows.
Result<void> check_owner(const EvidenceLine &line, std::string_view field,
                         const std::optional<std::uint64_t> &owner) {
  if (!owner || *owner < line.block->refers_first ||
      *owner > line.block->refers_last)
    return bad_row(line, fmt::format("{}: not as the index says", field));
  return {};
}

template <class Row>
Result<void> read_row(const EvidenceLine &line, const Limits &limits, Row &row,
                      std::string_view owner, auto head) {
  return read_line(
      line, limits,
      [&](Members &m) {
        read_number(m, line);
        if (!owner.empty())
          m(owner, row.owner);
        head(m);
      },
      "value",
      [&](const Item &at, Values &values) {
        Fields fields(values, at, row.claims);
        read_members(fields, row.part);
        fields.end();
      });
}

void read_package(const Item &at, inspect::Package &p, Values &values) {
  if (at.value.is_null())
    return;
  Members m(values, at);
  m("format", p.format);
  m("members", p.members);
  m("opened", p.opened);
  m("skipped", p.skipped);
  m("unpacked_bytes", p.unpacked_bytes);
  m.end();
}

void read_usage(const Item &at, inspect::Usage &u, Values &values) {
  Members m(values, at);
  m("accounted_bytes", u.accounted_bytes);
  m("bytes_read", u.bytes_read);
  m("decoded_bytes", u.decoded_bytes);
  m("object_bytes", u.object_bytes);
  m("compressed_together_bytes", u.compressed_together_bytes);
  m("container_bytes", u.container_bytes);
  m("padding_bytes", u.padding_bytes);
  m("other_bytes", u.other_bytes);
  m("overlap_bytes", u.overlap_bytes);
  m("objects_not_selected", u.objects_not_selected);
  m.end();
}

void read_facts(const Item &at, Report &r, Values &values) {
  Members m(values, at);
  m.with("input", [&](const Item &input) {
    Members in(values, input);
    in("path", r.path);
    in("size", r.size);
    in("format", r.format);
    in("sha256", Digest{r.sha256, true});
    in.end();
  });
  m.with("package", [&](const Item &package) {
    read_package(package, r.package, values);
  });
  m("analysis", r.analysis);
  m("searched", r.searched);
  m("coverage", r.coverage);
  m("limitations", r.limitations);
  m.with("usage",
         [&](const Item &usage) { read_usage(usage, r.usage, values); });
  m.end();
}

// The bytes that an even number of hexadecimal digits stand for.
std::optional<std::string> from_hex(std::string_view digits) {
  std::string out;
  if (digits.size() % 2 != 0)
    return std::nullopt;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    std::uint8_t byte = 0;
    const char *end = digits.data() + i + 2;
    auto [stop, error] = std::from_chars(digits.data() + i, end, byte, 16);
    if (error != std::errc() || stop != end)
      return std::nullopt;
    out += static_cast<char>(byte);
  }
  return out;
}

void read_bytes(const Item &at, bool utf8, TextPiece &piece, Values &values) {
  const std::string *text = at.value.text();
  auto bytes = text == nullptr ? std::nullopt
               : utf8          ? std::optional(*text)
                               : from_hex(*text);
  if (!bytes)
    return values.refuse(at, utf8 ? "not a text" : "not hexadecimal digits");
  piece.bytes = std::move(*bytes);
}

} // namespace

std::string EvidenceLine::name() const {
  return fmt::format("{} {}", word(block->kind), row);
}

std::unexpected<Error> bad_row(const EvidenceLine &line, std::string_view why) {
  return fail(Errc::bad_value, line.block->offset,
              fmt::format("{}: {}", line.name(), why));
}

Result<TargetLine> read_target(const EvidenceLine &line, const Limits &limits) {
  TargetLine row;
  GANTRY_CHECK(read_row(line, limits, row, "", [](Members &) {}));
  return row;
}

Result<ContainerLine> read_container(const EvidenceLine &line,
                                     const Limits &limits) {
  ContainerLine row;
  GANTRY_CHECK(read_row(line, limits, row, "parent_row", [](Members &) {}));
  if (row.owner && *row.owner >= line.row)
    return bad_row(line, "parent_row: not before the container");
  return row;
}

Result<EvidenceObject> read_object(const EvidenceLine &line,
                                   const Limits &limits) {
  EvidenceObject row;
  GANTRY_CHECK(read_row(line, limits, row, "container_row", [&](Members &m) {
    m("selected", row.part.selected);
    m("first_kernel", row.rows.first_kernel);
    m("kernel_rows", row.rows.kernel_rows);
    m("text_bytes", row.rows.text_bytes);
  }));
  GANTRY_CHECK(check_owner(line, "container_row", row.owner));
  return row;
}

Result<KernelLine> read_kernel(const EvidenceLine &line, const Limits &limits) {
  KernelLine row;
  GANTRY_CHECK(read_row(line, limits, row, "object_row", [](Members &) {}));
  GANTRY_CHECK(check_owner(line, "object_row", row.owner));
  return row;
}

Result<TextPiece> read_text(const EvidenceLine &line, const Limits &limits) {
  TextPiece piece;
  std::uint64_t bytes = 0;
  GANTRY_CHECK(read_line(
      line, limits,
      [&](Members &m) {
        m("object", Id{piece.object});
        m("sha256", Digest{piece.sha256});
        m("offset", piece.offset);
        m("bytes", bytes);
        m("encoding", Choice{piece.utf8, kEncodings});
      },
      "text",
      [&](const Item &at, Values &values) {
        read_bytes(at, piece.utf8, piece, values);
      }));
  if (piece.bytes.size() != bytes || bytes == 0)
    return bad_row(line, "bytes");
  return piece;
}

Result<Report> read_summary(const EvidenceLine &line, const Limits &limits) {
  Report report;
  GANTRY_CHECK(read_line(
      line, limits, [&](Members &m) { read_number(m, line); }, "value",
      [&](const Item &at, Values &values) { read_facts(at, report, values); }));
  return report;
}

} // namespace gantry::report
