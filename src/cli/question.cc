// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/question.h"

#include "base/text.h"
#include "cli/console.h"
#include "cli/values.h"
#include "gantry/target.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::cli {

namespace {

using report::Collection;
using Done = std::expected<void, Failure>;

bool contains(const auto &list, const auto &item) {
  return std::ranges::find(list, item) != list.end();
}

Done check_target(const std::string &text) {
  if (parse_target(text) || parse_entry_id(text).target || is_triple(text))
    return {};
  const std::vector<std::string> known = known_target_names();
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return refuse(fmt::format("{} is not the name of a target", printable(text)),
                did_you_mean(text, candidates,
                             "names look like sm_90a, compute_90 or "
                             "gfx90a:xnack+; gantry explain targets"));
}

Done check_field(const std::string &name, const report::View &view) {
  std::vector<std::string_view> known;
  std::string shown;
  for (Collection collection : view.show) {
    for (std::string_view field : report::fields(collection))
      known.push_back(field);
    shown += (shown.empty() ? "" : ", ") + std::string(word(collection));
  }
  if (contains(known, name))
    return {};
  return refuse(
      fmt::format("{} have no field {}", shown, printable(name)),
      did_you_mean(name, known, "gantry explain fields lists the fields"));
}

Done take_form(const Arguments &arguments, Question &out) {
  if (arguments.has("json") && arguments.has("ndjson"))
    return refuse("--json and --ndjson exclude each other",
                  "--json is one document, --ndjson a record a line");
  out.form = arguments.has("json")     ? Form::json
             : arguments.has("ndjson") ? Form::ndjson
                                       : Form::text;
  return {};
}

Done take_selection(const Arguments &arguments, std::string_view file,
                    Question &out) {
  if (auto good = take_targets(arguments, out.options); !good)
    return good;
  out.options.kernels = arguments.values("kernel");
  return take_ids(arguments.values("object"), file, out);
}

Done take_view(const Arguments &arguments, Question &out) {
  report::View &view = out.view;
  if (arguments.has("detail") && arguments.has("fields"))
    return refuse("--fields and --detail exclude each other",
                  "--fields says itself which fields are shown");
  if (arguments.has("show"))
    view.show.clear();
  else if (arguments.has("kernel"))
    view.show = {Collection::kernels};
  for (const std::string &name : arguments.values("show")) {
    const auto collection = report::collection_from(name);
    if (collection && !contains(view.show, *collection))
      view.show.push_back(*collection);
    if (!collection)
      out.text.emplace();
  }
  view.fields = arguments.values("fields");
  if (!out.text)
    for (const std::string &name : view.fields)
      if (auto good = check_field(name, view); !good)
        return good;
  if (arguments.has("detail"))
    view.detail = arguments.value("detail") == "full" ? report::Detail::full
                                                      : report::Detail::summary;
  return {};
}

Done take_size(const Arguments &arguments, std::string_view option,
               std::uint64_t &out) {
  if (!arguments.has(option))
    return {};
  const auto size = parse_size(arguments.value(option));
  if (!size)
    return refuse(fmt::format("--{}: {} is not a number", option,
                              printable(arguments.value(option))),
                  "write a whole number, perhaps with K, M or G (powers of "
                  "1024)");
  out = *size;
  return {};
}

Done take_text(const Arguments &arguments, Question &out) {
  for (std::string_view option : {"offset", "length"})
    if (arguments.has(option) && !out.text)
      return refuse(fmt::format("--{} goes with --show ptx", option));
  if (!out.text)
    return {};
  if (!out.view.show.empty())
    return refuse("--show ptx shows one text and nothing else",
                  "ask for the rest in a call of its own");
  for (std::string_view option :
       {"fields", "detail", "kernel", "target", "kind", "limit", "after"})
    if (arguments.has(option))
      return refuse(fmt::format("--{} does not go with --show ptx", option),
                    "--object says which text, --offset and --length which "
                    "part of it");
  if (out.options.objects.size() != 1)
    return refuse("--show ptx needs one --object",
                  "--show objects --kind ptx lists the ids");
  if (auto good = take_size(arguments, "offset", out.text->offset); !good)
    return good;
  return take_size(arguments, "length", out.text->length);
}

Done take_page(const Arguments &arguments, Question &out) {
  out.paged = arguments.has("limit") || arguments.has("after");
  if (!out.paged)
    return {};
  if (out.view.show.size() != 1)
    return refuse("--limit and --after page through one collection",
                  "name one with --show");
  if (auto good = take_size(arguments, "limit", out.limit); !good)
    return good;
  if (out.limit == 0)
    return refuse("--limit 0 shows nothing", "ask for one row at least");
  if (!arguments.has("after"))
    return {};
  auto cursor = parse_cursor(arguments.value("after"));
  if (!cursor)
    return std::unexpected(cursor.error());
  if (!agree(out.digest, cursor->file))
    return refuse("the cursor and the ids are those of different files",
                  "leave --after out to begin with the first page");
  out.after = std::move(*cursor);
  return {};
}

} // namespace

