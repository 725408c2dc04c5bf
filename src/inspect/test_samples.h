// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: the files of samples/.
#pragma once

#include "base/file.h"

#include <algorithm>
#include <filesystem>

namespace gantry::inspect {

struct Sample {
  std::string name;
  std::vector<std::byte> bytes;
};

inline const std::vector<Sample> &samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> out;
    for (const auto &file :
         std::filesystem::recursive_directory_iterator(GANTRY_SAMPLES)) {
      std::string path = file.path().string();
      if (!file.is_regular_file() || path.starts_with(GANTRY_SAMPLES "/src/") ||
          path.ends_with(".md") || path.ends_with(".sh") ||
          path.ends_with(".py"))
        continue;
      Buffer scratch;
      auto source = FileSource::open(path).value();
      Bytes bytes = source->read(0, source->size(), scratch).value();
      out.push_back({path, {bytes.begin(), bytes.end()}});
    }
    std::ranges::sort(out, {}, &Sample::name);
    return out;
  }();
  return all;
}

} // namespace gantry::inspect
