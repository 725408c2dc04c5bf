// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"
#include "report/fields.h"

namespace gantry::report {

namespace {

constexpr std::string_view kSchema = "gantry.inspect/1";

void write_input(const inspect::Report &r, JsonWriter &json) {
  json.key("input");
  json.begin_object(JsonWriter::Lines::one);
  json.member("path", printable(r.path));
  json.member("size", r.size);
  if (r.format.empty())
    json.null_member("format");
  else
    json.member("format", r.format);
  if (r.sha256.empty())
    json.null_member("sha256");
  else
    json.member("sha256", r.sha256);
  json.end_object();
}

void write_package(const inspect::Package &p, JsonWriter &json) {
  json.key("package");
  if (p.format.empty())
    return json.null();
  json.begin_object(JsonWriter::Lines::one);
  json.member("format", p.format);
  json.member("members", p.members);
  json.member("opened", p.opened);
  json.member("skipped", p.skipped);
  json.member("unpacked_bytes", p.unpacked_bytes);
  json.end_object();
}

void write_usage(const inspect::Usage &u, JsonWriter &json) {
  json.key("usage");
  json.begin_object();
  json.member("accounted_bytes", u.accounted_bytes);
  json.member("bytes_read", u.bytes_read);
  json.member("decoded_bytes", u.decoded_bytes);
  json.member("object_bytes", u.object_bytes);
  json.member("compressed_together_bytes", u.compressed_together_bytes);
  json.member("container_bytes", u.container_bytes);
  json.member("padding_bytes", u.padding_bytes);
  json.member("other_bytes", u.other_bytes);
  json.member("overlap_bytes", u.overlap_bytes);
  json.member("objects_not_selected", u.objects_not_selected);
  json.end_object();
}

void write_collection(const inspect::Report &r, Collection c, const View &view,
                      JsonWriter &json) {
  std::vector<const Field *> fields = chosen(c, view.fields);
  json.key(word(c));
  json.begin_array();
  for (std::size_t row : rows(r, c)) {
    json.begin_object(JsonWriter::Lines::one);
    for (const Field *f : fields)
      write(*f, r, row, json);
    json.end_object();
  }
  json.end_array();
}

void write_document(const inspect::Report &r, const View &view,
                    JsonWriter &json) {
  json.begin_object();
  json.member("schema", kSchema);
  write_input(r, json);
  write_package(r.package, json);
  json.member("analysis", word(r.analysis));
  json.member("searched", r.searched);
  json.member("coverage", word(r.coverage));
  json.key("limitations");
  write(r.limitations, json);
  write_usage(r.usage, json);
  for (Collection c : view.show)
    write_collection(r, c, view, json);
  json.end_object();
}

void write_failure(const Input &input, JsonWriter &json) {
  const Error &e = input.report.error();
  json.begin_object();
  json.member("schema", kSchema);
  json.key("input");
  json.begin_object(JsonWriter::Lines::one);
  json.member("path", printable(input.path));
  json.end_object();
  json.key("error");
  json.begin_object();
  json.member("code", word(e.code));
  json.member("message", printable(e.text()));
  json.null_member("hint");
  json.end_object();
  json.end_object();
}

JsonWriter writer(Sink &sink) {
  return JsonWriter([&sink](std::string_view text) { sink.write(text); });
}

} // namespace

void json(const inspect::Report &report, const View &view, Sink &sink) {
  JsonWriter out = writer(sink);
  write_document(report, view, out);
}

void json(std::span<const Input> inputs, const View &view, Sink &sink) {
  JsonWriter out = writer(sink);
  std::uint64_t found = 0, failed = 0, objects = 0;
  out.begin_object();
  out.member("schema", kSchema);
  out.key("inputs");
  out.begin_array();
  for (const Input &input : inputs) {
    if (!input.report) {
      failed++;
      write_failure(input, out);
      continue;
    }
    found += !input.report->objects.empty();
    objects += input.report->objects.size();
    write_document(*input.report, view, out);
  }
  out.end_array();
  out.key("summary");
  out.begin_object(JsonWriter::Lines::one);
  out.member("inputs", inputs.size());
  out.member("found", found);
  out.member("failed", failed);
  out.member("objects", objects);
  out.end_object();
  out.end_object();
}

} // namespace gantry::report
