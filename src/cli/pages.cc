// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/pages.h"

#include "base/digest.h"
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace gantry::cli {

namespace {

constexpr std::size_t kFileDigits = 16;
constexpr std::size_t kQuestionDigits = 8;

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Order and repetition make no difference to what is selected. A zero byte
// cannot be part of a word of the command line.
void add_list(std::string &out, std::vector<std::string> words) {
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  for (const std::string &word : words)
    out += word + '\0';
  out += '\0';
}

} // namespace

std::string text(const Cursor &cursor) {
  return fmt::format("{}-{}-{}", cursor.first,
                     std::string_view(cursor.file).substr(0, kFileDigits),
                     cursor.question);
}

std::expected<Cursor, Failure> parse_cursor(std::string_view text) {
  Cursor cursor;
  const char *const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, cursor.first);
  const std::string_view rest(stop, end);
  constexpr std::size_t kSecondDash = kFileDigits + 1;
  if (error == std::errc{} &&
      rest.size() == kSecondDash + 1 + kQuestionDigits && rest[0] == '-' &&
      rest[kSecondDash] == '-') {
    cursor.file = rest.substr(1, kFileDigits);
    cursor.question = rest.substr(kSecondDash + 1);
    if (is_hex(cursor.file, kFileDigits) &&
        is_hex(cursor.question, kQuestionDigits))
      return cursor;
  }
  return refuse(fmt::format("{} is no cursor", printable(text)),
                "a page ends with its cursor: the line 'next page', or "
                "page.next in JSON");
}

std::string question_digits(report::Collection shown,
                            const inspect::Options &options) {
  std::string said = fmt::format("{} {}", word(shown), word(options.analysis));
  add_list(said, options.targets);
  std::vector<std::string> kinds;
  for (inspect::ObjectKind kind : options.kinds)
    kinds.emplace_back(word(kind));
  add_list(said, kinds);
  add_list(said, options.kernels);
  add_list(said, options.objects);
  // What else makes a difference to what is found, where it is not the usual.
  if (options.deep)
    said += "deep ";
  for (const LimitName &limit : limit_names())
    if (limit.get(options.limits) != limit.get(Limits{}))
      said += fmt::format("{}={} ", limit.name, limit.get(options.limits));
  Sha256 digest;
  digest.update(std::as_bytes(std::span(said)));
  return digest.hex().substr(0, kQuestionDigits);
}

void KernelPage::take(std::vector<inspect::Kernel> &kernels) {
  const std::uint64_t before = total_;
  total_ += kernels.size();
  // Rows [begin, end) of the list are on the page.
  const std::uint64_t last =
      first_ + std::min(limit_, UINT64_MAX - first_); // one past the page
  const std::uint64_t begin = std::clamp(first_, before, total_) - before;
  const std::uint64_t end = std::clamp(last, before, total_) - before;
  kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(end),
                kernels.end());
  kernels.erase(kernels.begin(),
                kernels.begin() + static_cast<std::ptrdiff_t>(begin));
  kernels.shrink_to_fit();
}

} // namespace gantry::cli
