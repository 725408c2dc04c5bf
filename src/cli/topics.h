// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `gantry explain` can explain. The texts are in topics/.
#pragma once

#include <span>
#include <string_view>

namespace gantry::cli {

struct Topic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};

std::span<const Topic> topics();
const Topic *find_topic(std::string_view name);

} // namespace gantry::cli
