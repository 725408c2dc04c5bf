// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/json.h"
#include "base/text.h"
#include "inspect/select.h"
#include "report/evidence_queries.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::report {

namespace {

// Beyond this many texts, looking for each takes longer than reading.
constexpr std::size_t kLookedFor = 8;

// A text as rows have it, without the quotes.
std::string in_json(std::string_view text) {
  std::string out;
  JsonWriter(out, JsonWriter::Style::compact).value(text);
  return out.substr(1, out.size() - 3); // quotes and the line's end
}

bool has_any(std::string_view line, const std::vector<std::string> &texts) {
  return texts.empty() || texts.size() > kLookedFor ||
         std::ranges::any_of(texts, [&](const std::string &text) {
           return line.find(text) != std::string_view::npos;
         });
}

} // namespace

struct EvidenceSelection::State {
  inspect::Selection selection;
  std::vector<std::string> ids; // ascending
  std::vector<bool> found;
  std::vector<std::string> id_texts;
  std::vector<std::string> name_texts;
  bool by_target = false;
};

EvidenceSelection::EvidenceSelection(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
EvidenceSelection::EvidenceSelection(EvidenceSelection &&) noexcept = default;
EvidenceSelection::~EvidenceSelection() = default;

Result<EvidenceSelection> EvidenceSelection::parse(const EvidenceQuery &query) {
  inspect::Options options;
  options.targets = query.targets;
  options.kinds = query.kinds;
  options.kernels = query.kernels;
  GANTRY_TRY(inspect::Selection selection, inspect::Selection::parse(options));
  auto state = std::make_unique<State>();
  state->selection = std::move(selection);
  state->by_target = !query.targets.empty() || !query.kinds.empty();
  state->ids = query.objects;
  std::ranges::sort(state->ids);
  state->found.resize(state->ids.size());
  for (const std::string &id : state->ids)
    state->id_texts.push_back(fmt::format("\"{}\"", in_json(id)));
  for (const std::string &name : query.kernels)
    state->name_texts.push_back(in_json(printable(name)));
  return EvidenceSelection(std::move(state));
}

bool EvidenceSelection::all_objects() const {
  return state_->ids.empty() && !state_->by_target;
}

bool EvidenceSelection::all_kernels() const {
  return state_->name_texts.empty();
}

bool EvidenceSelection::selects(const inspect::Object &object) {
  if (!state_->ids.empty()) {
    auto [first, last] = std::ranges::equal_range(state_->ids, object.id);
    if (first == last)
      return false;
    for (; first != last; ++first)
      state_->found[static_cast<std::size_t>(first - state_->ids.begin())] =
          true;
  }
  return object.selected && state_->selection.selects(object);
}

bool EvidenceSelection::selects(const inspect::Kernel &kernel) const {
  return state_->selection.selects(kernel);
}

bool EvidenceSelection::may_be_object(std::string_view line) const {
  return has_any(line, state_->id_texts);
}

bool EvidenceSelection::may_be_kernel(std::string_view line) const {
  return has_any(line, state_->name_texts);
}

Result<void> EvidenceSelection::check_ids() const {
  auto missing = std::ranges::find(state_->found, false);
  if (missing == state_->found.end())
    return {};
  return fail(Errc::not_found, 0,
              fmt::format("there is no object {}",
                          state_->ids[static_cast<std::size_t>(
                              missing - state_->found.begin())]));
}

} // namespace gantry::report
