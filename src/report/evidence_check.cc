// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/evidence_check.h"

#include "base/reader.h"
#include "report/fields.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::report {

namespace {

using inspect::Container;
using inspect::Location;
using inspect::Object;
using inspect::Report;

JsonValue json_of(const Field &field, const Report &report, std::size_t row) {
  std::string text;
  JsonWriter json(text, JsonWriter::Style::compact);
  json.begin_object();
  write(field, report, row, json);
  json.end_object();
  auto parsed = parse_json(text);
  return parsed ? (*parsed->object())[0].value : JsonValue();
}

bool is_what_follows(const Claim &claim, const Field &field,
                     const Report &report, std::size_t row) {
  // Most are texts, and there is one or two for each kernel.
  if (field.cell) {
    Cell cell = field.cell(report, row);
    if (auto *text = std::get_if<std::string_view>(&cell))
      return claim.value.text() && *claim.value.text() == *text;
  }
  return claim.value == json_of(field, report, row);
}

// How many bytes the thing has that `in` names, seen from an object or
// container in `container`: "" the file; one of the containers around it; the
// object itself. Nothing when it is none of these.
struct Extent {
  std::optional<std::uint64_t> size; // nullopt: not recorded
};

std::optional<Extent> extent(const Report &report, const std::string &in,
                             std::uint32_t container, const Object *object) {
  if (in.empty())
    return Extent{report.size};
  if (object && in == object->id)
    return Extent{object->decoded_bytes};
  for (std::uint32_t c = container; c != inspect::kNone;
       c = report.containers[c].parent)
    if (report.containers[c].id == in)
      return Extent{report.containers[c].decoded_bytes};
  // An entry whose parts are the objects.
  if (object && object->id.starts_with(in + "."))
    return Extent{};
  return std::nullopt;
}

Result<void> check_location(const EvidenceLine &line, const Report &report,
                            std::string_view field, const Location &location,
                            std::uint32_t container, const Object *object) {
  auto around = extent(report, location.in, container, object);
  if (!around)
    return bad_row(line, fmt::format("{}.in: not what it lies in", field));
  if (!fits(location.offset, location.size, around->size.value_or(UINT64_MAX)))
    return bad_row(line, fmt::format("{}: outside of what it lies in", field));
  return {};
}

} // namespace

Result<void> check_claims(const EvidenceLine &line,
                          const std::vector<Claim> &claims, Collection c,
                          const Report &report, std::size_t row,
                          std::string_view except) {
  for (const Claim &claim : claims) {
    if (claim.field == except)
      continue;
    auto field = std::ranges::find(field_table(c), claim.field, &Field::name);
    if (!is_what_follows(claim, *field, report, row))
      return bad_row(
          line, fmt::format("value.{}: not what other rows say", claim.field));
  }
  return {};
}

Result<void> check_container(const EvidenceLine &line, const Report &report,
                             std::size_t i) {
  const Container &c = report.containers[i];
  return check_location(line, report, "value.location", c.location, c.parent,
                        nullptr);
}

Result<void> check_object(const EvidenceLine &line, const Report &report,
                          std::size_t i) {
  const Object &o = report.objects[i];
  GANTRY_CHECK(check_location(line, report, "value.location", o.location,
                              o.container, &o));
  GANTRY_CHECK(check_location(line, report, "value.encoded_location",
                              o.encoded_location, o.container, &o));
  if (!o.cuda_header)
    return {};
  const Location &header = o.cuda_header->location;
  if (header.in != o.location.in || header.offset < o.location.offset ||
      !fits(header.offset - o.location.offset, header.size, o.location.size))
    return bad_row(line, "value.cuda_target_header.location: outside of its "
                         "object");
  return {};
}

} // namespace gantry::report