Done take_targets(const Arguments &arguments, inspect::Options &options) {
  options.targets = arguments.values("target");
  for (const std::string &text : options.targets)
    if (auto good = check_target(text); !good)
      return good;
  for (const std::string &name : arguments.values("kind"))
    if (const auto kind = inspect::object_kind_from(name))
      options.kinds.push_back(*kind);
  return {};
}

Done take_ids(std::span<const std::string> words, std::string_view file,
              Question &out) {
  for (const std::string &word : words) {
    WrittenId written = parse_id(word, file);
    if (word.find('@') != word.npos && written.digest.empty() &&
        word.rfind('@') > word.rfind('!') + 1 &&
        (word.rfind('!') == word.npos || word.rfind('@') > word.rfind('!')))
      return refuse(
          fmt::format("{}: what follows @ is no SHA-256", printable(word)),
          "write its first 16 digits or more");
    if (!agree(out.digest, written.digest))
      return refuse("the ids are those of different files",
                    "what follows @ is the SHA-256 of the file: take ids of "
                    "one file only");
    if (!contains(out.options.objects, written.id))
      out.options.objects.push_back(std::move(written.id));
  }
  return {};
}

std::expected<Question, Failure> question(const Arguments &arguments,
                                          std::string_view file) {
  Question out;
  if (auto good = take_form(arguments, out); !good)
    return std::unexpected(good.error());
  if (auto good = take_view(arguments, out); !good)
    return std::unexpected(good.error());
  if (auto good = take_selection(arguments, file, out); !good)
    return std::unexpected(good.error());
  if (auto good = take_text(arguments, out); !good)
    return std::unexpected(good.error());
  if (auto good = take_page(arguments, out); !good)
    return std::unexpected(good.error());
  return out;
}

std::expected<void, Failure> check_cursor(const Question &question) {
  if (!question.after ||
      question.after->question ==
          question_digits(question.view.show[0], question.options))
    return {};
  return refuse("the cursor belongs to another question",
                "repeat the options that the page before was asked with; only "
                "--limit, --fields and the form may change");
}

report::Page page_of(const Question &question) {
  report::Page page;
  page.first = question.after ? question.after->first : 0;
  page.limit = question.limit;
  return page;
}

void set_next(report::Page &page, const Question &question,
              std::string_view sha256) {
  if (page.total && !sha256.empty() && page.rows != 0 &&
      page.first + page.rows < *page.total)
    page.next =
        text(Cursor{page.first + page.rows, std::string(sha256),
                    question_digits(question.view.show[0], question.options)});
}

void set_style(report::View &view, const Arguments &arguments,
               const Console &console, const Output &output) {
  view.width = output.is_file() ? 0 : console.width();
  view.color = output.is_file() ? arguments.value("color") == "always"
                                : console.color(arguments.value("color"));
}

} // namespace gantry::cli
