// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: all of a package at once.
#pragma once

#include "input/package.h"

#include <gtest/gtest.h>

#include <vector>

namespace gantry::input {

struct ReadMember {
  Member member;
  std::string start; // what Package::start() said; "" also when nothing
  std::string bytes;
  std::optional<Error> error; // no bytes at all, or damage behind them

  bool is(Errc code) const { return error && error->code == code; }
};

struct ReadPackage {
  std::string format;
  std::vector<ReadMember> members;
  std::optional<Error> error; // of opening, or the end of the walk
  bool opened = false;

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const ReadMember &m : members)
      out.push_back(m.member.name);
    return out;
  }
};

struct ReadOptions {
  std::string name = "package";
  Settings settings = {};
  Allowance allowance = {};
  bool peek = true; // calls start() before read()
  bool read = true;
};

inline ReadPackage read_package(std::string_view bytes,
                                const ReadOptions &options = {}) {
  ReadPackage out;
  MemorySource source(as_bytes(bytes));
  auto package = Package::open(source, options.name, options.settings);
  if (!package) {
    out.error = package.error();
    return out;
  }
  out.opened = true;
  GrowingBuffer buffer;
  Buffer scratch;
  for (;;) {
    auto next = (*package)->next();
    if (!next) {
      out.error = next.error();
      break;
    }
    if (!*next)
      break;
    ReadMember m;
    m.member = **next;
    if (options.peek)
      if (auto start = (*package)->start())
        m.start = as_text(*start);
    buffer.clear();
    if (options.read) {
      auto content = (*package)->read(buffer, options.allowance);
      if (!content) {
        m.error = content.error();
      } else {
        m.error = content->damage;
        auto all = content->source->read(0, content->source->size(), scratch);
        EXPECT_TRUE(all);
        m.bytes = as_text(*all);
      }
    }
    out.members.push_back(std::move(m));
  }
  out.format = (*package)->format();
  return out;
}

} // namespace gantry::input
