// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Help, written from the tables of the verbs. Every line fits 80 columns.
#pragma once

#include "cli/verb.h"

namespace gantry::cli {

std::string help_overview(); // gantry, gantry --help
std::string help_of(const Verb &verb);

// "[FILE…]"; and an option's help with what is said of all of its kind.
std::string operand_of(const Verb &verb);
std::string full_help(const Option &option);

// `text` in lines of at most `width` characters, each after `indent` spaces;
// an empty line separates paragraphs. Words longer than that stay whole.
std::string wrapped(std::string_view text, std::size_t indent,
                    std::size_t width = 80);

// Characters as a terminal counts them, for the Latin text of help.
std::size_t columns(std::string_view utf8);

} // namespace gantry::cli
