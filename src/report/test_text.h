// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: what a view prints, as one string.
#pragma once

#include "gantry/report.h"

#include <array>

namespace gantry::report {

class TextSink final : public Sink {
public:
  void write(std::string_view text) override { out += text; }
  std::string out;
};

inline constexpr std::array kAllCollections = {
    Collection::targets, Collection::objects, Collection::kernels,
    Collection::containers};

inline View view_of_all() {
  View view;
  view.show = {kAllCollections.begin(), kAllCollections.end()};
  return view;
}

inline std::string json_text(const inspect::Report &r,
                             const View &view = view_of_all()) {
  TextSink sink;
  json(r, view, sink);
  return std::move(sink.out);
}

inline std::string plain_text(const inspect::Report &r,
                              const View &view = view_of_all()) {
  TextSink sink;
  text(r, view, sink);
  return std::move(sink.out);
}

} // namespace gantry::report
