// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads bundles of text files (clang's ClangOffloadBundler document; checked
// with clang-offload-bundler 22):
//
//   "\n" LEADER " __CLANG_OFFLOAD_BUNDLE____START__ " id "\n"
//   text
//   "\n" LEADER " __CLANG_OFFLOAD_BUNDLE____END__ " id "\n"
//
// for each target. LEADER begins a comment of the language: "#" in assembly and
// lists of dependencies, ";" in LLVM IR, "//" in preprocessed source. The line
// break before the END line does not belong to the text.

#include "format/text_bundle.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gantry::text_bundle {

namespace {

constexpr std::string_view kMarker = " __CLANG_OFFLOAD_BUNDLE____";
constexpr std::string_view kStart = "START__ ";
constexpr std::string_view kEnd = "END__ ";
constexpr std::array<std::string_view, 3> kLeaders = {"#", ";", "//"};
constexpr std::uint64_t kIdMax = 4096; // real ones have at most some 100 bytes
constexpr std::uint64_t kLineProbe = 256;
constexpr std::uint64_t kWindow = std::uint64_t{64} << 10;

struct First {
  std::uint64_t offset = 0; // of the leader
  std::string_view leader;
};

std::optional<First> first_marker(Bytes start) {
  const std::string_view text = as_text(start);
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos || (at != 0 && text[at - 1] != '\n'))
    return std::nullopt;
  for (std::string_view leader : kLeaders) {
    std::string_view rest = text.substr(at);
    if (!rest.starts_with(leader))
      continue;
    rest.remove_prefix(leader.size());
    if (rest.starts_with(kMarker) &&
        rest.substr(kMarker.size()).starts_with(kStart))
      return First{at, leader};
  }
  return std::nullopt;
}

// A START or END line.
struct Line {
  bool is_start = false;
  std::uint64_t offset = 0;      // of the leader
  std::uint64_t after = 0;       // of the next line
  std::optional<std::string> id; // nothing: too long
};

// Finds the lines one after the other.
class Lines {
public:
  Lines(const Source &source, First first)
      : source_(source), needle_(fmt::format("\n{}{}", first.leader, kMarker)) {
  }

  // The first line of a marker at or behind the line break at `pos`; nothing
  // when there is none.
  Result<std::optional<Line>> next(std::uint64_t pos);
  // The marker's line at `offset`; nothing when it is no marker.
  Result<std::optional<Line>> at(std::uint64_t offset);

private:
  const Source &source_;
  std::string needle_;
  Buffer window_scratch_, line_scratch_;
  Bytes window_; // from window_pos_ on
  std::uint64_t window_pos_ = 0;
};

Result<std::optional<Line>> Lines::next(std::uint64_t pos) {
  while (pos < source_.size()) {
    if (!fits(pos - window_pos_, 1, window_.size())) {
      window_pos_ = pos;
      GANTRY_TRY(window_, source_.read_up_to(pos, kWindow, window_scratch_));
    }
    const std::string_view text = as_text(window_);
    std::size_t hit = pos - window_pos_;
    while ((hit = text.find(needle_, hit)) != std::string_view::npos) {
      GANTRY_TRY(auto line, at(window_pos_ + hit + 1));
      if (line)
        return line;
      hit++;
    }
    if (window_pos_ + text.size() == source_.size())
      break;
    // A needle may lie across the end of the window.
    pos = std::max(pos, window_pos_ + text.size() - (needle_.size() - 1));
    window_ = {};
  }
  return std::optional<Line>();
}

Result<std::optional<Line>> Lines::at(std::uint64_t offset) {
  const std::uint64_t prefix = needle_.size() - 1; // without the line break
  GANTRY_TRY(Bytes bytes,
             source_.read_up_to(offset, kLineProbe, line_scratch_));
  if (as_text(bytes).find('\n') == std::string_view::npos) {
    GANTRY_TRY(bytes,
               source_.read_up_to(offset, prefix + kStart.size() + kIdMax + 2,
                                  line_scratch_));
  }
  std::string_view text = as_text(bytes).substr(prefix);
  Line line;
  line.offset = offset;
  line.is_start = text.starts_with(kStart);
  if (!line.is_start && !text.starts_with(kEnd))
    return std::optional<Line>();
  const std::string_view word = line.is_start ? kStart : kEnd;
  text.remove_prefix(word.size());
  const std::size_t end = text.find('\n');
  line.after = offset + prefix + word.size() + std::min(end, text.size());
  // The last line may lack its break.
  const bool whole =
      end != std::string_view::npos || offset + bytes.size() == source_.size();
  std::string_view id = text.substr(0, end);
  if (id.ends_with('\r'))
    id.remove_suffix(1);
  if (whole && id.size() <= kIdMax)
    line.id = std::string(id);
  if (end != std::string_view::npos)
    line.after++;
  return std::optional(std::move(line));
}

// Puts the lines together. A start opens an entry, whatever comes next ends it.
class Assembler {
public:
  void add(const Line &line);
  // The text of the open entry, if any, ends at `offset`.
  void close(std::uint64_t offset, std::optional<Error> damage);
  Bundle out;

private:
  void damage(Errc code, std::uint64_t offset, const char *what) {
    if (!out.damage)
      out.damage = Error{code, offset, what, {}};
  }
  bool open_ = false;
};

void Assembler::close(std::uint64_t offset, std::optional<Error> damage) {
  if (!open_)
    return;
  Entry &e = out.entries.back();
  e.size = offset > e.offset ? offset - e.offset : 0;
  e.damage = std::move(damage);
  open_ = false;
}

void Assembler::add(const Line &line) {
  // The line break before the leader is no text.
  const std::uint64_t text_end = line.offset == 0 ? 0 : line.offset - 1;
  if (!line.id)
    return damage(Errc::bad_value, line.offset, "text bundle: id");
  if (line.is_start) {
    close(text_end,
          Error{Errc::truncated, line.offset, "text bundle: no END line", {}});
    Entry e;
    e.id = *line.id;
    e.marker_offset = line.offset;
    e.offset = line.after;
    out.entries.push_back(std::move(e));
    open_ = true;
    return;
  }
  if (!open_)
    return damage(Errc::bad_value, line.offset,
                  "text bundle: END line without START");
  std::optional<Error> other;
  if (*line.id != out.entries.back().id)
    other = Error{Errc::bad_value,
                  line.offset,
                  "text bundle: END line of another id",
                  {}};
  close(text_end, std::move(other));
}

} // namespace

bool probe(Bytes start) { return first_marker(start).has_value(); }

Result<Bundle> read(const Source &source, const Limits &limits) {
  Buffer scratch;
  GANTRY_TRY(Bytes start, source.read_up_to(0, kProbeBytes, scratch));
  const std::optional<First> first = first_marker(start);
  if (!first)
    return fail(Errc::bad_magic, 0, "text bundle");
  Lines lines(source, *first);
  Assembler assembler;
  assembler.out.leader = first->leader;
  GANTRY_TRY(auto line, lines.at(first->offset));
  while (line) {
    if (line->is_start && assembler.out.entries.size() >= limits.records) {
      assembler.out.damage = Error{Errc::too_large,
                                   line->offset,
                                   "text bundle: entries (limit records)",
                                   {}};
      assembler.close(line->offset, std::nullopt);
      break;
    }
    assembler.add(*line);
    // The line's own break may be the one before the next marker.
    GANTRY_TRY(line, lines.next(line->after - 1));
  }
  assembler.close(
      source.size(),
      Error{Errc::truncated, source.size(), "text bundle: no END line", {}});
  return std::move(assembler.out);
}

} // namespace gantry::text_bundle
