// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What inspect asks of a file and view asks of a saved record: which rows,
// which fields, which part, in which form.
#pragma once

#include "cli/console.h"
#include "cli/pages.h"
#include "cli/parse.h"

namespace gantry::cli {

enum class Form { text, json, ndjson };

// --show ptx: bytes of a text.
struct TextRange {
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;
};

struct Question {
  Form form = Form::text;
  report::View view; // width and color are the console's affair
  // Targets, kinds, kernels and objects; what else an inspection needs is for
  // inspect to say.
  inspect::Options options;
  // Of the file, out of ids and cursor; "" when they say nothing.
  std::string digest;
  bool paged = false;
  std::optional<Cursor> after;
  std::uint64_t limit = UINT64_MAX;
  std::optional<TextRange> text;
};

// `file` is the operand, when there is one: ids may begin with its name.
std::expected<Question, Failure> question(const Arguments &arguments,
                                          std::string_view file);

// Parts of it, for verbs that ask less: --target and --kind; ids, with the
// digest that all of them mean.
std::expected<void, Failure> take_targets(const Arguments &arguments,
                                          inspect::Options &options);
std::expected<void, Failure> take_ids(std::span<const std::string> words,
                                      std::string_view file, Question &out);

// Refuses a cursor that another question led to. Ask when `options` are
// complete.
std::expected<void, Failure> check_cursor(const Question &question);

// The page as it is before anything is known of its rows.
report::Page page_of(const Question &question);
// Sets the cursor of what follows, if there is something; `sha256` is that of
// the file.
void set_next(report::Page &page, const Question &question,
              std::string_view sha256);

// Width and colour of what goes to `output`.
void set_style(report::View &view, const Arguments &arguments,
               const Console &console, const Output &output);

// ---- options ----------------------------------------------------------------

inline constexpr std::string_view kAnalysisGroup = "What is analysed";
inline constexpr std::string_view kSelectionGroup = "What is selected";
inline constexpr std::string_view kShowGroup = "What is shown";
inline constexpr std::string_view kPageGroup = "Pages";
inline constexpr std::string_view kSameFileGroup =
    "Which file, and saved records";

inline constexpr std::string_view kKindWords[] = {
    "cubin", "ptx",        "lto-ir",  "amdgpu", "bitcode",
    "spirv", "sycl-image", "tile-ir", "unknown"};
inline constexpr std::string_view kShowWords[] = {
    "targets", "objects", "kernels", "containers", "ptx"};
inline constexpr std::string_view kDetailWords[] = {"summary", "full"};

inline constexpr Option kShow{
    .name = "show",
    .value = "WHAT",
    .kind = ValueKind::choice,
    .help = "targets (default), objects, kernels (reads them, as --analysis "
            "kernels does) or containers; ptx alone: the text of the one "
            "--object.",
    .group = kShowGroup,
    .repeatable = true,
    .list = true,
    .choices = kShowWords};
inline constexpr Option kFields{
    .name = "fields",
    .value = "A,B,C",
    .kind = ValueKind::field,
    .help = "Only these fields, in this order; gantry explain fields lists "
            "them.",
    .group = kShowGroup,
    .repeatable = true,
    .list = true};
inline constexpr Option kDetail{
    .name = "detail",
    .value = "D",
    .kind = ValueKind::choice,
    .help = "summary: a short choice of fields (what text shows by itself); "
            "full: all of them (what JSON has by itself), in text a block of "
            "lines for each row.",
    .group = kShowGroup,
    .choices = kDetailWords};
inline constexpr Option kTarget{
    .name = "target",
    .value = "T",
    .kind = ValueKind::target,
    .help = "Only code made for T: sm_90a, compute_90 (PTX), gfx90a:xnack+ or "
            "a whole bundle entry id.",
    .group = kSelectionGroup,
    .repeatable = true,
    .list = true};
inline constexpr Option kKind{
    .name = "kind",
    .value = "K",
    .kind = ValueKind::choice,
    .help = "Only code objects of this kind: cubin, ptx, lto-ir, amdgpu, "
            "bitcode, spirv, sycl-image, tile-ir, unknown.",
    .group = kSelectionGroup,
    .repeatable = true,
    .list = true,
    .choices = kKindWords};
inline constexpr Option kKernel{
    .name = "kernel",
    .value = "NAME",
    .kind = ValueKind::kernel,
    .help = "Only the kernel of this name, as in the file or as in the source; "
            "implies --show kernels.",
    .group = kSelectionGroup,
    .repeatable = true};
inline constexpr Option kObject{
    .name = "object",
    .value = "ID",
    .kind = ValueKind::text,
    .help = "Only the code object of this id. ID@DIGITS, --expect-sha256 or "
            "--from says which file it belongs to; gantry explain ids.",
    .group = kSelectionGroup,
    .repeatable = true};
inline constexpr Option kStrict{
    .name = "strict",
    .help = "Partial coverage is a failure: exit status 3.",
    .group = kAnalysisGroup};
inline constexpr Option kLimit{
    .name = "limit",
    .value = "N",
    .kind = ValueKind::text,
    .help = "At most N rows of the one collection that is shown, and the "
            "cursor of the next page.",
    .group = kPageGroup};
inline constexpr Option kAfter{
    .name = "after",
    .value = "CURSOR",
    .kind = ValueKind::text,
    .help = "Go on behind the page that ended with this cursor. It holds for "
            "the same file and the same question only.",
    .group = kPageGroup};
inline constexpr Option kOffset{
    .name = "offset",
    .value = "B",
    .kind = ValueKind::text,
    .help = "With --show ptx: begin at byte B of the text.",
    .group = kPageGroup};
inline constexpr Option kLength{
    .name = "length",
    .value = "B",
    .kind = ValueKind::text,
    .help = "With --show ptx: B bytes (default: all), perhaps with K, M or G.",
    .group = kPageGroup};

inline constexpr Option kBudget{
    .name = "budget",
    .value = "NAME=VALUE",
    .kind = ValueKind::limit,
    .help = "Set a limit on what hostile files may cost, as in docs/limits.md: "
            "decoded_bytes=8G.",
    .group = kAnalysisGroup,
    .repeatable = true};
inline constexpr Option kExpectSha256{
    .name = "expect-sha256",
    .value = "HEX",
    .kind = ValueKind::text,
    .help = "Refuse any other file than this, by its SHA-256 or the first 16 "
            "digits or more.",
    .group = kSameFileGroup};
inline constexpr Option kFrom{
    .name = "from",
    .value = "EVIDENCE",
    .kind = ValueKind::path,
    .help = "The same, for the file of a saved record; ids must be in it.",
    .group = kSameFileGroup};

} // namespace gantry::cli
