// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --show ptx: a part of a text.
#pragma once

#include "cli/question.h"

#include <functional>

namespace gantry::cli {

// Refuses what lies behind a text of `size` bytes, and what begins or ends in
// the middle of a character.
std::expected<void, Failure>
check_range(const TextRange &range, std::uint64_t size,
            const std::function<bool(std::uint64_t)> &is_boundary);

// `bytes` from `offset` on, out of a text of `size` bytes. Refuses what is not
// UTF-8. `bytes` must outlive the part.
std::expected<report::TextPart, Failure> part_of(std::string_view bytes,
                                                 std::uint64_t offset,
                                                 std::uint64_t size,
                                                 std::string sha256);

// The same with the whole text at hand.
std::expected<report::TextPart, Failure> text_part(std::string_view text,
                                                   const TextRange &range);

// For a terminal: lines and tabs stay, all else that could steer it is escaped.
std::string harmless_text(std::string_view text);

} // namespace gantry::cli
