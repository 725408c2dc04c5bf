// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --show ptx: a part of a text.
#pragma once

#include "cli/question.h"

namespace gantry::cli {

// The text of a decoded PTX payload: a NUL ends it.
std::string_view text_of(Bytes payload);

// `text` must outlive the part. Refuses what begins or ends in the middle of a
// character, or behind the end, and bytes that are no UTF-8.
std::expected<report::TextPart, Failure> text_part(std::string_view text,
                                                   const TextRange &range);

// For a terminal: lines and tabs stay, all else that could steer it is escaped.
std::string harmless_text(std::string_view text);

} // namespace gantry::cli
