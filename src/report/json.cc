// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"
#include "report/document.h"

namespace gantry::report {

namespace {

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

void text_member(JsonWriter &json, std::string_view name,
                 std::string_view text) {
  if (text.empty())
    json.null_member(name);
  else
    json.member(name, text);
}

void write_page(const View &view, JsonWriter &json) {
  if (!view.page || view.show.size() != 1)
    return;
  json.key("page");
  json.begin_object(JsonWriter::Lines::one);
  json.member("collection", word(view.show[0]));
  json.member("first", view.page->first);
  json.member("rows", view.page->rows);
  json.member("total", view.page->total);
  text_member(json, "next", view.page->next);
  json.end_object();
}

void write_collection(const inspect::Report &r, Collection c, const View &view,
                      JsonWriter &json) {
  const std::vector<const Field *> fields = chosen(c, view, Detail::full);
  json.key(word(c));
  json.begin_array();
  for (std::size_t row : rows(r, c, view)) {
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
  json.member("schema", view.schema);
  write_facts(r, view, json);
  for (Collection c : view.show)
    write_collection(r, c, view, json);
  json.end_object();
}

void write_document(const Failed &failed, const View &view, JsonWriter &json) {
  json.begin_object();
  json.member("schema", view.schema);
  write_failed(failed, json);
  json.end_object();
}

JsonWriter writer(Sink &sink) {
  return JsonWriter([&sink](std::string_view text) { sink.write(text); });
}

} // namespace

void Totals::add(const inspect::Report &r) {
  inputs++;
  found += !r.objects.empty();
  objects += r.objects.size();
}

void Totals::add_failure() {
  inputs++;
  failed++;
}

void Totals::write(JsonWriter &json) const {
  json.member("inputs", inputs);
  json.member("found", found);
  json.member("failed", failed);
  json.member("objects", objects);
}

void write_input(const inspect::Report &r, JsonWriter &json) {
  json.key("input");
  json.begin_object(JsonWriter::Lines::one);
  json.member("path", printable(r.path));
  json.member("size", r.size);
  text_member(json, "format", r.format);
  text_member(json, "sha256", r.sha256);
  json.end_object();
}

void write_facts(const inspect::Report &r, const View &view, JsonWriter &json) {
  write_input(r, json);
  write_package(r.package, json);
  json.member("analysis", word(r.analysis));
  json.member("searched", r.searched);
  json.member("coverage", word(r.coverage));
  json.key("limitations");
  write(r.limitations, json);
  write_usage(r.usage, json);
  write_page(view, json);
}

void write_failed(const Failed &failed, JsonWriter &json) {
  if (!failed.path.empty()) {
    json.key("input");
    json.begin_object(JsonWriter::Lines::one);
    json.member("path", printable(failed.path));
    json.end_object();
  }
  json.key("error");
  json.begin_object();
  json.member("code", word(failed.code));
  json.member("message", failed.message);
  text_member(json, "hint", failed.hint);
  json.end_object();
}

void write_text(const TextPart &part, JsonWriter &json) {
  json.key("text");
  json.begin_object();
  json.member("object", part.object);
  json.member("sha256", part.sha256);
  json.member("bytes", part.bytes);
  json.member("offset", part.offset);
  json.member("length", part.text.size());
  json.member("text", part.text);
  json.member("next", part.next);
  json.end_object();
}

void json(const inspect::Report &report, const View &view, Sink &sink) {
  JsonWriter out = writer(sink);
  write_document(report, view, out);
}

void json(const inspect::Report &report, const TextPart &part, const View &view,
          Sink &sink) {
  JsonWriter out = writer(sink);
  out.begin_object();
  out.member("schema", view.schema);
  write_input(report, out);
  write_text(part, out);
  out.end_object();
}

void json(const Failed &failed, const View &view, Sink &sink) {
  JsonWriter out = writer(sink);
  write_document(failed, view, out);
}

struct Documents::State {
  const View &view;
  JsonWriter json;
  Totals totals;
};

Documents::Documents(const View &view, Sink &sink)
    : state_(new State{view, writer(sink), {}}) {
  JsonWriter &json = state_->json;
  json.begin_object();
  json.member("schema", view.schema);
  json.key("inputs");
  json.begin_array();
}

Documents::~Documents() = default;

void Documents::add(const inspect::Report &report) {
  state_->totals.add(report);
  write_document(report, state_->view, state_->json);
}

void Documents::add(const Failed &failed) {
  state_->totals.add_failure();
  write_document(failed, state_->view, state_->json);
}

void Documents::end() {
  JsonWriter &json = state_->json;
  json.end_array();
  json.key("summary");
  json.begin_object(JsonWriter::Lines::one);
  state_->totals.write(json);
  json.end_object();
  json.end_object();
}

} // namespace gantry::report
