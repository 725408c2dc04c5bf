// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only control-flow macros of the project. On failure they return the
// error to the caller: GANTRY_TRY(auto x, f()); GANTRY_CHECK(g());
#pragma once

#include "gantry/base.h"

#define GANTRY_CAT2(a, b) a##b
#define GANTRY_CAT(a, b) GANTRY_CAT2(a, b)

#define GANTRY_TRY(decl, expr)                                                 \
  auto GANTRY_CAT(try_, __LINE__) = (expr);                                    \
  if (!GANTRY_CAT(try_, __LINE__))                                             \
    return std::unexpected(std::move(GANTRY_CAT(try_, __LINE__)).error());     \
  decl = *std::move(GANTRY_CAT(try_, __LINE__))

#define GANTRY_CHECK(expr)                                                     \
  if (auto check_ = (expr); !check_)                                           \
  return std::unexpected(std::move(check_).error())
